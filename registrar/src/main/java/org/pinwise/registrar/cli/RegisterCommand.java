package org.pinwise.registrar.cli;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import org.pinwise.engine.Assumptions;
import org.pinwise.engine.MrValidator;
import org.pinwise.engine.Verdict;
import org.pinwise.engine.cli.CliContext;
import org.pinwise.engine.cli.DiagnosisText;
import org.pinwise.engine.cli.ExitCode;
import org.pinwise.engine.cli.ReportOptions;
import org.pinwise.engine.cli.RequestOptions;
import org.pinwise.engine.cli.RuleOptions;
import org.pinwise.engine.cli.UsageException;
import org.pinwise.engine.facts.DeviceCatalog;
import org.pinwise.engine.json.VerdictJson;
import org.pinwise.engine.text.Nearest;
import org.pinwise.registrar.MemoryRegistrar;
import org.pinwise.registrar.RegisteredRegion;
import org.pinwise.registrar.Registration;
import org.pinwise.registrar.RegistrationOutcome;
import org.pinwise.registrar.UnavailableException;
import org.pinwise.registrar.VerbsException;
import org.pinwise.rules.model.Access;
import org.pinwise.rules.model.Facts;
import org.pinwise.rules.model.Kernel;
import org.pinwise.rules.model.MrRequest;
import org.pinwise.rules.model.Use;
import org.pinwise.rules.model.Verb;
import org.pinwise.rules.spi.Severity;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code pinwise register}. */
@Command(
    name = "register",
    description = "Registers memory with a device, shows the keys, and gives it back.",
    footer = {
      "",
      "A name of the catalogue is simulated: its keys mean nothing to any hardware.",
      "Any other name is a device of this host; live:NAME always is.",
      "",
      "Exit codes: 0 registered, 1 refused or failed, 2 no such device or no library,",
      "wrong usage or input.",
      "",
      "Example: pinwise register --device connectx5 --access LOCAL_WRITE --length 64MiB"
    })
final class RegisterCommand implements Callable<Integer> {
  private static final String LIVE = "live:";
  private static final int PAGE = 4096;
  private static final int HUGE_PAGE = 2 << 20;
  private static final int MAX_COUNT = 1_000_000;
  private static final int MAX_SHOWN = 10;

  private final CliContext context;

  @Mixin private RequestOptions request = new RequestOptions();
  @Mixin private RuleOptions rules = new RuleOptions();
  @Mixin private ReportOptions report = new ReportOptions();

  @Option(
      names = "--device",
      paramLabel = "DEVICE",
      description = {
        "A name of the catalogue ('pinwise devices --catalog') to simulate, or",
        "a device of this host: NAME, or live:NAME where both have it."
      })
  private @Nullable String device;

  @Option(
      names = "--kernel",
      paramLabel = "VERSION",
      description = "The kernel to simulate; 6.12 if nothing is said.")
  private @Nullable String kernel;

  @Option(
      names = "--count",
      paramLabel = "N",
      defaultValue = "1",
      description = "Register the same memory N times; 1 if nothing is said.")
  private String count = "1";

  RegisterCommand(CliContext context) {
    this.context = context;
  }

  @Override
  public Integer call() {
    report.check();
    MrRequest asked = request.request();
    Registration registration = registration(asked);
    Long length = asked.rawLength();
    if (length == null) {
      throw new UsageException("--length", "is missing; say how many bytes, such as 64MiB");
    }
    int regions = count();
    try (MemoryRegistrar registrar = open()) {
      return run(registrar, asked, length, registration, regions);
    } catch (VerbsException e) { // of giving back
      context.err().print("pinwise register: " + LiveVerbsDevices.oneLine(e) + "\n");
      return ExitCode.REJECTED;
    }
  }

  private Registration registration(MrRequest asked) {
    Access access = asked.accessArgument();
    if (access == null) {
      throw new UsageException("--access", "is missing; say flags such as LOCAL_WRITE, or 0");
    }
    if (asked.rawAddress() != null) {
      throw new UsageException("--address", "the memory is allocated here; leave it out");
    }
    Verb verb = asked.verb();
    if (verb != Verb.REG_MR && verb != Verb.REG_MR_IOVA) {
      throw new UsageException("--verb", "only reg_mr and reg_mr_iova register such memory");
    }
    Registration registration = Registration.of(access);
    Long iova = asked.rawIova();
    if (iova != null) {
      registration = registration.iova(iova);
    } else if (verb == Verb.REG_MR_IOVA) {
      throw new UsageException("--iova", "is missing; reg_mr_iova needs it");
    }
    Set<Use> uses = asked.uses();
    return uses == null ? registration : registration.uses(uses);
  }

