package org.pinwise.registrar.lab;

import static org.pinwise.rules.model.AccessFlag.LOCAL_WRITE;

import java.io.BufferedReader;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.pinwise.engine.MrValidator;
import org.pinwise.engine.RuleSet;
import org.pinwise.engine.cli.Main;
import org.pinwise.registrar.MemoryRegistrar;
import org.pinwise.registrar.RegisteredRegion;
import org.pinwise.registrar.Registration;
import org.pinwise.registrar.monitor.RegistrarMonitor;
import org.pinwise.rules.model.Access;

/**
 * {@code pinwise monitor} and {@code pinwise trace} in a process of their own, on the kernel's own
 * lists: what both know is no difference, and a region that was registered past the monitor is one.
 * Prints a line for each check; exits with 0 if all held.
 */
final class MonitorLab {
  private static int failures;

  private MonitorLab() {}

  public static void main(String[] args) throws Exception {
    MrValidator validator = MrValidator.create(RuleSet.builtIn());
    try (MemoryRegistrar watched = MemoryRegistrar.open("rxe0", validator);
        MemoryRegistrar unwatched = MemoryRegistrar.open("rxe0", validator);
        RegistrarMonitor monitor = RegistrarMonitor.open(watched);
        Arena arena = Arena.ofShared()) {
      MemorySegment memory = arena.allocate(1 << 20, 4096);
      RegisteredRegion known =
          watched
              .register(memory, Registration.of(LOCAL_WRITE).label("ring of the lab"))
              .orElseThrow();
      Process child = monitor("--pid", String.valueOf(ProcessHandle.current().pid()));
      try (BufferedReader lines = child.inputReader(StandardCharsets.UTF_8)) {
        String first = line(lines);
        check(
            monitor.beanName() + " is seen: " + first,
            first.contains("\"origin\":\"ring of the lab\"")
                && first.contains("\"lkey\":\"0x%x\"".formatted(known.lkey())));
        check("the kernel tells the same key", count(first, known.lkey()) == 4);
        check("the process has pinned it", first.contains("\"pinnedBytes\":" + (1 << 20)));
        check("what both know is no difference", first.contains("\"differences\":[]"));
        check("nothing is amiss", first.contains("\"problems\":[]"));

        RegisteredRegion past =
            unwatched.register(memory.asSlice(0, 8192), Access.of(LOCAL_WRITE)).orElseThrow();
        String second = line(lines);
        for (int i = 0; i < 3 && second.contains("\"differences\":[]"); i++) {
          second = line(lines);
        }
        check(
            "what was registered past it is named: " + second,
            second.contains(
                    "\"device\":\"rxe0\",\"byKey\":true,\"kernelOnly\":[{\"device\":\"rxe0\"")
                && second.contains("\"jvmOnly\":[]")
                && count(second, past.lkey()) == 4);
        past.close();
      } finally {
        child.destroy();
        child.waitFor();
      }
      known.close();
    }
    trace();
    System.exit(failures == 0 ? 0 : 1);
  }

  private static Process monitor(String... options) throws IOException {
    String[] command = {
      Path.of(System.getProperty("java.home"), "bin", "java").toString(),
      "-XX:+UseSerialGC",
      "-XX:TieredStopAtLevel=1",
      "--enable-native-access=ALL-UNNAMED",
      "-cp",
      System.getProperty("java.class.path"),
      Main.class.getName(),
      "monitor",
      "--format=json",
      "--interval=1s",
      options[0],
      options[1]
    };
    return new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
  }

  private static String line(BufferedReader lines) throws IOException {
    String line = lines.readLine();
    return line == null ? "" : line;
  }

  /** How often a key is there; a soft-RoCE region has one for both, and each list shows both. */
  private static int count(String text, int key) {
    return text.split("\"0x%x\"".formatted(key), -1).length - 1;
  }

  private static void trace() {
    ByteArrayOutputStream printed = new ByteArrayOutputStream();
    PrintStream out = new PrintStream(printed, true, StandardCharsets.UTF_8);
    int exit = Main.run(out, out, InputStream.nullInputStream(), "trace");
    String text = printed.toString(StandardCharsets.UTF_8);
    check(
        "trace names what this kernel and library have",
        exit == 0
            && text.contains("kprobe:rxe_reg_user_mr")
            && text.contains("kprobe:siw_reg_user_mr")
            && text.contains("kprobe:ib_umem_get")
            && text.contains("@us_ibv_reg_mr_iova2")
            && !text.contains("not known: the kernel"));
  }

  private static void check(String what, boolean holds) {
    System.out.println((holds ? "ok   " : "FAIL ") + what);
    failures += holds ? 0 : 1;
  }
}
