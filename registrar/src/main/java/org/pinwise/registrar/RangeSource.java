package org.pinwise.registrar;

import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;
import org.pinwise.registrar.verbs.MemoryRegion;
import org.pinwise.registrar.verbs.ProtectionDomain;
import org.pinwise.registrar.verbs.Result;
import org.pinwise.registrar.verbs.Verbs;
import org.pinwise.rules.model.Memory;
import org.pinwise.rules.model.MrRequest;

/**
 * Memory of this process.
 *
 * @param segment where it starts
 * @param length bytes, unsigned; may go beyond the segment
 */
record RangeSource(MemorySegment segment, long length) implements Source {
  @Override
  public MrRequest.Builder request(Registration registration) {
    MrRequest.Builder request = MrRequest.range(segment.address(), length);
    Long iova = registration.iovaOrNull();
    return iova == null ? request : request.iova(iova);
  }

  @Override
  public @Nullable Memory assumed() {
    return Surroundings.isOrdinary(segment, length) ? null : Memory.TYPE.unknown();
  }

  @Override
  public @Nullable Memory now(Surroundings surroundings) {
    return surroundings.memory(segment.address(), length);
  }

  @Override
  public Result<MemoryRegion> register(
      Verbs verbs, ProtectionDomain pd, Registration registration) {
    int access = registration.access().bits();
    Long iova = registration.iovaOrNull();
    return iova == null
        ? verbs.regMrRange(pd, segment, length, access)
        : verbs.regMrIova2Range(pd, segment, length, iova, access);
  }

  @Override
  public String operation(Registration registration) {
    return registration.iovaOrNull() == null ? "ibv_reg_mr" : "ibv_reg_mr_iova2";
  }

  @Override
  public String arguments(Registration registration) {
    Long iova = registration.iovaOrNull();
    return "address 0x%x, length %s%s"
        .formatted(
            segment.address(),
            Long.toUnsignedString(length),
            iova == null ? "" : ", iova 0x%x".formatted(iova));
  }
}