  private int count() {
    if (!count.matches("[0-9]{1,7}")) {
      throw new UsageException(
          "--count", "%s is no number from 1 to %d".formatted(count, MAX_COUNT));
    }
    int number = Integer.parseInt(count);
    if (number < 1 || number > MAX_COUNT) {
      throw new UsageException("--count", "%s is not from 1 to %d".formatted(count, MAX_COUNT));
    }
    return number;
  }

  private MemoryRegistrar open() {
    if (device == null) {
      throw new UsageException(
          "--device",
          "is missing; say a device of this host, or a name of the catalogue to simulate");
    }
    boolean simulated = DeviceCatalog.load().find(device).isPresent();
    if (!simulated && kernel != null) {
      throw new UsageException("--kernel", "a device of this host is on this host's kernel");
    }
    MrValidator validator = rules.validator(Assumptions.USUAL);
    try {
      if (!simulated) {
        String name = device.startsWith(LIVE) ? device.substring(LIVE.length()) : device;
        return MemoryRegistrar.open(name, validator);
      }
      return kernel == null
          ? MemoryRegistrar.simulated(device, validator)
          : MemoryRegistrar.simulated(device, kernel(kernel), validator);
    } catch (UnavailableException | VerbsException e) {
      throw new UsageException(
          "--device",
          LiveVerbsDevices.oneLine(e)
              + (simulated || device.startsWith(LIVE)
                  ? ""
                  : " To simulate, name a device of 'pinwise devices --catalog'"
                      + Nearest.hint(device, DeviceCatalog.load().names())));
    }
  }

  private static int kernel(String text) {
    return Kernel.parse(text)
        .orElseThrow(() ->
            new UsageException("--kernel", "%s is no kernel version such as 6.12".formatted(text)));
  }

  private int run(
      MemoryRegistrar registrar,
      MrRequest asked,
      long length,
      Registration registration,
      int regions) {
    try (Arena arena = Arena.ofShared()) {
      // Judged before anything is allocated: a length that no memory has gets its verdict, too.
      MemorySegment page = arena.allocate(PAGE, PAGE);
      Verdict before =
          registrar
              .validator()
              .validate(
                  new Facts(
                      asked.toBuilder().address(page.address()).build(),
                      null,
                      registrar.device(),
                      registrar.host()));
      if (isCertain(before)) {
        return show(registrar, new RegistrationOutcome.Refused(before), List.of());
      }
      if (length <= 0 || length > Long.MAX_VALUE - HUGE_PAGE) {
        return show(registrar, registrar.registerRange(page, length, registration), List.of());
      }
      MemorySegment memory = allocate(arena, length);
      List<RegisteredRegion> made = new ArrayList<>();
      RegistrationOutcome outcome = registrar.register(memory, registration);
      while (outcome instanceof RegistrationOutcome.Registered(RegisteredRegion region, _)) {
        made.add(region);
        if (made.size() == regions) {
          break;
        }
        outcome = registrar.register(memory, registration);
      }
      int exit = show(registrar, outcome, made);
      made.forEach(RegisteredRegion::close);
      return exit;
    }
  }

  /** Whether the rules refuse it wherever the memory is. */
  private static boolean isCertain(Verdict before) {
    return before.findings().stream()
        .anyMatch(finding -> finding.severity() == Severity.ERROR && !finding.live());
  }

  private static MemorySegment allocate(Arena arena, long length) {
    try {
      return arena.allocate(length, length >= HUGE_PAGE ? HUGE_PAGE : PAGE);
    } catch (OutOfMemoryError e) {
      throw new UsageException(
          "--length", "%s bytes cannot be allocated here".formatted(Long.toUnsignedString(length)));
    }
  }

