package org.pinwise.registrar;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.lang.ref.Cleaner;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Remembers where each open lease was taken, and says so when one is lost. For debugging. */
final class LeaseTracker {

  private static final Logger LOG = System.getLogger(RegionLease.class.getName());
  private static final int FRAMES = 12;

  /** Not the caller's: its frames are left out. */
  private static final Set<String> OURS =
      Set.of(
          LeaseTracker.class.getName(),
          RegisteredRegion.class.getName(),
          MemoryRegistrar.class.getPackageName() + ".cache.Entry",
          MemoryRegistrar.class.getPackageName() + ".cache.RegionCache");

  private final RegistrarListener listener;
  private final Cleaner cleaner = Cleaner.create();
  private final Set<Site> open = ConcurrentHashMap.newKeySet();

  LeaseTracker(RegistrarListener listener) {
    this.listener = listener;
  }

  /** Makes a lease of the caller's caller, and remembers its frames. */
  RegionLease track(RegisteredRegion region) {
    Site site = new Site(this, region, frames());
    RegionLease lease = new RegionLease(region, site);
    open.add(site);
    site.cleanable = cleaner.register(lease, site::lost);
    return lease;
  }

  private static String frames() {
    return StackWalker.getInstance()
        .walk(frames ->
            frames
                .dropWhile(frame -> OURS.contains(frame.getClassName()))
                .limit(FRAMES)
                .map(frame -> "  at " + frame)
                .collect(Collectors.joining("\n")));
  }

  List<String> sitesOf(RegisteredRegion region) {
    return open.stream().filter(site -> site.isOf(region)).map(site -> site.where).toList();
  }

  /** Where a lease was taken. Does not know the lease, which would keep it from becoming lost. */
  static final class Site {
    private final LeaseTracker tracker;
    private final RegisteredRegion region;
    private final String where;
    private Cleaner.@Nullable Cleanable cleanable;

    private Site(LeaseTracker tracker, RegisteredRegion region, String where) {
      this.tracker = tracker;
      this.region = region;
      this.where = where;
    }

    private boolean isOf(RegisteredRegion other) {
      return region == other;
    }

    void closed() {
      tracker.open.remove(this);
      if (cleanable != null) {
        cleanable.clean();
      }
    }

    private void lost() {
      if (tracker.open.contains(this)) { // else it was closed
        LOG.log(Level.WARNING, "a lease was lost without being closed: " + region + "\n" + where);
        tracker.listener.leaseLost(region, where);
      }
    }
  }
}
