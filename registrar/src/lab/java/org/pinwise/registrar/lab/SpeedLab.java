package org.pinwise.registrar.lab;

import static org.pinwise.rules.model.AccessFlag.LOCAL_WRITE;
import static org.pinwise.rules.model.AccessFlag.REMOTE_WRITE;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Locale;
import java.util.function.IntSupplier;
import org.pinwise.engine.MrValidator;
import org.pinwise.engine.RuleSet;
import org.pinwise.registrar.MemoryRegistrar;
import org.pinwise.registrar.RegisteredRegion;
import org.pinwise.registrar.Registration;
import org.pinwise.registrar.verbs.DeviceContext;
import org.pinwise.registrar.verbs.MemoryRegion;
import org.pinwise.registrar.verbs.ProtectionDomain;
import org.pinwise.registrar.verbs.Verbs;
import org.pinwise.rules.model.Access;

/**
 * What a registrar costs on a real kernel: registering and deregistering the same memory through
 * it, through the FFM port alone, and in C. From a warm JVM, in turns; medians of blocks. Prints a
 * row for the table of speeds for each comparison.
 */
final class SpeedLab {

  private static final String DEVICE = "rxe0";
  private static final long BYTES = 64 << 10;
  private static final int WARM_UP = 4_000;
  private static final int ROUNDS = 100;
  private static final int BLOCKS = 61;
  private static final int TURNS = 3;
  private static final double TARGET = 1.2;
  private static final Access ACCESS = Access.of(LOCAL_WRITE, REMOTE_WRITE);

  private static int sink;

  private SpeedLab() {}

  public static void main(String[] args) throws IOException, InterruptedException {
    Verbs verbs = Verbs.system();
    DeviceContext context = verbs.openDevice(DEVICE).orElseThrow(SpeedLab::failed);
    ProtectionDomain pd = verbs.allocPd(context).orElseThrow(SpeedLab::failed);
    try (MemoryRegistrar registrar =
            MemoryRegistrar.open(DEVICE, MrValidator.create(RuleSet.builtIn()));
        Arena arena = Arena.ofShared()) {
      MemorySegment memory = arena.allocate(BYTES, 4096).fill((byte) 1);
      IntSupplier bare =
          () -> {
            MemoryRegion region =
                verbs.regMrRange(pd, memory, BYTES, ACCESS.bits()).orElseThrow(SpeedLab::failed);
            int key = region.lkey();
            return verbs.deregMr(region) == 0 ? key : 0;
          };
      IntSupplier ours =
          () -> {
            try (RegisteredRegion region = registrar.register(memory, ACCESS).orElseThrow()) {
              return region.lkey();
            }
          };
      Registration asked = Registration.of(ACCESS);
      IntSupplier verdict = () -> registrar.check(memory, asked).errno().size();
      for (int turn = 0; turn < TURNS; turn++) {
        run(bare, WARM_UP);
        run(ours, WARM_UP);
        run(verdict, WARM_UP);
      }
      double[] nanosOfOurs = new double[BLOCKS * TURNS];
      double[] nanosOfBare = new double[BLOCKS * TURNS];
      double[] nanosOfVerdict = new double[BLOCKS * TURNS];
      double[] nanosInC = new double[TURNS];
      for (int turn = 0; turn < TURNS; turn++) {
        nanosInC[turn] = nanosInC();
        for (int block = turn * BLOCKS; block < (turn + 1) * BLOCKS; block++) {
          nanosOfBare[block] = run(bare, ROUNDS);
          nanosOfOurs[block] = run(ours, ROUNDS);
          nanosOfVerdict[block] = run(verdict, ROUNDS);
        }
      }
      double[] parts = {median(nanosOfOurs), median(nanosOfBare), median(nanosOfVerdict)};
      print("bare FFM", parts[0], parts[1], parts);
      print("the same loop in C", parts[0], median(nanosInC), parts);
    }
    verbs.deallocPd(pd);
    verbs.closeDevice(context);
    System.exit(sink == 0 ? 1 : 0);
  }

  private static IllegalStateException failed(int errno) {
    return new IllegalStateException("errno " + errno);
  }

  /** Nanoseconds of a round. */
  private static double run(IntSupplier round, int rounds) {
    long start = System.nanoTime();
    for (int i = 0; i < rounds; i++) {
      sink |= round.getAsInt();
    }
    return (System.nanoTime() - start) / (double) rounds;
  }

  private static double nanosInC() throws IOException, InterruptedException {
    Process process =
        new ProcessBuilder(
                "/payload/registration-loop",
                DEVICE,
                Long.toString(BYTES),
                Integer.toString(ROUNDS),
                Integer.toString(BLOCKS))
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    String printed = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    if (process.waitFor() != 0) {
      throw new IllegalStateException("registration-loop ended with " + process.exitValue());
    }
    return Double.parseDouble(printed.strip());
  }

  private static double median(double[] values) {
    double[] sorted = values.clone();
    Arrays.sort(sorted);
    return sorted[sorted.length / 2];
  }

  /** Prints a row and, where it misses its target, what it consists of. */
  private static void print(String beside, double ours, double reference, double[] parts) {
    String row =
        "register + deregister 64 KiB in the lab (%s, emulated), beside %s"
            .formatted(DEVICE, beside);
    System.out.printf(
        Locale.ROOT,
        "{\"row\":\"%s\",\"ours\":%.2f,\"unit\":\"us\",\"reference\":%.2f,\"referenceIs\":\"\","
            + "\"atMostTimes\":%.1f}%n",
        row,
        ours / 1000,
        reference / 1000,
        TARGET);
    if (ours > TARGET * reference) {
      System.out.printf(
          Locale.ROOT,
          "{\"profile\":\"%s\",\"text\":\"%.1f us the two calls alone\\n%.1f us the verdict\\n"
              + "%.1f us the rest: the region and its owners\\n\"}%n",
          row,
          parts[1] / 1000,
          parts[2] / 1000,
          (parts[0] - parts[1] - parts[2]) / 1000);
    }
  }
}