  private int show(
      MemoryRegistrar registrar, RegistrationOutcome outcome, List<RegisteredRegion> made) {
    if (report.json()) {
      context.out().print(Json.of(json(registrar, outcome, made)) + "\n");
    } else {
      text(registrar, outcome, made);
    }
    return outcome instanceof RegistrationOutcome.Registered ? ExitCode.OK : ExitCode.REJECTED;
  }

  private void text(
      MemoryRegistrar registrar, RegistrationOutcome outcome, List<RegisteredRegion> made) {
    String where =
        registrar.isSimulated()
            ? "%s, simulated under kernel %s".formatted(registrar.deviceName(), kernelOf(registrar))
            : registrar.deviceName();
    String simulated = registrar.isSimulated() ? "simulated " : "";
    switch (outcome) {
      case RegistrationOutcome.Registered registered -> line("registered with %s".formatted(where));
      case RegistrationOutcome.Refused refused ->
          line("refused before the call, for %s".formatted(where));
      case RegistrationOutcome.Failed failed -> {
        line("failed on %s: %s".formatted(where, failed.error().errnoName()));
        line("error     " + LiveVerbsDevices.oneLine(failed.error()));
      }
    }
    for (RegisteredRegion region : made.subList(0, Math.min(MAX_SHOWN, made.size()))) {
      line(
          "region    address 0x%x, length %d, %slkey 0x%x, %srkey 0x%x, for peers at 0x%x"
              .formatted(
                  region.address(),
                  region.length(),
                  simulated,
                  region.lkey(),
                  simulated,
                  region.rkey(),
                  region.remoteAddress()));
    }
    if (made.size() > MAX_SHOWN) {
      line("          and %d more".formatted(made.size() - MAX_SHOWN));
    }
    List<String> notes = new ArrayList<>();
    if (registrar.isSimulated()) {
      notes.add(
          made.isEmpty()
              ? "the device is simulated"
              : "nothing was registered with any hardware; the keys are made up");
    }
    report.print(context, outcome.verdict(), notes);
    if (outcome instanceof RegistrationOutcome.Failed failed) {
      failed
          .causes()
          .ifPresent(causes -> context.out().print(DiagnosisText.causes(causes, context.colour())));
    }
  }

  private void line(String text) {
    context.out().print(text + "\n");
  }

  private static String kernelOf(MemoryRegistrar registrar) {
    Integer version = registrar.host().kernel();
    return version == null ? "unknown" : Kernel.text(version);
  }

  private static Map<String, @Nullable Object> json(
      MemoryRegistrar registrar, RegistrationOutcome outcome, List<RegisteredRegion> made) {
    Map<String, @Nullable Object> json = new LinkedHashMap<>();
    json.put("schema", "pinwise-register/1");
    json.put(
        "outcome",
        switch (outcome) {
          case RegistrationOutcome.Registered registered -> "registered";
          case RegistrationOutcome.Refused refused -> "refused";
          case RegistrationOutcome.Failed failed -> "failed";
        });
    json.put("device", registrar.deviceName());
    json.put("simulated", registrar.isSimulated());
    json.put("kernel", kernelOf(registrar));
    List<Object> regions = new ArrayList<>();
    for (RegisteredRegion region : made) {
      Map<String, @Nullable Object> one = new LinkedHashMap<>();
      one.put("address", hex(region.address()));
      one.put("length", Long.toUnsignedString(region.length()));
      one.put("remoteAddress", hex(region.remoteAddress()));
      one.put("lkey", hex(Integer.toUnsignedLong(region.lkey())));
      one.put("rkey", hex(Integer.toUnsignedLong(region.rkey())));
      one.put("simulated", region.isSimulated());
      regions.add(one);
    }
    json.put("regions", regions);
    Map<String, @Nullable Object> error = null;
    if (outcome instanceof RegistrationOutcome.Failed(VerbsException failed, _)) {
      error = new LinkedHashMap<>();
      error.put("operation", failed.operation());
      error.put("errno", failed.errnoName());
      error.put("message", failed.getMessage());
    }
    json.put("error", error);
    json.put(
        "causes",
        outcome instanceof RegistrationOutcome.Failed failed
            ? failed.causes().map(DiagnosisText::tree).orElse(List.of())
            : List.of());
    json.put("verdict", new Json.Raw(VerdictJson.compact(outcome.verdict())));
    return json;
  }

  private static String hex(long number) {
    return "0x%x".formatted(number);
  }
}
