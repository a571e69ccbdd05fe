package org.pinwise.registrar.verbs;

import static org.assertj.core.api.Assertions.fail;
import static org.pinwise.registrar.verbs.FaultInjectingVerbs.Operation.ALLOC_PD;
import static org.pinwise.registrar.verbs.FaultInjectingVerbs.Operation.CLOSE_DEVICE;
import static org.pinwise.registrar.verbs.FaultInjectingVerbs.Operation.DEALLOC_PD;
import static org.pinwise.registrar.verbs.FaultInjectingVerbs.Operation.DEREG_MR;
import static org.pinwise.registrar.verbs.FaultInjectingVerbs.Operation.OPEN_DEVICE;
import static org.pinwise.registrar.verbs.FaultInjectingVerbs.Operation.REG_MR;

import java.lang.foreign.MemorySegment;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedDeque;
import org.pinwise.registrar.VerbsException;
import org.pinwise.registrar.verbs.FaultInjectingVerbs.Operation;
import org.pinwise.rules.model.Errno;

/**
 * A port as a program uses it: an answer that is not the expected one is a {@link VerbsException}
 * that names the call, and what is open is known, so that it can be given back after one.
 */
final class CheckedVerbs {
  private final Verbs verbs;

  /** The youngest first: children are younger than their parents. */
  private final Deque<VerbsHandle> open = new ConcurrentLinkedDeque<>();

  CheckedVerbs(Verbs verbs) {
    this.verbs = verbs;
  }

  DeviceContext open(String device) {
    return ok(OPEN_DEVICE, verbs.openDevice(device));
  }

  ProtectionDomain allocate(DeviceContext context) {
    return ok(ALLOC_PD, verbs.allocPd(context));
  }

  MemoryRegion register(ProtectionDomain pd, MemorySegment memory, int access) {
    return ok(REG_MR, verbs.regMr(pd, memory, access));
  }

  /** Gives an object back. */
  void giveBack(VerbsHandle handle) {
    switch (handle) {
      case DeviceContext context -> done(CLOSE_DEVICE, verbs.closeDevice(context));
      case ProtectionDomain pd -> done(DEALLOC_PD, verbs.deallocPd(pd));
      case MemoryRegion region -> done(DEREG_MR, verbs.deregMr(region));
    }
    open.remove(handle);
  }

  /** Gives all back that is open. */
  void giveBackAll() {
    for (VerbsHandle handle : open) {
      if (!handle.isClosed()) {
        giveBack(handle);
      }
    }
  }

  /** What a call yields. */
  <T> T ok(Operation operation, Result<T> result) {
    T thing = result.orElseThrow(errno -> failed(operation, errno));
    if (thing instanceof VerbsHandle handle) {
      open.addFirst(handle);
    }
    return thing;
  }

  /** A call that is refused with one of these. */
  Errno refused(Operation operation, Result<?> result, Errno... expected) {
    if (result instanceof Result.Failed<?>(int errno)) {
      return refused(operation, errno, expected);
    }
    ok(operation, result);
    return fail("%s was not refused", operation.function());
  }

  /** The same, of one that answers 0 or the errno. */
  Errno refused(Operation operation, int errno, Errno... expected) {
    return Errno.of(errno)
        .filter(List.of(expected)::contains)
        .orElseThrow(() -> failed(operation, errno));
  }

  private static void done(Operation operation, int errno) {
    if (errno != 0) {
      throw failed(operation, errno);
    }
  }

  private static VerbsException failed(Operation operation, int errno) {
    return new VerbsException(operation.function(), "in a test", errno);
  }
}
