package org.pinwise.engine.facts;

import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.pinwise.engine.InputException;
import org.pinwise.engine.text.Nearest;
import org.pinwise.engine.yaml.Yaml;
import org.pinwise.rules.model.Access;
import org.pinwise.rules.model.AccessFlag;
import org.pinwise.rules.model.Configuration;
import org.pinwise.rules.model.Device;
import org.pinwise.rules.model.FactType;
import org.pinwise.rules.model.Facts;
import org.pinwise.rules.model.Host;
import org.pinwise.rules.model.Labels;
import org.pinwise.rules.model.Memory;
import org.pinwise.rules.model.MrRequest;
import org.pinwise.rules.model.Plan;
import org.pinwise.rules.model.Verb;

/**
 * Reads facts files: YAML or JSON whose keys are the fields of the records.
 *
 * <pre>
 * request: {length: 64MiB, access: [LOCAL_WRITE, REMOTE_READ]}
 * memory: {kind: anonymous, protection: rw}
 * device: connectx5            # or a mapping, or {catalog: connectx5, odp: false}
 * host: {kernel: 6.12, memlock: unlimited}
 * labels: {team: storage}      # what a team's own rules read
 * plan:                        # all that is registered; the request is one of it
 *   processes: 4
 *   devices: 2
 *   regions:
 *     - {name: pool, length: 1GiB, count: 8, access: LOCAL_WRITE, memory: {pageSize: 2MiB}}
 *   cache: {key: [address, access], maxRegions: unlimited, invalidates: true}
 * </pre>
 *
 * <p>{@code register} means {@code request}. What is not given is unknown, but for the verb: a
 * request is {@code ibv_reg_mr}, or {@code ibv_reg_mr_iova} where it has an iova. A field that is
 * {@code unknown} is as if it was not given. Thread-safe.
 */
public final class FactsReader {
  private static final String REQUEST = MrRequest.TYPE.key();
  private static final String REGISTER = "register";
  private static final String SERVICES = "services";
  private static final String SCHEMA = "schema";

  /** What {@code schema} is in a plan. */
  public static final String PLAN_SCHEMA = "pinwise-plan/1";

  /** The keys of a plan's file that are no facts. */
  public static final List<String> PLAN_KEYS = List.of(SCHEMA, "$schema", "workload");

  private static final String CATALOG = "catalog";
  private static final String UNKNOWN_BITS = "unknownBits";
  private static final String UNKNOWN_OPTIONAL_BITS = "unknownOptionalBits";
  private static final int NAMED = Access.of(AccessFlag.values()).bits();
  private static final List<String> RANGE = List.of("address", "length", "iova");

  private final DeviceCatalog catalog;
  private final @Nullable Integer kernel;

  private FactsReader(DeviceCatalog catalog, @Nullable Integer kernel) {
    this.catalog = catalog;
    this.kernel = kernel;
  }

  /** Makes a reader that knows the devices of a catalogue. */
  public static FactsReader of(DeviceCatalog catalog) {
    return new FactsReader(catalog, null);
  }

  /**
   * Returns a reader that takes devices of the catalogue as they are on this kernel, whatever a
   * file says of its host's; see {@link org.pinwise.rules.model.Kernel}. Null takes the file's own.
   */
  public FactsReader onKernel(@Nullable Integer newKernel) {
    return new FactsReader(catalog, newKernel);
  }

  /**
   * Reads a file.
   *
   * @throws InputException if it cannot be read or says what no fact can say; the message starts
   *     with {@code file:line:column}
   */
  public FactsFile read(Path file) {
    return read(file.toString(), TextFile.read(file));
  }

  /**
   * Reads a text.
   *
   * @param file how messages name it
   * @throws InputException if it is not YAML, or says what no fact can say
   */
  public FactsFile read(String file, String text) {
    return read(Yaml.parse(file, text));
  }

  /**
   * Reads facts out of a YAML value.
   *
   * @param otherKeys keys at the top that are allowed beside those of facts; they are left alone
   * @throws InputException if it says what no fact can say
   */
  public FactsFile read(Yaml value, String... otherKeys) {
    Yaml.Mapping root = value.asMapping("a facts file");
    allow(root, otherKeys);
    Map<String, Integer> lines = new LinkedHashMap<>();
    Optional<Yaml.Mapping> request =
        section(root, root.get(REGISTER).isPresent() ? REGISTER : REQUEST, REQUEST, lines);
    Optional<Yaml.Mapping> memory = section(root, Memory.TYPE.key(), Memory.TYPE.key(), lines);
    Optional<Yaml.Mapping> host = section(root, Host.TYPE.key(), Host.TYPE.key(), lines);
    Host hostFacts = host.map(h -> fact(Host.TYPE, h)).orElse(Host.UNKNOWN);
    @Nullable Integer hostKernel = kernel == null ? hostFacts.kernel() : kernel;
    @Nullable Configuration configuration = configuration(root, lines);
    MrRequest asked = request.map(r -> request(r)).orElseGet(() -> MrRequest.builder().build());
    Memory under = memory.map(m -> fact(Memory.TYPE, m)).orElse(null);
    MrPlan plan =
        root.get(Plan.TYPE.key())
            .map(p -> MrPlan.of(mapping(p, Plan.TYPE.key(), lines), asked, under))
            .orElse(null);
    return new FactsFile(
        new Facts(
            asked,
            under,
            root.get(Device.TYPE.key())
                .map(d -> device(d, hostKernel, lines))
                .orElse(Device.UNKNOWN),
            hostFacts,
            section(root, Labels.TYPE.key(), Labels.TYPE.key(), lines)
                .map(FactsReader::labels)
                .orElse(Labels.UNKNOWN),
            plan != null
                ? plan.fact(hostFacts)
                : configuration == null ? Plan.NONE : Plan.TYPE.unknown(),
            configuration),
        plan,
        lines);
  }

