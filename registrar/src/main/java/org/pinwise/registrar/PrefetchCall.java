package org.pinwise.registrar;

import java.util.ArrayList;
import java.util.List;
import org.pinwise.registrar.verbs.ScatterGather;

/** Advice about parts of regions: as many calls of {@code ibv_advise_mr} as it takes. */
final class PrefetchCall {

  /** How many parts one call takes: the kernel's attribute is shorter than 64 KiB. */
  private static final int PARTS_OF_A_CALL = 0xffff / 16;

  /** How long a part of a call may be, in whole pages: its length has 32 bits. */
  private static final long LONGEST_PART = 0xffff_f000L;

  /** No process has a longer stretch of addresses: 47 bits on most machines. */
  private static final long ADDRESS_SPACE = 1L << 48;

  /** {@code IBV_ADVISE_MR_FLAG_FLUSH}. */
  private static final int FLUSH = 1;

  private final MemoryRegistrar registrar;
  private final Prefetch what;
  private final boolean waits;

  PrefetchCall(MemoryRegistrar registrar, Prefetch what, boolean waits) {
    this.registrar = registrar;
    this.what = what;
    this.waits = waits;
  }

  void run(List<RegisteredMemory.Part> parts) {
    List<ScatterGather> list = entries(parts);
    List<RegionLease> leases = new ArrayList<>();
    Failures failures = new Failures();
    failures.run(() -> {
      for (RegisteredMemory.Part part : parts) {
        leases.add(part.region().lease());
      }
      for (int i = 0; i < list.size(); i += PARTS_OF_A_CALL) {
        call(list.subList(i, Math.min(i + PARTS_OF_A_CALL, list.size())));
      }
    });
    for (RegionLease lease : leases) {
      failures.run(lease::close);
    }
    failures.rethrow();
  }

  private List<ScatterGather> entries(List<RegisteredMemory.Part> parts) {
    if (parts.isEmpty()) {
      throw new IllegalArgumentException("no part to prefetch\nMaybe the range was empty.");
    }
    List<ScatterGather> list = new ArrayList<>();
    for (RegisteredMemory.Part part : parts) {
      if (!part.region().registrar().equals(registrar)) {
        throw new IllegalArgumentException(
            part.region() + " is not of " + registrar + "\nMaybe two registrars are mixed.");
      }
      if (part.length() <= 0 || part.length() > ADDRESS_SPACE) {
        throw new IllegalArgumentException(
            "part of %s bytes, of 1 to %d\nMaybe it is of a region of the whole address space."
                .formatted(Long.toUnsignedString(part.length()), ADDRESS_SPACE));
      }
      for (long done = 0; done < part.length(); done += LONGEST_PART) {
        long length = Math.min(part.length() - done, LONGEST_PART);
        list.add(new ScatterGather(part.remoteAddress() + done, (int) length, part.lkey()));
      }
    }
    return list;
  }

  private void call(List<ScatterGather> parts) {
    int errno =
        registrar
            .verbs()
            .adviseMr(registrar.pd(), what.advice(), waits ? FLUSH : 0, List.copyOf(parts));
    if (errno != 0) {
      ScatterGather first = parts.getFirst();
      throw new VerbsException(
          "ibv_advise_mr",
          "%s, prefetch %s%s, %d part(s), the first at 0x%x, length %s, lkey 0x%x%s"
              .formatted(
                  registrar.deviceName(),
                  what,
                  waits ? " and wait" : "",
                  parts.size(),
                  first.address(),
                  Integer.toUnsignedString(first.length()),
                  first.lkey(),
                  registrar.isSimulated() ? "; simulated" : ""),
          errno);
    }
  }
}
