package org.pinwise.registrar;

import java.lang.foreign.MemorySegment;
import org.pinwise.registrar.verbs.MemoryRegion;
import org.pinwise.registrar.verbs.ProtectionDomain;
import org.pinwise.registrar.verbs.Result;
import org.pinwise.registrar.verbs.Verbs;
import org.pinwise.rules.model.Memory;
import org.pinwise.rules.model.MrRequest;
import org.pinwise.rules.model.Verb;

/** Memory of another device. */
record DmaBufSource(DmaBuf buffer) implements Source {
  @Override
  public MrRequest.Builder request(Registration registration) {
    return MrRequest.range(buffer.offset(), buffer.length())
        .verb(Verb.REG_DMABUF_MR)
        .iova(iova(registration));
  }

  private long iova(Registration registration) {
    Long iova = registration.iovaOrNull();
    return iova == null ? buffer.offset() : iova;
  }

  /** No rule asks what maps it, for nothing in this process does. */
  @Override
  public Memory assumed() {
    return Memory.TYPE.unknown();
  }

  @Override
  public Memory now(Surroundings surroundings) {
    return Memory.TYPE.unknown();
  }

  @Override
  public Result<MemoryRegion> register(
      Verbs verbs, ProtectionDomain pd, Registration registration) {
    return verbs.regDmabufMr(
        pd,
        buffer.fd(),
        buffer.offset(),
        buffer.length(),
        iova(registration),
        registration.access().bits());
  }

  @Override
  public String operation(Registration registration) {
    return "ibv_reg_dmabuf_mr";
  }

  @Override
  public String arguments(Registration registration) {
    return "descriptor %d, offset %d, length %d, iova 0x%x"
        .formatted(buffer.fd(), buffer.offset(), buffer.length(), iova(registration));
  }

  @Override
  public MemorySegment segment() {
    return MemorySegment.NULL;
  }
}
