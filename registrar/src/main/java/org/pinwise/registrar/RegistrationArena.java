package org.pinwise.registrar;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantReadWriteLock;
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
  private final Set<RegisteredRegion> regions = ConcurrentHashMap.newKeySet();
  private final ReentrantReadWriteLock lifetime = new ReentrantReadWriteLock();
  private boolean closed;

  @SuppressWarnings("MustBeClosedChecker") // close() does
  RegistrationArena(MemoryRegistrar registrar, Registration registration) {
    this.registrar = registrar;
    this.registration = registration;
    this.memory = Arena.ofShared();
  }

  /** Takes the arena of the memory over. */
  RegistrationArena(MemoryRegistrar registrar, Registration registration, BufferArena memory) {
    this.registrar = registrar;
    this.registration = registration;
    this.memory = memory;
  }

  /** The access with which memory of this arena is registered. */
  public Access access() {
    return registration.access();
  }

  /** Allocates memory that is not registered. */
  @Override
  public MemorySegment allocate(long byteSize, long byteAlignment) {
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
    // Registering may go on in many threads; closing waits for all of them.
    lifetime.readLock().lock();
    try {
      if (closed) {
        throw new IllegalStateException(
            "the arena is closed\nMaybe it was closed by another thread.");
      }
      RegistrationOutcome outcome =
          switch (memory) {
            case BufferArena buffers -> {
              Buffer buffer = buffers.allocateBuffer(byteSize, byteAlignment);
              yield registrar.register(buffer.segment(), registration.memory(buffer.memory()));
            }
            default -> registrar.register(memory.allocate(byteSize, byteAlignment), registration);
          };
      if (outcome instanceof RegistrationOutcome.Registered(RegisteredRegion region, _)) {
        regions.add(region);
      }
      return outcome;
    } finally {
      lifetime.readLock().unlock();
    }
  }

  @Override
  public MemorySegment.Scope scope() {
    return memory.scope();
  }

  /**
   * Gives all regions back, then frees the memory. A second call does nothing.
   *
   * @throws VerbsException if a region cannot be given back; the others are, no memory is freed,
   *     and the arena can be closed again
   * @throws IllegalStateException if the memory is in use by a native call
   */
  @Override
  public void close() {
    lifetime.writeLock().lock();
    try {
      if (closed) {
        return;
      }
      Failures failures = new Failures();
      List<RegisteredRegion> all = new ArrayList<>(regions);
      for (RegisteredRegion region : all) {
        if (failures.run(region::close)) {
          regions.remove(region);
        }
      }
      failures.rethrow();
      memory.close();
      closed = true;
    } finally {
      lifetime.writeLock().unlock();
    }
  }

  @Override
  public String toString() {
    return "registration arena of " + registrar;
  }
}
