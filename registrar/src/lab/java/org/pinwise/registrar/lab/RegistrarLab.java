package org.pinwise.registrar.lab;

import static org.pinwise.rules.model.AccessFlag.LOCAL_WRITE;
import static org.pinwise.rules.model.AccessFlag.MW_BIND;
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
import java.util.Map;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.pinwise.engine.MrValidator;
import org.pinwise.engine.Profile;
import org.pinwise.engine.RuleSet;
import org.pinwise.engine.cli.Main;
import org.pinwise.engine.facts.LiveHost;
import org.pinwise.registrar.DmaBuf;
import org.pinwise.registrar.MemoryRegistrar;
import org.pinwise.registrar.Prefetch;
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
import org.pinwise.rules.model.Errno;

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
        dmabuf(device, registrar);
        prefetch(device, registrar);
        boundWindow(device, registrar);
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

  /** A real dma-buf, of which these drivers say that they import none: rules and kernel agree. */
  private static void dmabuf(String device, MemoryRegistrar registrar) {
    int fd = Libc.dmabuf(1 << 20);
    DmaBuf part = new DmaBuf(fd, 0, 1 << 20);
    RegistrationOutcome outcome = registrar.registerDmaBuf(part, Registration.of(WRITE));
    check(
        device + ": a dma-buf is refused; " + outcome.verdict(),
        outcome instanceof Refused(var verdict)
            && verdict.errno().equals(Set.of(Errno.EOPNOTSUPP)));
    Profile.Setting off = new Profile.Setting(null, "to ask the kernel", Map.of(), "here");
    MrValidator without =
        MrValidator.create(RuleSet.builtIn().with(new Profile("lab", Map.of("MR020", off))));
    try (MemoryRegistrar asking = MemoryRegistrar.open(device, without)) {
      RegistrationOutcome asked = asking.registerDmaBuf(part, Registration.of(WRITE));
      check(
          device + ": and the library and the kernel say so; " + asked,
          asked instanceof Failed failed
              && failed.error().operation().equals("ibv_reg_dmabuf_mr")
              && failed.error().errno() == Errno.EOPNOTSUPP.number());
    } finally {
      Libc.close(fd);
    }
  }

  private static void prefetch(String device, MemoryRegistrar registrar) {
    MemorySegment memory = Arena.ofAuto().allocate(4096, 4096);
    try (RegisteredRegion region = registrar.register(memory, WRITE).orElseThrow()) {
      for (Prefetch what : Prefetch.values()) {
        try {
          registrar.prefetchAndWait(what, region.split(0, 4096));
          check(device + ": takes no advice", false);
        } catch (VerbsException e) {
          check(
              device + ": " + e.getMessage(),
              e.operation().equals("ibv_advise_mr") && e.errno() == Errno.EOPNOTSUPP.number());
        }
      }
      check(device + ": no lease is left", region.leases() == 0);
    }
  }

  /** A region with a window bound to it is not given back, and stays as it was. */
  private static void boundWindow(String device, MemoryRegistrar registrar) throws IOException {
    if (!device.startsWith("rxe")) {
      return; // siw has no windows
    }
    MemorySegment memory = Arena.ofAuto().allocate(4096, 4096);
    RegisteredRegion region =
        registrar.register(memory, Access.of(LOCAL_WRITE, MW_BIND)).orElseThrow();
    try (BoundWindow _ = new BoundWindow(region)) {
      for (int i = 0; i < 2; i++) {
        try {
          region.close();
          check(device + ": a region with a bound window was given back", false);
        } catch (VerbsException e) {
          check(
              device + ": " + e.getMessage(),
              e.operation().equals("ibv_dereg_mr")
                  && e.errno() == Errno.EINVAL.number()
                  && e.getMessage().contains("a memory window is still bound"));
        }
      }
      check(device + ": it is as open as before", !region.isClosed() && region.leases() == 0);
      try (BoundWindow _ = new BoundWindow(region)) {
        check(device + ": and takes another window", true);
      }
      // ib_dereg_mr_user, core/verbs.c: it is taken off the list before the driver is asked.
      check(device + ": the kernel lists it no more", kernelsRegions() == 0);
    }
    region.close();
    check(device + ": given back after the window", region.isClosed() && kernelsRegions() == 0);
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
  static long kernelsRegions() throws IOException {
    Process rdma = new ProcessBuilder("rdma", "resource").redirectErrorStream(true).start();
    String text = new String(rdma.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    List<MatchResult> counts = Pattern.compile(" mr (\\d+)").matcher(text).results().toList();
    if (counts.size() != 2) {
      throw new IllegalStateException("rdma resource says: " + text);
    }
    return counts.stream().mapToLong(count -> Long.parseLong(count.group(1))).sum();
  }

  /** How many KiB the kernel counts as pinned by this process: VmPin. */
  static long pinned() throws IOException {
    return Files.readAllLines(Path.of("/proc/self/status")).stream()
        .filter(line -> line.startsWith("VmPin:"))
        .mapToLong(line -> Long.parseLong(line.replaceAll("\\D", "")))
        .findFirst()
        .orElseThrow();
  }

  private static void check(String what, boolean holds) {
    System.out.println((holds ? "ok   " : "FAIL ") + what);
    failures += holds ? 0 : 1;
  }
}