  /**
   * Reads a plan of one program as {@code pinwise lint} takes it: a facts file with a {@code plan},
   * which may name its schema and what runs it.
   *
   * @throws InputException if it cannot be read, holds several programs, or says what no fact can
   *     say
   */
  public FactsFile readPlan(Path file) {
    Yaml.Mapping plan = Yaml.parse(file.toString(), TextFile.read(file)).asMapping("a plan");
    plan.get(SERVICES)
        .ifPresent(services -> {
          throw services.problem(
              "there are several programs here, and one is judged at a time; pinwise lint judges"
                  + " them all, or move one to a file of its own");
        });
    return readPlan(plan, PLAN_KEYS);
  }

  /**
   * Reads a plan of one program.
   *
   * @param plan the plan; a device or a host that is the name of a facts file is what that file
   *     says
   * @param otherKeys keys at the top that are allowed beside those of facts
   * @throws InputException if it says what no fact can say
   */
  public FactsFile readPlan(Yaml.Mapping plan, List<String> otherKeys) {
    checkSchema(plan);
    FactsFile file = read(resolved(plan), otherKeys.toArray(String[]::new));
    if (file.plan() == null) {
      throw plan.problem("has no plan; add plan: {regions: [{length: 1GiB}]}");
    }
    return file;
  }

  /** Refuses a file that says it is of another schema than plans are. */
  public static void checkSchema(Yaml.Mapping plan) {
    plan.get(SCHEMA)
        .filter(value -> !(value instanceof Yaml.Scalar text && text.text().equals(PLAN_SCHEMA)))
        .ifPresent(value -> {
          throw value.problem("the schema of a plan is " + PLAN_SCHEMA);
        });
  }

  private static Yaml.Mapping resolved(Yaml.Mapping plan) {
    Map<String, Yaml> entries = new LinkedHashMap<>(plan.entries());
    for (String key : List.of(Device.TYPE.key(), Host.TYPE.key())) {
      entries.computeIfPresent(key, (name, value) -> resolved(value, name));
    }
    return new Yaml.Mapping(plan.file(), plan.line(), plan.column(), entries);
  }

  /** A scalar that names a file stands for what that file says of the key. */
  private static Yaml resolved(Yaml value, String key) {
    if (!(value instanceof Yaml.Scalar scalar) || !scalar.text().matches(".+\\.(ya?ml|json)")) {
      return value;
    }
    Path file;
    try {
      file = Path.of(scalar.file()).resolveSibling(scalar.text());
    } catch (InvalidPathException e) {
      throw value.problem("is no path");
    }
    return Yaml.read(file).asMapping("a facts file").require(key);
  }

  private static @Nullable Configuration configuration(
      Yaml.Mapping root, Map<String, Integer> lines) {
    Configuration found = null;
    for (FactType<? extends Configuration> type : Configuration.types()) {
      Yaml value = root.get(type.key()).orElse(null);
      if (value != null) {
        if (found != null) {
          throw value.problem(
              "%s stands beside %s; one configuration is judged at a time"
                  .formatted(type.key(), found.factType().key()));
        }
        found = fact(type, mapping(value, type.key(), lines));
      }
    }
    return found;
  }

  private static void allow(Yaml.Mapping root, String... otherKeys) {
    List<String> keys =
        new ArrayList<>(
            List.of(
                REQUEST,
                Memory.TYPE.key(),
                Device.TYPE.key(),
                Host.TYPE.key(),
                Plan.TYPE.key(),
                Labels.TYPE.key(),
                REGISTER));
    Configuration.types().forEach(type -> keys.add(type.key()));
    keys.addAll(Arrays.asList(otherKeys));
    root.entries()
        .forEach((key, value) -> {
          if (!keys.contains(key)) {
            String shown = Shown.of(key);
            throw value.problem(
                "there is no key %s here%s; there are %s"
                    .formatted(shown, Nearest.hint(shown, keys), keys));
          }
        });
    if (root.get(REQUEST).isPresent() && root.get(REGISTER).isPresent()) {
      throw root.require(REGISTER)
          .problem("%s means %s, which is here, too".formatted(REGISTER, REQUEST));
    }
  }

