package org.pinwise.registrar;

import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;
import org.pinwise.registrar.verbs.MemoryRegion;
import org.pinwise.registrar.verbs.ProtectionDomain;
import org.pinwise.registrar.verbs.Result;
import org.pinwise.registrar.verbs.Verbs;
import org.pinwise.rules.model.Memory;
import org.pinwise.rules.model.MrRequest;

/** What is to be registered, and by which verb. */
sealed interface Source permits RangeSource, DmaBufSource {

  /** The request, but for what the registration says. */
  MrRequest.Builder request(Registration registration);

  /** What is assumed of the memory before the call; null is ordinary memory. */
  @Nullable Memory assumed();

  /** What the memory is now; null where it cannot be read. */
  @Nullable Memory now(Surroundings surroundings);

  /** Makes the call. */
  Result<MemoryRegion> register(Verbs verbs, ProtectionDomain pd, Registration registration);

  /** The C function that is called. */
  String operation(Registration registration);

  /** What it is called with, but for the access, for people. */
  String arguments(Registration registration);

  /** The memory, whose arena stays during the call. */
  MemorySegment segment();

  /** The request as it is judged. */
  default MrRequest judged(Registration registration) {
    MrRequest.Builder request = request(registration).access(registration.access());
    var uses = registration.usesOrNull();
    if (uses != null) {
      request.uses(uses);
    }
    return request.build();
  }
}
