package org.pinwise.registrar;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.locks.ReentrantLock;
import org.pinwise.registrar.memory.Buffer;
import org.pinwise.registrar.memory.BufferArena;
import org.pinwise.rules.model.Access;

/**
 * An arena of which some memory is registered: closing it gives all regions back, then frees the
 * memory. This order is what a plain arena cannot promise.
 *
 * {@snippet :
 * try (RegistrationArena arena = registrar.openArena(Access.of(LOCAL_WRITE))) {
 *   RegisteredRegion region = arena.allocateRegistered(64 << 10, 4096);
 * }
 * }
 *
 * <p>The memory is shared: all threads may use it, allocate from it and close it.
 */
public final class RegistrationArena implements Arena {
  private final MemoryRegistrar registrar;
  private final Registration registration;
  private final Arena memory;
  private final ArenaRegions regions = new ArenaRegions();
  private final ReentrantLock lifetime = new ReentrantLock();

  /** No more memory; set by a close that may still have to wait for leases. */
  private boolean closing;

  private boolean closed;

  @SuppressWarnings("MustBeClosedChecker") // close() does
  RegistrationArena(MemoryRegistrar registrar, Registration registration) {
    this(registrar, registration, Arena.ofShared());
  }

  /** Takes the arena of the memory over. */
  RegistrationArena(MemoryRegistrar registrar, Registration registration, Arena memory) {
    this.registrar = registrar;
    this.registration = registration;
    this.memory = memory;
    registrar.join(memory.scope(), regions);
  }

  /** The access with which memory of this arena is registered. */
  public Access access() {
    return registration.access();
  }

  /**
   * Allocates memory that is not registered.
   *
   * @throws IllegalStateException if the arena is closed, or is to be when leases are
   */
  @Override
  public MemorySegment allocate(long byteSize, long byteAlignment) {
    requireOpen();
    return memory.allocate(byteSize, byteAlignment);
  }

  /**
   * Allocates memory and registers it. If it is refused or fails the memory stays allocated until
   * the arena is closed.
   *
   * @throws RegistrationRejectedException if the rules refuse it
   * @throws VerbsException if the call fails
   * @throws org.pinwise.registrar.memory.BufferException if the pages that the arena was opened
   *     with cannot be had
   * @throws IllegalStateException if the arena or its registrar is closed
   */
  public RegisteredRegion allocateRegistered(long byteSize, long byteAlignment) {
    return tryAllocateRegistered(byteSize, byteAlignment).orElseThrow();
  }

  /**
   * Allocates memory and registers it; what became of it is the outcome.
   *
   * @throws org.pinwise.registrar.memory.BufferException if the pages that the arena was opened
   *     with cannot be had
   * @throws IllegalStateException if the arena or its registrar is closed
   */
  public RegistrationOutcome tryAllocateRegistered(long byteSize, long byteAlignment) {
    requireOpen();
    // If another thread closes it from here on, one of these says that it is closed.
    return switch (memory) {
      case BufferArena buffers -> {
        Buffer buffer = buffers.allocateBuffer(byteSize, byteAlignment);
        yield registrar.register(buffer.segment(), registration.memory(buffer.memory()));
      }
      default -> registrar.register(memory.allocate(byteSize, byteAlignment), registration);
    };
  }

  private void requireOpen() {
    if (regions.isSealed()) {
      throw new IllegalStateException(
          "the arena is closed\nMaybe it was closed by another thread.");
    }
  }

  @Override
  public MemorySegment.Scope scope() {
    return memory.scope();
  }

  /**
   * Gives all regions of its registrar on its memory back, whoever registered them, then frees the
   * memory. Another registrar's are given back if that one {@linkplain MemoryRegistrar#watch
   * watches} this arena. A second call does nothing. What it does while regions have leases, {@link
   * RegistrarOptions#withWhenLeased} says.
   *
   * <p>No registration of its memory begins after, and those that run are waited for, as long as
   * the kernel takes for them: nothing can stop it, not even an interrupt, which is kept. Other
   * native calls are not waited for. Called by a listener of this very close it does nothing: the
   * close goes on.
   *
   * @throws RegionInUseException if regions have leases. The others are given back, no memory is
   *     freed, and the arena can be closed again
   * @throws VerbsException if a region cannot be given back; the same holds
   * @throws IllegalStateException if the memory is in use by a native call that is not this
   *     registrar's; the same holds
   */
  @Override
  public void close() {
    closeWith(registrar.options().whenLeased());
  }

  /**
   * Closes the arena, with a word on what to do while regions have leases. If it defers, the last
   * lease gives the last region back and frees the memory.
   *
   * @return whether the memory is freed now
   * @throws RegionInUseException as {@link #close()} does, unless the policy defers
   * @throws VerbsException as {@link #close()} does
   * @throws IllegalStateException as {@link #close()} does
   */
  public boolean closeWith(WhenLeased policy) {
    if (lifetime.isHeldByCurrentThread()) {
      return closed;
    }
    lifetime.lock();
    try {
      if (closed) {
        return true;
      }
      boolean wasClosing = closing;
      regions.seal();
      closing |= policy.defers();
      Failures failures = new Failures();
      for (RegisteredRegion region : regions.all()) {
        if (policy.defers()) {
          region.afterClose(this::freeIfDeferred);
        }
        failures.run(() -> region.closeWith(policy));
      }
      if (!failures.any()) {
        failures.run(this::free);
      }
      if (failures.any() && !wasClosing) {
        regions.unseal();
        closing = false;
      }
      failures.rethrow();
      return closed;
    } finally {
      lifetime.unlock();
    }
  }

  private void freeIfDeferred() {
    lifetime.lock();
    try {
      if (closing) {
        free();
      }
    } finally {
      lifetime.unlock();
    }
  }

  /** Frees the memory if no region is on it. */
  private void free() {
    if (!closed && regions.isEmpty()) {
      try {
        memory.close();
      } catch (IllegalStateException e) {
        throw new IllegalStateException(
            "the memory of "
                + this
                + " is in use by a native call that is not this registrar's\n"
                + "Maybe another thread passes it to a function, or to another registrar: close the"
                + " arena again after that.",
            e);
      }
      closed = true;
      registrar.leave(scope());
    }
  }

  @Override
  public String toString() {
    return "registration arena of " + registrar;
  }
}