  /** Returns the mapping of a top key, and notes the lines of its keys under the type's key. */
  private static Optional<Yaml.Mapping> section(
      Yaml.Mapping root, String key, String typeKey, Map<String, Integer> lines) {
    return root.get(key).map(value -> mapping(value, typeKey, lines));
  }

  private static Yaml.Mapping mapping(Yaml value, String typeKey, Map<String, Integer> lines) {
    Yaml.Mapping mapping = value.asMapping(typeKey);
    lines.put(typeKey, mapping.line());
    mapping.entries().forEach((field, v) -> lines.put(typeKey + "." + field, v.line()));
    return mapping;
  }

  /** Reads a team's own facts, of which none may be given, too. */
  private static Labels labels(Yaml.Mapping mapping) {
    Map<String, String> labels = new LinkedHashMap<>();
    mapping
        .entries()
        .forEach((name, value) -> {
          if (Labels.TYPE.field(name).isEmpty()) {
            throw value.problem(
                "%s is no label's name; it is a small letter, then letters and digits"
                    .formatted(Shown.of(name)));
          }
          labels.put(name, value.asText());
        });
    return new Labels(labels);
  }

  static <F> F fact(FactType<F> type, Yaml.Mapping mapping) {
    return type.of(FieldParser.values(type, mapping));
  }

  /** Reads a request; other keys may be beside its fields. */
  static MrRequest request(Yaml.Mapping mapping, String... otherKeys) {
    // The access argument is one number to the caller and three fields to rules.
    List<String> others = new ArrayList<>(List.of("access"));
    others.addAll(Arrays.asList(otherKeys));
    Map<String, @Nullable Object> values =
        FieldParser.values(MrRequest.TYPE, mapping, others.toArray(String[]::new));
    checkBits(mapping, UNKNOWN_BITS, ~NAMED & ~AccessFlag.OPTIONAL_RANGE);
    checkBits(mapping, UNKNOWN_OPTIONAL_BITS, ~NAMED & AccessFlag.OPTIONAL_RANGE);
    mapping
        .get("access")
        .filter(value -> !isUnknown(value))
        .map(AccessParser::parse)
        .ifPresent(access -> put(values, access));
    if (mapping.get("verb").isEmpty()) {
      values.put("verb", values.get("iova") == null ? Verb.REG_MR : Verb.REG_MR_IOVA);
    }
    MrRequest request = MrRequest.TYPE.of(values);
    // Facts hold saturated numbers, so the type cannot carry the bit patterns.
    return request.withRange(
        raw(mapping, RANGE.get(0)), raw(mapping, RANGE.get(1)), raw(mapping, RANGE.get(2)));
  }

  private static void put(Map<String, @Nullable Object> values, Access access) {
    int unknown = access.unknownBits();
    values.put("access", access.flags());
    putIfNotGiven(values, UNKNOWN_BITS, unknown & ~AccessFlag.OPTIONAL_RANGE);
    putIfNotGiven(values, UNKNOWN_OPTIONAL_BITS, unknown & AccessFlag.OPTIONAL_RANGE);
  }

  private static void putIfNotGiven(Map<String, @Nullable Object> values, String field, int bits) {
    if (!values.containsKey(field)) { // given as unknown is given
      values.put(field, Integer.toUnsignedLong(bits));
    }
  }

  /** Refuses bits that are no part of an access argument, or not of the field that holds them. */
  private static void checkBits(Yaml.Mapping mapping, String field, int allowed) {
    mapping
        .get(field)
        .filter(value -> !isUnknown(value))
        .ifPresent(value -> {
          long bits = value.asUnsigned();
          if ((bits & ~Integer.toUnsignedLong(allowed)) != 0) {
            throw value.problem("%s holds bits of 0x%x only".formatted(field, allowed));
          }
        });
  }

  private static @Nullable Long raw(Yaml.Mapping mapping, String field) {
    return mapping.get(field).filter(value -> !isUnknown(value)).map(Yaml::asUnsigned).orElse(null);
  }

  private static boolean isUnknown(Yaml value) {
    return value instanceof Yaml.Scalar scalar && scalar.text().equals(FieldParser.UNKNOWN);
  }

  private Device device(Yaml value, @Nullable Integer hostKernel, Map<String, Integer> lines) {
    if (value instanceof Yaml.Scalar) {
      lines.put(Device.TYPE.key(), value.line());
      return catalogDevice(value).facts(hostKernel);
    }
    Yaml.Mapping mapping = mapping(value, Device.TYPE.key(), lines);
    Map<String, @Nullable Object> values = new LinkedHashMap<>();
    mapping
        .get(CATALOG)
        .ifPresent(
            name -> values.putAll(Device.TYPE.values(catalogDevice(name).facts(hostKernel))));
    values.putAll(FieldParser.values(Device.TYPE, mapping, CATALOG));
    return Device.TYPE.of(values);
  }

  private CatalogDevice catalogDevice(Yaml value) {
    String name = value.asText();
    return catalog
        .find(name)
        .orElseThrow(() ->
            value.problem(
                "the catalogue has no device %s%s"
                    .formatted(Shown.of(name), Nearest.hint(Shown.of(name), catalog.names()))));
  }
}
