package org.pinwise.engine.lint;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import net.jqwik.api.RandomGenerator;
import net.jqwik.api.Shrinkable;
import net.jqwik.api.sessions.JqwikSession;

/**
 * Fuzzes every reader with as many texts as {@code -Dpinwise.fuzz} says, a million if nothing is
 * said: {@code java .. org.pinwise.engine.lint.ReaderFuzz}. {@code -Dpinwise.fuzz.seed} repeats a
 * run. It ends with 1 where something is found, and says what.
 */
public final class ReaderFuzz {
  private static final int GENERATIONS = 1_000;

  private ReaderFuzz() {}

  /** Runs it; a line of JSON on standard output says what it did. */
  public static void main(String[] args) {
    int inputs = Integer.getInteger("pinwise.fuzz", 1_000_000);
    long seed = Long.getLong("pinwise.fuzz.seed", new Random().nextLong());
    long start = System.nanoTime();
    try {
      JqwikSession.run(() -> run(Readers.ALL, inputs, seed));
    } catch (AssertionError e) {
      e.printStackTrace();
      System.exit(1);
    }
    System.out.printf(
        "{\"row\":\"fuzz of the readers, %,d texts (seed %d)\",\"ours\":%d,\"unit\":\"s\"}%n",
        inputs, seed, (System.nanoTime() - start) / 1_000_000_000);
  }

  /**
   * Reads so many inputs.
   *
   * @throws AssertionError at the first that a reader does not take, with the seed and the text
   */
  static void run(List<ConfigReader> readers, int inputs, long seed) {
    RandomGenerator<Fuzz.Input> generator = Fuzz.inputs().generator(GENERATIONS);
    Random random = new Random(seed);
    for (int i = 0; i < inputs; i++) {
      Fuzz.Input input = generator.next(random).value();
      try {
        check(readers, input);
      } catch (RuntimeException | AssertionError | StackOverflowError e) {
        throw new AssertionError("seed %d, input %d, %s".formatted(seed, i, input), e);
      }
    }
  }

  /** Lets an input's reader read it, and now and then another: a name may be another format's. */
  static void check(List<ConfigReader> readers, Fuzz.Input input) {
    Fuzz.of(readers, input).ifPresent(reader -> Fuzz.check(reader, input));
    int other = Math.floorMod(input.text().hashCode(), readers.size() * 4);
    if (other < readers.size()) {
      Fuzz.check(readers.get(other), input);
    }
  }

  static List<Fuzz.Input> drawn(int inputs, long seed) {
    RandomGenerator<Fuzz.Input> generator = Fuzz.inputs().generator(GENERATIONS);
    Random random = new Random(seed);
    List<Fuzz.Input> drawn = new ArrayList<>();
    for (int i = 0; i < inputs; i++) {
      Shrinkable<Fuzz.Input> next = generator.next(random);
      drawn.add(next.value());
    }
    return drawn;
  }
}
