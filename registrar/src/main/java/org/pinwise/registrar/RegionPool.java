package org.pinwise.registrar;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.pinwise.rules.model.Access;

/**
 * Small buffers that are registered already: slabs, each one region, cut into buffers of a size.
 *
 * {@snippet :
 * try (RegionPool pool = registrar.openPool(Access.of(LOCAL_WRITE), PoolOptions.DEFAULT)) {
 *   try (PooledBuffer buffer = pool.acquire(200)) {
 *     buffer.segment().copyFrom(message);
 *     post(buffer.address(), buffer.length(), buffer.lkey());
 *     awaitCompletion();
 *   }
 * }
 * }
 *
 * <p>Opening registers one slab of each size. A size of which all buffers are out gets another
 * slab, as long as the {@linkplain PoolOptions options} allow; after that a larger buffer is given
 * out.
 *
 * <p>Thread-safe. Taking and returning a buffer takes no lock; making a slab does.
 */
public final class RegionPool implements AutoCloseable {

  private final MemoryRegistrar registrar;
  private final Access access;
  private final PoolOptions options;
  private final RegistrationArena slabs;
  private final List<SizeClass> classes = new ArrayList<>();
  private long slabBytes;
  private volatile boolean closed;

  /**
   * The buffers of one size.
   *
   * @param bytes of each buffer
   * @param buffers how many there are
   * @param free how many are not given out
   */
  public record Stock(int bytes, int buffers, int free) {}

  /** A place for a buffer in a slab. */
  record Slot(SizeClass home, RegisteredRegion slab, long offset) {}

  /** A stack of free slots. The nodes are fresh, so that no thread takes one for another. */
  static final class SizeClass {
    private record Node(Slot slot, @Nullable Node next) {}

    private final int bytes;
    private final AtomicReference<@Nullable Node> free = new AtomicReference<>();
    private final AtomicInteger freeCount = new AtomicInteger();
    private final AtomicInteger buffers = new AtomicInteger();

    SizeClass(int bytes) {
      this.bytes = bytes;
    }

    void put(Slot slot) {
      Node top;
      do {
        top = free.get();
      } while (!free.compareAndSet(top, new Node(slot, top)));
      freeCount.incrementAndGet();
    }

    @Nullable Slot take() {
      Node top;
      do {
        top = free.get();
        if (top == null) {
          return null;
        }
      } while (!free.compareAndSet(top, top.next));
      freeCount.decrementAndGet();
      return top.slot;
    }
  }

  private RegionPool(MemoryRegistrar registrar, Access access, PoolOptions options) {
    this.registrar = registrar;
    this.access = access;
    this.options = options;
    this.slabs = new RegistrationArena(registrar, Registration.of(access).label("pool slab"));
  }

  static RegionPool open(MemoryRegistrar registrar, Access access, PoolOptions options) {
    RegionPool pool = new RegionPool(registrar, access, options);
    try {
      for (int bytes = options.smallestBytes();
          bytes <= options.largestBytes() && bytes > 0;
          bytes *= 2) {
        SizeClass made = new SizeClass(bytes);
        pool.classes.add(made);
        if (!pool.grow(made)) {
          throw new IllegalArgumentException(
              "a slab of %d bytes for each size is more than maxBytes %d allow"
                  .formatted(options.slabBytes(), options.maxBytes()));
        }
      }
      return pool;
    } catch (RuntimeException | Error e) {
      Failures failures = new Failures();
      failures.run(() -> pool.slabs.closeWith(WhenLeased.refuse()));
      failures.addTo(e);
      throw e;
    }
  }

  /** Makes another slab for a size; false if there are enough. */
  private synchronized boolean grow(SizeClass of) {
    if (of.freeCount.get() > 0) {
      return true; // another thread was faster
    }
    if (slabBytes + options.slabBytes() > options.maxBytes()) {
      return false;
    }
    RegisteredRegion slab = slabs.allocateRegistered(options.slabBytes(), 4096);
    slabBytes += options.slabBytes();
    int count = options.slabBytes() / of.bytes;
    of.buffers.addAndGet(count);
    for (int i = count - 1; i >= 0; i--) {
      of.put(new Slot(of, slab, (long) i * of.bytes));
    }
    return true;
  }

