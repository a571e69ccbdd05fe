package org.pinwise.registrar.verbs;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * A verbs object that must be given back: who issued it, and whether it may still be used.
 *
 * <p>The C functions trust their callers: a call on an object that another thread has just given
 * back, or giving it back twice, reads freed memory and takes the JVM down. So each handle counts
 * its users, which are its children and the calls in flight, and can be closed only while it has
 * none. Every implementation of {@link Verbs} gets the same behaviour from here.
 */
public abstract sealed class VerbsHandle permits DeviceContext, ProtectionDomain, MemoryRegion {

  private static final int CLOSING = -1;
  private static final int CLOSED = -2;
  private static final VarHandle USERS;

  static {
    try {
      USERS = MethodHandles.lookup().findVarHandle(VerbsHandle.class, "users", int.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  private final Verbs issuer;
  private volatile int users;

  VerbsHandle(Verbs issuer) {
    this.issuer = issuer;
  }

  /** Whether the object has been given back. */
  public final boolean isClosed() {
    return users == CLOSED;
  }

  /** Whether the object is made up: a key of it means nothing to any hardware. */
  public final boolean isSimulated() {
    return issuer.isSimulated();
  }

  /** How many children the object has, plus the calls on it that run now. */
  final int users() {
    return Math.max(users, 0);
  }

  /**
   * Counts one more user: a child that is being made, or a call that must not see the object go.
   *
   * @throws IllegalArgumentException if another {@link Verbs} issued this handle
   * @throws IllegalStateException if the object is closed, or being closed
   */
  final void acquire(Verbs caller) {
    requireIssuedBy(caller);
    for (int seen = users; ; seen = users) {
      if (seen < 0) {
        throw unusable(seen);
      }
      if (USERS.compareAndSet(this, seen, seen + 1)) {
        return;
      }
    }
  }

  /** Undoes one {@link #acquire}. */
  final void release() {
    USERS.getAndAdd(this, -1);
  }

  /**
   * Claims the right to close the object; one thread gets it, and must call {@link #endClose}.
   *
   * @return false if the object has users
   * @throws IllegalArgumentException if another {@link Verbs} issued this handle
   * @throws IllegalStateException if the object is closed, or being closed
   */
  final boolean beginClose(Verbs caller) {
    requireIssuedBy(caller);
    int seen = (int) USERS.compareAndExchange(this, 0, CLOSING);
    if (seen < 0) {
      throw unusable(seen);
    }
    return seen == 0;
  }

  /**
   * Ends what {@link #beginClose} began.
   *
   * @param closed whether the object is gone; if not, it is as usable as before
   */
  final void endClose(boolean closed) {
    users = closed ? CLOSED : 0;
  }

  @SuppressWarnings("ReferenceEquality") // a port is one object; there is no equal one
  private void requireIssuedBy(Verbs caller) {
    if (issuer != caller) {
      throw new IllegalArgumentException(
          this
              + " was issued by "
              + issuer
              + ", not by "
              + caller
              + "\nMaybe two ports are mixed.");
    }
  }

  private IllegalStateException unusable(int seen) {
    return new IllegalStateException(
        this
            + (seen == CLOSED ? " is closed" : " is being closed by another thread")
            + "\nMaybe its owner was closed twice, or while it was still in use.");
  }
}
