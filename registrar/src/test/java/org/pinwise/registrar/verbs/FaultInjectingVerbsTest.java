package org.pinwise.registrar.verbs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.pinwise.registrar.verbs.VerbsContractTest.errno;
import static org.pinwise.registrar.verbs.VerbsContractTest.ok;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.pinwise.registrar.verbs.FaultInjectingVerbs.Operation;
import org.pinwise.rules.model.Errno;

class FaultInjectingVerbsTest {

  /** Without a fault it is what it decorates. */
  @Nested
  class Contract extends VerbsContractTest {
    @Override
    Verbs verbs() {
      return new FaultInjectingVerbs(FakeLibrary.load());
    }

    @Override
    String device() {
      return "fake0";
    }

    @Override
    boolean importsDmabuf() {
      return true;
    }

    @Override
    boolean takesAdvice() {
      return true;
    }
  }

  @Test
  void theChosenCallFails() {
    FaultInjectingVerbs verbs =
        new FaultInjectingVerbs(FakeLibrary.load()).fail(Operation.REG_MR, 2, Errno.ENOMEM);
    DeviceContext context = ok(verbs.openDevice("fake0"));
    ProtectionDomain pd = ok(verbs.allocPd(context));
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment memory = arena.allocate(64);
      MemoryRegion first = ok(verbs.regMr(pd, memory, 1));
      assertThat(errno(verbs.regMr(pd, memory, 1))).isEqualTo(Errno.ENOMEM);
      MemoryRegion third = ok(verbs.regMr(pd, memory, 1));

      assertThat(verbs.calls(Operation.REG_MR)).isEqualTo(3);
      assertThat(verbs.liveObjects().memoryRegions()).isEqualTo(2);

      verbs.failNext(Operation.DEREG_MR, Errno.EBUSY);
      assertThat(verbs.deregMr(first)).isEqualTo(Errno.EBUSY.number());
      assertThat(first.isClosed()).isFalse();
      assertThat(verbs.deregMr(first)).isZero();
      assertThat(verbs.deregMr(third)).isZero();
    }
    verbs.failAlways(Operation.DEALLOC_PD, Errno.EIO);
    assertThat(verbs.deallocPd(pd)).isEqualTo(Errno.EIO.number());
    assertThat(verbs.deallocPd(pd)).isEqualTo(Errno.EIO.number());
    assertThat(verbs.heal().deallocPd(pd)).isZero();
    assertThat(verbs.closeDevice(context)).isZero();
    assertThat(verbs.liveObjects()).isEqualTo(LiveObjects.NONE);
  }

  @Test
  void everyOperationCanFail() {
    FaultInjectingVerbs verbs = new FaultInjectingVerbs(FakeLibrary.load());
    DeviceContext context = ok(verbs.openDevice("fake0"));
    ProtectionDomain pd = ok(verbs.allocPd(context));
    MemorySegment nowhere = MemorySegment.NULL;
    for (Operation operation : Operation.values()) {
      verbs.failAlways(operation, Errno.EIO);
    }

    assertThat(errno(verbs.listDevices())).isEqualTo(Errno.EIO);
    assertThat(errno(verbs.openDevice("fake0"))).isEqualTo(Errno.EIO);
    assertThat(errno(verbs.queryDevice(context))).isEqualTo(Errno.EIO);
    assertThat(errno(verbs.queryDeviceEx(context))).isEqualTo(Errno.EIO);
    assertThat(errno(verbs.allocPd(context))).isEqualTo(Errno.EIO);
    assertThat(errno(verbs.regMrRange(pd, nowhere, 1, 1))).isEqualTo(Errno.EIO);
    assertThat(errno(verbs.regMrIova2Range(pd, nowhere, 1, 0, 1))).isEqualTo(Errno.EIO);
    assertThat(verbs.deallocPd(pd)).isEqualTo(Errno.EIO.number());
    assertThat(verbs.closeDevice(context)).isEqualTo(Errno.EIO.number());

    assertThat(verbs.heal().deallocPd(pd)).isZero();
    assertThat(verbs.closeDevice(context)).isZero();
  }
}
