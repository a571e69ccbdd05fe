package org.pinwise.registrar.lab;

import static org.pinwise.rules.model.AccessFlag.LOCAL_WRITE;
import static org.pinwise.rules.model.AccessFlag.ON_DEMAND;
import static org.pinwise.rules.model.AccessFlag.REMOTE_READ;
import static org.pinwise.rules.model.AccessFlag.REMOTE_WRITE;

import java.io.IOException;
import java.io.InputStream;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.pinwise.engine.MrValidator;
import org.pinwise.engine.RuleSet;
import org.pinwise.engine.cli.Main;
import org.pinwise.engine.facts.LiveHost;
import org.pinwise.registrar.MemoryRegistrar;
import org.pinwise.registrar.RegisteredRegion;
import org.pinwise.registrar.Registration;
import org.pinwise.registrar.RegistrationArena;
import org.pinwise.registrar.RegistrationOutcome;
import org.pinwise.registrar.RegistrationOutcome.Failed;
import org.pinwise.registrar.RegistrationOutcome.Refused;
import org.pinwise.registrar.RegistrationOutcome.Registered;
import org.pinwise.registrar.UnavailableException;
import org.pinwise.registrar.VerbsException;
import org.pinwise.rules.model.Access;

/**
 * The registrar on the guest's own devices: what it reads of them, its outcomes, and that the
 * kernel counts no region in the end. Prints a line for each check; exits with 0 if all held.
 */
final class RegistrarLab {

  private static final Access WRITE = Access.of(LOCAL_WRITE);

  private static int failures;

  private RegistrarLab() {}

  public static void main(String[] args) throws Exception {
    MrValidator validator = MrValidator.create(RuleSet.builtIn());
    for (String device : args.length == 0 ? new String[] {"rxe0", "siw0"} : args) {
      try (MemoryRegistrar registrar = MemoryRegistrar.open(device, validator)) {
        System.out.println(device + " " + registrar.device());
        System.out.println(device + " " + registrar.host());
        check(
            device + " is of driver " + device,
            registrar.device().driver() != null && device.startsWith(registrar.device().driver()));
        check(device + ": its transport is known", registrar.device().transport() != null);
        check(
            device + ": the host is known; " + LiveHost.read().reasons(),
            registrar.host().kernel() != null
                && registrar.host().pageSize() != null
                && registrar.host().memlock() != null
                && registrar.host().ipcLock() != null
                && registrar.host().pinnedPages() == null);
        outcomes(device, registrar);
        ownership(device, registrar);
      }
      commands(device);
      check(device + ": the kernel counts no region", kernelsRegions() == 0);
    }
    try (MemoryRegistrar unexpected = MemoryRegistrar.open("mlx5_0", validator)) {
      check("mlx5_0 does not open: " + unexpected, false);
    } catch (UnavailableException e) {
      check(
          e.reason() + ": " + e.getMessage(),
          e.reason() == UnavailableException.Reason.NO_SUCH_DEVICE);
    }
    System.exit(failures == 0 ? 0 : 1);
  }

