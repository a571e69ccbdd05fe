package org.pinwise.registrar;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import org.pinwise.engine.Accepted;
import org.pinwise.engine.MrValidator;
import org.pinwise.engine.Rejected;
import org.pinwise.engine.Verdict;
import org.pinwise.registrar.verbs.MemoryRegion;
import org.pinwise.registrar.verbs.ProtectionDomain;
import org.pinwise.registrar.verbs.Result;
import org.pinwise.registrar.verbs.Verbs;
import org.pinwise.rules.model.Access;
import org.pinwise.rules.model.AccessFlag;
import org.pinwise.rules.model.Device;
import org.pinwise.rules.model.Errno;
import org.pinwise.rules.model.Facts;
import org.pinwise.rules.model.Host;
import org.pinwise.rules.model.Memory;
import org.pinwise.rules.model.MrRequest;

/**
 * Compares what the rules say with what a device does: all 2,048 sets of the named access flags, by
 * both functions, on 64 KiB of scratch memory. Each region is given back at once.
 *
 * {@snippet :
 * DeviceProbe.Report report = DeviceProbe.run("mlx5_0", MrValidator.create(RuleSet.builtIn()));
 * report.wrong().forEach(System.out::println);
 * }
 */
public final class DeviceProbe {

  private static final long SCRATCH = 65_536;
  private static final long ALIGNMENT = 65_536;

  private DeviceProbe() {}

  /** A function that registers. */
  public enum Function {
    /** The exported function of this name, not the header's macro. */
    IBV_REG_MR,
    /** With the memory's address as iova. */
    IBV_REG_MR_IOVA2
  }

  /**
   * One call, and what the rules said before it.
   *
   * @param access the flags
   * @param function the function that was called
   * @param errno what it answered; 0 if it registered
   * @param verdict what the rules said
   */
  public record Row(Access access, Function function, int errno, Verdict verdict) {

    /** Whether the rules said nothing certain. */
    public boolean isUndecided() {
      return !(verdict instanceof Accepted || verdict instanceof Rejected);
    }

    /** Whether the rules were wrong: the decision, or the errno. */
    public boolean isWrong() {
      return switch (verdict) {
        case Accepted accepted -> errno != 0;
        case Rejected rejected -> Errno.of(errno).filter(rejected.errno()::contains).isEmpty();
        default -> false;
      };
    }
  }

  /**
   * What was compared.
   *
   * @param device the device
   * @param host the host
   * @param simulated whether the device is simulated, so that the rules were compared with
   *     themselves
   * @param rows all calls
   */
  public record Report(Device device, Host host, boolean simulated, List<Row> rows) {

    /** Copies the list. */
    public Report {
      rows = List.copyOf(rows);
    }

    /** The calls on which the rules were wrong. */
    public List<Row> wrong() {
      return rows.stream().filter(Row::isWrong).toList();
    }

    /** The calls on which the rules said nothing certain. */
    public List<Row> undecided() {
      return rows.stream().filter(Row::isUndecided).toList();
    }
  }

  /**
   * Probes a device of this machine.
   *
   * @param deviceName such as {@code mlx5_0}
   * @param validator the rules to try; those of a team or a profile refuse what no kernel does, so
   *     they would be wrong here
   * @throws UnavailableException if there is no such device, or no way to reach any
   * @throws VerbsException if it cannot be opened, or does not take a region back
   */
  public static Report run(String deviceName, MrValidator validator) {
    try (MemoryRegistrar registrar = MemoryRegistrar.open(deviceName, validator)) {
      return run(registrar);
    }
  }

  static Report run(MemoryRegistrar registrar) {
    List<Row> rows = new ArrayList<>();
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment scratch = arena.allocate(SCRATCH, ALIGNMENT).fill((byte) 1);
      for (Access access : allAccess()) {
        for (Function function : Function.values()) {
          if (function == Function.IBV_REG_MR_IOVA2 && !registrar.verbs().hasRegMrIova2()) {
            continue;
          }
          rows.add(
              new Row(
                  access,
                  function,
                  call(registrar, scratch, access, function),
                  verdict(registrar, scratch, access, function)));
        }
      }
    }
    return new Report(registrar.device(), registrar.host(), registrar.isSimulated(), rows);
  }

  private static List<Access> allAccess() {
    AccessFlag[] flags = AccessFlag.values();
    List<Access> all = new ArrayList<>();
    for (int set = 0; set < 1 << flags.length; set++) {
      int bits = 0;
      for (int flag = 0; flag < flags.length; flag++) {
        bits |= (set >> flag & 1) == 0 ? 0 : flags[flag].bit();
      }
      all.add(Access.ofBits(bits));
    }
    return all;
  }

  private static Verdict verdict(
      MemoryRegistrar registrar, MemorySegment scratch, Access access, Function function) {
    MrRequest.Builder request =
        MrRequest.range(scratch.address(), scratch.byteSize()).access(access);
    if (function == Function.IBV_REG_MR_IOVA2) {
      request.iova(scratch.address());
    }
    return registrar
        .validator()
        .validate(
            new Facts(request.build(), Memory.ORDINARY, registrar.device(), registrar.host()));
  }

  /** The errno; 0 if it registered. */
  private static int call(
      MemoryRegistrar registrar, MemorySegment scratch, Access access, Function function) {
    Verbs verbs = registrar.verbs();
    ProtectionDomain pd = registrar.pd();
    Result<MemoryRegion> result =
        function == Function.IBV_REG_MR
            ? verbs.regMr(pd, scratch, access.bits())
            : verbs.regMrIova2(pd, scratch, scratch.address(), access.bits());
    return switch (result) {
      case Result.Failed<MemoryRegion>(int errno) -> errno;
      case MemoryRegion region -> {
        registrar.adopt(region, Registration.of(access)).close();
        yield 0;
      }
    };
  }
}
