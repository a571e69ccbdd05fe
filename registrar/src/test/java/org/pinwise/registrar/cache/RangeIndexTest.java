package org.pinwise.registrar.cache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.pinwise.rules.model.AccessFlag.LOCAL_WRITE;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.pinwise.registrar.MemoryRegistrar;
import org.pinwise.registrar.RegisteredRegion;
import org.pinwise.rules.model.Access;

/** The index against a sorted map, over thousands of entries that come and go. */
class RangeIndexTest {

  private static final long SEED = 20260731;
  private static final long SLOT = 4096;
  private static final int SLOTS = 6000;

  private final Arena arena = Arena.ofShared();
  private final MemorySegment memory = arena.allocate(SLOTS * SLOT, SLOT);
  private final long base = memory.address();

  @AfterEach
  void free() {
    arena.close();
  }

  @Test
  void findsWhatASortedMapFinds() {
    Random random = new Random(SEED);
    RangeIndex index = new RangeIndex();
    TreeMap<Long, Entry> model = new TreeMap<>();
    try (MemoryRegistrar registrar = MemoryRegistrar.simulated("connectx5");
        RegionCache cache = RegionCache.on(registrar, CacheOptions.DEFAULT, () -> 0)) {
      Lane lane = new Lane(Access.of(LOCAL_WRITE));
      for (int step = 0; step < 20_000; step++) {
        boolean grow = step / 4000 % 2 == 0; // so that leaves split, and join again
        long slot = base + random.nextInt(SLOTS) * SLOT;
        Map.Entry<Long, Entry> near = model.floorEntry(slot);
        if (random.nextInt(10) < (grow ? 9 : 2)) {
          if (near == null || near.getValue().end <= slot) {
            Entry entry = new Entry(cache, lane, region(registrar, slot, SLOT / 2), step, 0);
            model.put(slot, entry);
            index.add(entry);
          }
        } else if (near != null) {
          model.remove(near.getKey());
          index.remove(near.getValue());
          index.remove(near.getValue());
        }
        long address = base + random.nextLong(SLOTS * SLOT);
        Map.Entry<Long, Entry> expected = model.floorEntry(address);
        assertThat(index.floor(address)).isSameAs(expected == null ? null : expected.getValue());
        if (expected != null) {
          // Twice: by the order, and by the hint that this has left.
          Entry covering = address < expected.getValue().end ? expected.getValue() : null;
          assertThat(index.covering(address, address + 1)).isSameAs(covering);
          assertThat(index.covering(address, address + 1)).isSameAs(covering);
          assertThat(index.covering(address, expected.getValue().end + 1)).isNull();
        }
        if (step % 100 == 0) {
          long to = address + random.nextInt(64) * SLOT + 1;
          assertThat(index.overlapping(address, to))
              .containsExactlyInAnyOrderElementsOf(
                  model.values().stream().filter(e -> e.start < to && address < e.end).toList());
          List<Entry> all = new ArrayList<>();
          index.forEach(all::add);
          assertThat(all).containsExactlyElementsOf(model.values());
          assertThat(index.size()).isEqualTo(model.size());
        }
      }
    }
  }

  /** Regions with whole blocks of each size, and what is left of them at either end. */
  @Test
  void noHintOutlivesItsEntry() {
    long huge = 2 << 20;
    RangeIndex index = new RangeIndex();
    try (MemoryRegistrar registrar = MemoryRegistrar.simulated("connectx5");
        RegionCache cache = RegionCache.on(registrar, CacheOptions.DEFAULT, () -> 0)) {
      Lane lane = new Lane(Access.of(LOCAL_WRITE));
      long start = base + 4096 + 100;
      long length = SLOTS * SLOT - 3 * 4096;
      assertThat(length).isGreaterThan(4 * huge);
      Entry large = new Entry(cache, lane, region(registrar, start, length), 0, 0);
      index.add(large);
      for (long address = start; address < start + length; address += 1000) {
        assertThat(index.covering(address, address + 1)).isSameAs(large);
      }
      int number = large.indexNumber;

      index.remove(large);

      assertThat(index.covering(start, start + 1)).isNull();
      // Another has its number, to which its hints lead.
      Entry small = new Entry(cache, lane, region(registrar, start, 500), 1, 0);
      index.add(small);
      assertThat(small.indexNumber).isEqualTo(number).isPositive();
      for (long address = start + 500; address < start + length; address += 1000) {
        assertThat(index.covering(address, address + 1)).isNull();
      }
      assertThat(index.covering(start + 10, start + 20)).isSameAs(small);
      assertThat(index.covering(start + 10, start + 600)).isNull();
    }
  }

  /** Readers leave hints while entries come and go; they never get what does not cover. */
  @Test
  void hintsAreCheckedUnderRaces() throws Exception {
    RangeIndex index = new RangeIndex();
    try (MemoryRegistrar registrar = MemoryRegistrar.simulated("connectx5");
        RegionCache cache = RegionCache.on(registrar, CacheOptions.DEFAULT, () -> 0)) {
      Lane lane = new Lane(Access.of(LOCAL_WRITE));
      List<RegisteredRegion> regions = new ArrayList<>();
      for (int i = 0; i < 8; i++) {
        regions.add(region(registrar, base + i * SLOT, SLOT));
      }
      AtomicBoolean stop = new AtomicBoolean();
      AtomicLong wrong = new AtomicLong();
      Thread reader =
          Thread.ofPlatform()
              .start(() -> {
                Random random = new Random(SEED);
                while (!stop.get()) {
                  long from = base + random.nextLong(8 * SLOT - 1);
                  Entry found = index.covering(from, from + 1);
                  wrong.addAndGet(found == null || found.covers(from, from + 1) ? 0 : 1);
                }
              });
      Random random = new Random(SEED);
      Entry[] entries = new Entry[8];
      for (int round = 0; round < 50_000; round++) {
        int i = random.nextInt(8);
        Entry old = entries[i];
        if (old == null) {
          entries[i] = new Entry(cache, lane, regions.get(i), round, 0);
          index.add(entries[i]);
        } else {
          assertThat(old.doom()).isTrue();
          index.remove(old);
          assertThat(index.covering(old.start, old.end)).isNull();
          entries[i] = null;
        }
      }
      stop.set(true);
      reader.join();
      assertThat(wrong.get()).isZero();
    }
  }

  /** Overlap without covering: several reach into a range from the left. */
  @Test
  void overlappingLooksToTheLeft() {
    RangeIndex index = new RangeIndex();
    try (MemoryRegistrar registrar = MemoryRegistrar.simulated("connectx5");
        RegionCache cache = RegionCache.on(registrar, CacheOptions.DEFAULT, () -> 0)) {
      Lane lane = new Lane(Access.of(LOCAL_WRITE));
      List<Entry> entries = new ArrayList<>();
      for (int i = 0; i < 500; i++) {
        Entry entry = new Entry(cache, lane, region(registrar, base + i, 100), i, 0);
        entries.add(entry);
        index.add(entry);
      }
      assertThat(index.overlapping(base + 300, base + 301))
          .containsExactlyInAnyOrderElementsOf(entries.subList(201, 301));
      assertThat(index.floor(base - 1)).isNull();
      assertThat(index.overlapping(0, base)).isEmpty();
      assertThat(index.overlapping(base + 599, base + 1000)).isEmpty();
    }
  }

  private RegisteredRegion region(MemoryRegistrar registrar, long address, long length) {
    return registrar
        .register(memory.asSlice(address - base, length), Access.of(LOCAL_WRITE))
        .orElseThrow();
  }
}
