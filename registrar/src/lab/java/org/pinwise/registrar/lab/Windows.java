package org.pinwise.registrar.lab;

import static org.pinwise.rules.model.AccessFlag.LOCAL_WRITE;
import static org.pinwise.rules.model.AccessFlag.MW_BIND;
import static org.pinwise.rules.model.AccessFlag.REMOTE_ATOMIC;
import static org.pinwise.rules.model.AccessFlag.REMOTE_READ;
import static org.pinwise.rules.model.AccessFlag.REMOTE_WRITE;
import static org.pinwise.rules.model.AccessFlag.ZERO_BASED;

import java.nio.file.Path;
import java.util.List;
import org.pinwise.engine.MrValidator;
import org.pinwise.engine.Rejected;
import org.pinwise.engine.Verdict;
import org.pinwise.rules.model.Access;
import org.pinwise.rules.model.Device;
import org.pinwise.rules.model.Errno;
import org.pinwise.rules.model.Facts;
import org.pinwise.rules.model.Host;
import org.pinwise.rules.model.MrRequest;
import org.pinwise.rules.model.Verb;

/**
 * Real memory windows: what is said of a region that is registered for windows, and of a bind,
 * against what {@code ibv_bind_mw} returns and how the bind completes.
 */
final class Windows {
  private static final long LENGTH = 4096;

  private final String name;
  private final MrValidator validator;
  private final Device device;
  private final Host host;
  private final WireLab.Report report;

  Windows(String name, MrValidator validator, Device device, Host host, WireLab.Report report) {
    this.name = name;
    this.validator = validator;
    this.device = device;
    this.host = host;
    this.report = report;
  }

  void run() {
    try (WirePeer peer = new WirePeer(Path.of("/payload/wire-peer"), name)) {
      if (!"rxe".equals(device.driver())) {
        // Nothing can be bound where no window is allocated.
        WirePeer.Bind bind = peer.bind(Access.of(MW_BIND), Access.of(REMOTE_READ), LENGTH);
        report.expect(name + ": ibv_alloc_mw", Errno.EOPNOTSUPP.number(), bind.allocated());
        called(Access.of(MW_BIND), Access.of(REMOTE_READ), bind.allocated());
        report.expect("  said of the region", true, says(Access.of(MW_BIND, LOCAL_WRITE), "MR027"));
        return;
      }
      for (Access region :
          List.of(
              Access.of(MW_BIND),
              Access.of(MW_BIND, LOCAL_WRITE),
              Access.of(MW_BIND, REMOTE_READ),
              Access.of(LOCAL_WRITE))) {
        for (Access window :
            List.of(
                Access.of(REMOTE_READ),
                Access.of(REMOTE_WRITE),
                Access.of(REMOTE_ATOMIC),
                Access.of(REMOTE_READ, REMOTE_WRITE, REMOTE_ATOMIC),
                Access.of(REMOTE_READ, ZERO_BASED))) {
          bind(peer, region, window);
        }
      }
      bind(peer, Access.of(MW_BIND, LOCAL_WRITE), Access.of(REMOTE_WRITE), 2 * LENGTH, false);
    }
  }

  private void bind(WirePeer peer, Access region, Access window) {
    boolean writes = window.has(REMOTE_WRITE) || window.has(REMOTE_ATOMIC);
    boolean holds =
        region.has(MW_BIND) && (!writes || region.has(LOCAL_WRITE)) && !window.has(ZERO_BASED);
    bind(peer, region, window, LENGTH, holds);
    if (region.has(MW_BIND) && writes) {
      // What MR023 warns of when the region is registered is what came of the bind.
      report.expect("  MR023 says so of the region", !holds, says(region, "MR023"));
    }
  }

  private void bind(WirePeer peer, Access region, Access window, long length, boolean holds) {
    WirePeer.Bind bind = peer.bind(region, window, length);
    report.expect(
        "%s: window %s of %d bytes on region %s, errno %d, completion %d"
            .formatted(name, window, length, region, bind.returned(), bind.status()),
        holds,
        bind.allocated() == 0 && bind.returned() == 0 && bind.status() == WirePeer.SUCCESS);
    called(region, window, bind.returned());
  }

  /** The verdict on the bind must be what {@code ibv_bind_mw} returned. */
  private void called(Access region, Access window, int errno) {
    MrRequest request = MrRequest.ofLength(LENGTH).verb(Verb.BIND_MW).access(window).build();
    Verdict verdict = validator.validate(facts(request));
    boolean right =
        errno == 0
            ? !(verdict instanceof Rejected)
            : verdict.errno().stream().map(Errno::number).toList().equals(List.of(errno));
    report.expect("  said of the bind: " + verdict.decision() + " " + verdict.errno(), true, right);
  }

  private boolean says(Access region, String room) {
    Verdict verdict = validator.validate(facts(MrRequest.ofLength(LENGTH).access(region).build()));
    return verdict.findings().stream().anyMatch(finding -> finding.rule().startsWith(room));
  }

  private Facts facts(MrRequest request) {
    return Facts.of(request).withDevice(device).withHost(host);
  }
}