  /**
   * A buffer of at least this length.
   *
   * @param length bytes
   * @throws PoolExhaustedException if all buffers that are large enough are given out
   * @throws RegistrationRejectedException if another slab is needed, and the rules refuse it
   * @throws VerbsException if another slab is needed, and the call fails
   * @throws IllegalArgumentException if it is negative, or longer than the largest buffer
   * @throws IllegalStateException if the pool is closed
   */
  public PooledBuffer acquire(long length) {
    return tryAcquire(length)
        .orElseThrow(() ->
            new PoolExhaustedException(
                "all buffers of %d bytes and more are given out; the slabs have %d bytes, and maxBytes is %d\nMaybe close buffers earlier, or raise maxBytes."
                    .formatted(length, slabBytes(), options.maxBytes())));
  }

  private synchronized long slabBytes() {
    return slabBytes;
  }

  /**
   * A buffer of at least this length; empty if all that are large enough are given out.
   *
   * @param length bytes
   * @throws RegistrationRejectedException if another slab is needed, and the rules refuse it
   * @throws VerbsException if another slab is needed, and the call fails
   * @throws IllegalArgumentException if it is negative, or longer than the largest buffer
   * @throws IllegalStateException if the pool is closed
   */
  public Optional<PooledBuffer> tryAcquire(long length) {
    if (length < 0 || length > options.largestBytes()) {
      throw new IllegalArgumentException(
          "no buffer of %d bytes: the pool has those of %d to %d bytes"
              .formatted(length, options.smallestBytes(), options.largestBytes()));
    }
    if (closed) {
      throw new IllegalStateException(this + " is closed\nMaybe its owner closed it too early.");
    }
    RuntimeException failure = null;
    for (SizeClass one : classes) {
      if (one.bytes >= length) {
        Slot slot = one.take();
        try {
          while (slot == null && grow(one)) {
            slot = one.take();
          }
        } catch (RegistrationRejectedException | VerbsException e) {
          failure = failure == null ? e : failure; // a larger one may be free
        }
        if (slot != null) {
          return Optional.of(lend(slot, length));
        }
      }
    }
    if (failure != null) {
      throw failure;
    }
    return Optional.empty();
  }

  private static PooledBuffer lend(Slot slot, long length) {
    try {
      return new PooledBuffer(slot, slot.slab.lease(), length);
    } catch (IllegalStateException e) { // the pool is being closed
      slot.home.put(slot);
      throw e;
    }
  }

  static void takeBack(Slot slot) {
    slot.home.put(slot);
  }

  /** What there is of each size, from the smallest. */
  public List<Stock> stock() {
    return classes.stream()
        .map(one -> new Stock(one.bytes, one.buffers.get(), one.freeCount.get()))
        .toList();
  }

  /** The access flags with which the buffers are registered. */
  public Access access() {
    return access;
  }

  /** How the buffers are made. */
  public PoolOptions options() {
    return options;
  }

  /** Whether it gives out no more. */
  public boolean isClosed() {
    return closed;
  }

  /**
   * Gives out no more, gives the slabs back, and frees their memory. What it does while buffers are
   * given out, {@link RegistrarOptions#withWhenLeased} says.
   *
   * @throws RegionInUseException if buffers are given out, and it is to refuse; another call tries
   *     again
   * @throws VerbsException if the library does not take a slab back; another call tries again
   */
  @Override
  public void close() {
    closeWith(registrar.options().whenLeased());
  }

  /**
   * Closes the pool, with a word on what to do while buffers are given out.
   *
   * @return whether the memory is freed now
   * @throws RegionInUseException as {@link #close()} does, unless the policy defers
   * @throws VerbsException as {@link #close()} does
   */
  public boolean closeWith(WhenLeased policy) {
    closed = true;
    return slabs.closeWith(policy);
  }

  @Override
  public String toString() {
    return "pool of " + registrar;
  }
}