  private static void outcomes(String device, MemoryRegistrar registrar) throws IOException {
    try (Arena arena = Arena.ofShared()) {
      MemorySegment memory = arena.allocate(65536, 4096);
      RegistrationOutcome plain =
          registrar.register(memory.asSlice(3, 5000), Access.of(LOCAL_WRITE, REMOTE_READ));
      check(device + ": registers; " + plain, plain instanceof Registered);
      try (RegisteredRegion region = plain.orElseThrow()) {
        check(
            device + ": " + region,
            region.lkey() != 0
                && region.address() == memory.address() + 3
                && region.length() == 5000
                && region.remoteAddress() == region.address()
                && !region.isSimulated());
        check(device + ": the kernel counts a region", kernelsRegions() == 1);
      }
      try (RegisteredRegion region =
          registrar
              .register(memory, Registration.of(LOCAL_WRITE, REMOTE_WRITE).iova(0))
              .orElseThrow()) {
        check(
            device + ": its iova is 0, but on siw: " + region,
            region.remoteAddress() == (device.startsWith("siw") ? region.address() : 0));
      }
      check(
          device + ": remote write alone is refused",
          registrar.register(memory, Access.of(REMOTE_WRITE)) instanceof Refused);
      RegistrationOutcome paging = registrar.register(memory, Access.of(ON_DEMAND));
      check(
          device + ": on-demand paging is refused; " + paging.verdict(), paging instanceof Refused);

      Path file = Files.write(Path.of("/tmp/mapped"), new byte[8192]);
      try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
        MemorySegment mapped = channel.map(FileChannel.MapMode.READ_ONLY, 0, 8192, arena);
        RegistrationOutcome outcome = registrar.register(mapped, WRITE);
        check(
            device + ": read-only memory fails, and is explained; " + outcome,
            outcome instanceof Failed failed
                && failed.isExplained()
                && failed.error().errnoName().equals("EFAULT"));
      }
      MemorySegment hole = MemorySegment.ofAddress(0x10000).reinterpret(4096);
      RegistrationOutcome outcome = registrar.register(hole, WRITE);
      check(
          device + ": unmapped memory fails, and is explained; " + outcome,
          outcome instanceof Failed failed && failed.isExplained());
    }
  }

  private static void ownership(String device, MemoryRegistrar registrar) throws IOException {
    RegisteredRegion region;
    try (RegistrationArena arena = registrar.openArena(WRITE)) {
      region = arena.allocateRegistered(1 << 20, 4096);
      arena.allocateRegistered(4096, 4096);
      check(device + ": the kernel counts two regions", kernelsRegions() == 2);
    }
    check(device + ": the arena gave them back", region.isClosed() && kernelsRegions() == 0);
    List<RegisteredRegion> left = new ArrayList<>();
    MemorySegment memory = Arena.ofAuto().allocate(4096, 4096);
    try (MemoryRegistrar other = MemoryRegistrar.open(device, registrar.validator())) {
      for (int i = 0; i < 100; i++) {
        left.add(other.register(memory, WRITE).orElseThrow());
      }
      check(device + ": the kernel counts 100 regions", kernelsRegions() == 100);
    } catch (VerbsException e) {
      check(e.toString(), false);
    }
    check(
        device + ": the registrar gave them back",
        left.stream().allMatch(RegisteredRegion::isClosed) && kernelsRegions() == 0);
  }

  private static void commands(String device) {
    String live = "--device=live:" + device;
    check(
        "register",
        pinwise("register", live, "--access=LOCAL_WRITE|REMOTE_READ", "--length=1MiB") == 0);
    check(
        "register, refused",
        pinwise("register", live, "--access=REMOTE_WRITE", "--length=1MiB") == 1);
    check("check", pinwise("check", live, "--access=LOCAL_WRITE", "--length=1MiB") == 0);
    check("probe", pinwise("probe", device) == 0);
    check("probe, another", pinwise("probe", device + "x") == 2);
  }

  private static int pinwise(String... arguments) {
    System.out.println("$ pinwise " + String.join(" ", arguments));
    return Main.run(System.out, System.out, InputStream.nullInputStream(), arguments);
  }

  /** How many memory regions the kernel counts, of all devices and processes. */
  private static long kernelsRegions() throws IOException {
    Process rdma = new ProcessBuilder("rdma", "resource").redirectErrorStream(true).start();
    String text = new String(rdma.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    List<MatchResult> counts = Pattern.compile(" mr (\\d+)").matcher(text).results().toList();
    if (counts.size() != 2) {
      throw new IllegalStateException("rdma resource says: " + text);
    }
    return counts.stream().mapToLong(count -> Long.parseLong(count.group(1))).sum();
  }

  private static void check(String what, boolean holds) {
    System.out.println((holds ? "ok   " : "FAIL ") + what);
    failures += holds ? 0 : 1;
  }
}
