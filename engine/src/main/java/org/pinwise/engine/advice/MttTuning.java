package org.pinwise.engine.advice;

import java.util.List;
import org.pinwise.rules.model.Size;

/**
 * What larger tables of mlx4's address translations give and cost. Recipes that go round recommend
 * {@code log_num_mtt} of 22, 24 and 26 for ConnectX cards in general; it is a parameter of a
 * vendor's mlx4_core only, and every step of two takes four times the entries.
 *
 * @param purpose what a recipe recommends it for
 * @param logNumMtt the value of the parameter
 * @param capacity how many bytes can be registered with it, with the other parameter as it is
 * @param table how many bytes of host memory a full table takes
 * @param growth how many times the entries of {@code log_num_mtt} 20
 */
public record MttTuning(String purpose, int logNumMtt, long capacity, long table, long growth) {
  private static final int USUAL = 20;

  /** The size of an entry that firmware reports: mtt_entry_sz of QUERY_DEV_CAP. */
  private static final long ENTRY = 8;

  /**
   * Returns the steps.
   *
   * @param logMttsPerSeg the other parameter
   * @param pageSize the size of the memory's pages in bytes
   */
  public static List<MttTuning> steps(int logMttsPerSeg, long pageSize) {
    return List.of(
        step("as it comes", USUAL, logMttsPerSeg, pageSize),
        step("many small messages", 22, logMttsPerSeg, pageSize),
        step("bulk transfer", 24, logMttsPerSeg, pageSize),
        step("persistent memory", 26, logMttsPerSeg, pageSize));
  }

  private static MttTuning step(String purpose, int log, int logMttsPerSeg, long pageSize) {
    long entries = 1L << (log + logMttsPerSeg);
    return new MttTuning(
        purpose,
        log,
        Capacity.times(entries, pageSize),
        Capacity.times(entries, ENTRY),
        1L << (log - USUAL));
  }

  /** Returns the step in words. */
  @Override
  public String toString() {
    return "log_num_mtt=%d (%s): %s can be registered; %d times the entries, %s of host memory"
        .formatted(logNumMtt, purpose, Size.text(capacity), growth, Size.text(table));
  }
}
