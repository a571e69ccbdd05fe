package org.pinwise.engine;

import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.pinwise.engine.eval.FactTuple;
import org.pinwise.rules.model.Access;
import org.pinwise.rules.model.AccessFlag;
import org.pinwise.rules.model.AddressRange;
import org.pinwise.rules.model.Configuration;
import org.pinwise.rules.model.Device;
import org.pinwise.rules.model.FactType;
import org.pinwise.rules.model.Field;
import org.pinwise.rules.model.Host;
import org.pinwise.rules.model.Labels;
import org.pinwise.rules.model.Memory;
import org.pinwise.rules.model.MrRequest;
import org.pinwise.rules.model.Plan;
import org.pinwise.rules.model.Use;
import org.pinwise.rules.model.Verb;
import org.pinwise.rules.spi.Condition;
import org.pinwise.rules.spi.Operand;
import org.pinwise.rules.spi.Pattern;
import org.pinwise.rules.spi.Rule;

/**
 * Draws facts that lie on and beside the borders of the rules' comparisons, fully known or in part,
 * and completes partial ones. What is derived is always derived, so the facts agree with each
 * other.
 */
final class FactSampler {
  /** Kernels that rules were verified on, and some between them. */
  private static final List<Integer> KERNELS = List.of(6_001, 6_012, 7_003);

  /** Some rules were verified on this one, too. */
  private static final int SOME_RULES = 7_002;

  private static final List<Integer> BETWEEN = List.of(6_002, 6_005, 6_008, 6_014, 7_000);
  private static final long[] PAGE_SIZES = {4096, 4096, 4096, 16384, 65536};

  /** What of the host the request's range is derived of. */
  static final Set<String> RANGE_OF_HOST =
      Set.of("host.pageSize", "host.memlock", "host.pinnedPages");

  private static final FactType<?>[] GIVEN = {Memory.TYPE, Device.TYPE, Host.TYPE, Plan.TYPE};

  private static final Map<String, Field<?>> FIELDS = fields();

  /** Numbers and texts of which rules know, by {@code key.field}. */
  private final Map<String, TreeSet<Long>> numbers = new TreeMap<>();

  private final Map<String, TreeSet<String>> texts = new TreeMap<>();

  /** Comparisons of a number with something that depends on other facts, by {@code key.field}. */
  private final Map<String, List<Comparison>> related = new TreeMap<>();

  private static final String REQUEST = "request.";

  private final Random random;

  /** A comparison of numbers, with the values of its rule's parameters. */
  private record Comparison(Condition.Compare compare, Map<String, Long> parameters) {}

  FactSampler(List<Rule> rules, long seed) {
    this.random = new Random(seed);
    for (Rule rule : rules) {
      for (Pattern pattern : rule.patterns()) {
        collect(pattern.condition(), rule.meta().parameters());
      }
    }
  }

  private void collect(Condition condition, Map<String, Long> parameters) {
    if (condition instanceof Condition.All all) {
      all.conditions().forEach(part -> collect(part, parameters));
    } else if (condition instanceof Condition.Any any) {
      any.conditions().forEach(part -> collect(part, parameters));
    } else if (condition instanceof Condition.Not not) {
      collect(not.condition(), parameters);
    } else if (condition instanceof Condition.Compare compare) {
      border(compare.left(), compare.right());
      border(compare.right(), compare.left());
      Set<String> fields = new LinkedHashSet<>();
      numbers(compare.left(), fields);
      numbers(compare.right(), fields);
      if (fields.size() > 1) {
        fields.forEach(field ->
            related
                .computeIfAbsent(field, f -> new ArrayList<>())
                .add(new Comparison(compare, parameters)));
      }
    } else if (condition instanceof Condition.OneOf oneOf) {
      oneOf.values().forEach(value -> border(oneOf.left(), value));
    }
  }

  /** Collects the fields that are numbers, and whatever else is a number and no constant. */
  private static void numbers(Operand operand, Set<String> into) {
    if (operand instanceof Operand.Arithmetic arithmetic) {
      numbers(arithmetic.left(), into);
      numbers(arithmetic.right(), into);
    } else if (operand instanceof Operand.Parameter
        || (operand instanceof Operand.FieldOf<?> field
            && field.field().kind() == Field.Kind.NUMBER)) {
      into.add(operand.toString());
    }
  }

  private void border(Operand field, Operand value) {
    if (field instanceof Operand.FieldOf<?> && value instanceof Operand.Constant constant) {
      if (constant.value() instanceof Long number) {
        TreeSet<Long> borders = numbers.computeIfAbsent(field.toString(), f -> new TreeSet<>());
        borders.add(number);
        if (number != Long.MAX_VALUE) { // unlimited, beside which there is nothing
          borders.add(Math.max(0, number - 1));
          borders.add(number + 1);
        }
      } else if (constant.value() instanceof String text) {
        texts.computeIfAbsent(field.toString(), f -> new TreeSet<>()).add(text);
      }
    }
  }

  /** What a tuple is made of: the request's parts, and the values of the other facts by field. */
  record Draft(Map<String, @Nullable Object> request, Map<String, @Nullable Object> others) {
    Draft copy() {
      return new Draft(new LinkedHashMap<>(request), new LinkedHashMap<>(others));
    }

    @Nullable Object value(String name) {
      return name.startsWith(REQUEST)
          ? request.get(name.substring(REQUEST.length()))
          : others.get(name);
    }

    void set(String name, @Nullable Object value) {
      if (name.startsWith(REQUEST)) {
        request.put(name.substring(REQUEST.length()), value);
      } else {
        others.put(name, value);
      }
    }

    Set<String> unknown() {
      Set<String> unknown = new LinkedHashSet<>();
      request.forEach((name, value) -> addIfNull(REQUEST + name, value, unknown));
      others.forEach((name, value) -> addIfNull(name, value, unknown));
      return unknown;
    }

    private static void addIfNull(String name, @Nullable Object value, Set<String> into) {
      if (value == null) {
        into.add(name);
      }
    }

    FactTuple tuple() {
      Host host = Host.TYPE.of(of(Host.TYPE));
      MrRequest whole = whole();
      return new FactTuple(
          whole,
          AddressRange.of(whole, host, false),
          Memory.TYPE.of(of(Memory.TYPE)),
          Device.TYPE.of(of(Device.TYPE)),
          host,
          Plan.TYPE.of(of(Plan.TYPE)),
          Labels.UNKNOWN);
    }

    /** Returns the tuple again, of which one field has changed. */
    FactTuple tuple(FactTuple before, String changed) {
      FactTuple tuple = before;
      if (changed.startsWith(REQUEST)) {
        tuple = tuple.with(whole());
      } else {
        FactType<?> type =
            Arrays.stream(GIVEN)
                .filter(given -> changed.startsWith(given.key() + "."))
                .findFirst()
                .orElseThrow();
        tuple = tuple.with(type.of(of(type)));
      }
      return changed.startsWith(REQUEST) || RANGE_OF_HOST.contains(changed)
          ? tuple.with(AddressRange.of(tuple.request(), tuple.host(), false))
          : tuple;
    }

    private MrRequest whole() {
      MrRequest.Builder builder = MrRequest.builder();
      Verb verb = (Verb) request.get("verb");
      Access access = (Access) request.get("access");
      Long address = (Long) request.get("address");
      Long length = (Long) request.get("length");
      Long iova = (Long) request.get("iova");
      if (iova != null) {
        builder.iova(iova);
      }
      if (access != null) {
        builder.access(access);
      }
      if (address != null) {
        builder.address(address);
      }
      if (length != null) {
        builder.length(length);
      }
      MrRequest built = builder.build();
      @SuppressWarnings("unchecked")
      Set<Use> uses = (Set<Use>) request.get("uses");
      @SuppressWarnings("unchecked")
      Set<AccessFlag> regionAccess = (Set<AccessFlag>) request.get("regionAccess");
      return new MrRequest(
          verb,
          built.access(),
          built.unknownBits(),
          built.unknownOptionalBits(),
          built.address(),
          built.length(),
          built.iova(),
          uses,
          regionAccess,
          built.rawAddress(),
          built.rawLength(),
          built.rawIova());
    }

    private Map<String, @Nullable Object> of(FactType<?> type) {
      Map<String, @Nullable Object> values = new LinkedHashMap<>();
      type.fields()
          .forEach(field -> values.put(field.name(), others.get(type.key() + "." + field.name())));
      return values;
    }
  }

  /** Draws facts of which everything is known; the kernel is one of the verified. */
  Draft known() {
    Map<String, @Nullable Object> request = new LinkedHashMap<>();
    for (String name :
        List.of("verb", "access", "address", "length", "iova", "uses", "regionAccess")) {
      request.put(name, null);
    }
    Map<String, @Nullable Object> others = new LinkedHashMap<>();
    for (FactType<?> type : GIVEN) {
      type.fields().forEach(field -> others.put(type.key() + "." + field.name(), null));
    }
    Draft draft = new Draft(request, others);
    draft.unknown().forEach(name -> fill(draft, name));
    return draft;
  }

  /** Hides some of the facts; a kernel may become one that lies between verified ones. */
  Draft hide(Draft known) {
    Draft partial = known.copy();
    int share = 1 + random.nextInt(4);
    partial.request().replaceAll((name, value) -> random.nextInt(6) < share ? null : value);
    partial.others().replaceAll((name, value) -> random.nextInt(6) < share ? null : value);
    if (partial.others().get("host.kernel") != null && random.nextInt(3) == 0) {
      partial.others().put("host.kernel", BETWEEN.get(random.nextInt(BETWEEN.size())));
    }
    return partial;
  }

  /**
   * Draws something that a configuration file says, of which about a share of the fields is
   * unknown.
   */
  <C extends Configuration> C configuration(FactType<C> type, double unknown) {
    Map<String, @Nullable Object> values = new LinkedHashMap<>();
    for (Field<C> field : type.fields()) {
      values.put(
          field.name(),
          random.nextDouble() < unknown ? null : value(type.key() + "." + field.name(), field));
    }
    return type.of(values);
  }

  /** Draws values for the fields of which nothing is known. */
  <C extends Configuration> C complete(FactType<C> type, Configuration partial) {
    Map<String, @Nullable Object> values = type.values(type.type().cast(partial));
    for (Field<C> field : type.fields()) {
      if (values.get(field.name()) == null) {
        values.put(field.name(), value(type.key() + "." + field.name(), field));
      }
    }
    return type.of(values);
  }

  /** Fills in what is unknown, and one of its neighbours for a kernel that is not verified. */
  Draft complete(Draft partial) {
    Draft complete = partial.copy();
    complete.unknown().forEach(name -> fill(complete, name));
    Integer given = (Integer) partial.others().get("host.kernel");
    if (given != null && BETWEEN.contains(given)) {
      complete.others().put("host.kernel", neighbour(given));
    }
    boolean open = given == null || BETWEEN.contains(given);
    if (open && Objects.equals(complete.others().get("host.kernel"), 7_003) && oneIn(2)) {
      complete.others().put("host.kernel", SOME_RULES);
    }
    return complete;
  }

  private int neighbour(int kernel) {
    TreeSet<Integer> verified = new TreeSet<>(KERNELS);
    return random.nextBoolean() ? verified.floor(kernel) : verified.ceiling(kernel);
  }

  /** Gives one unknown field a value. */
  void fill(Draft draft, String name) {
    draft.set(
        name,
        name.startsWith(REQUEST)
            ? request(name.substring(REQUEST.length()), draft)
            : other(name, draft));
  }

  private Object request(String part, Draft draft) {
    return switch (part) {
      case "verb" -> any(Verb.values());
      case "access" -> access();
      case "address" ->
          address((Long) draft.request().get("iova"), (Long) draft.request().get("length"));
      case "length" ->
          length((Long) draft.request().get("address"), (Long) draft.others().get("host.memlock"));
      case "iova" -> iova((Long) draft.request().get("address"));
      case "uses" -> subset(Use.values());
      case "regionAccess" -> subset(AccessFlag.values());
      default -> throw new IllegalArgumentException(part);
    };
  }

  private Access access() {
    int bits = 0;
    for (AccessFlag flag : AccessFlag.values()) {
      if (random.nextInt(3) == 0) {
        bits |= flag.bit();
      }
    }
    if (random.nextInt(4) == 0) {
      bits |= 1 << random.nextInt(32);
    }
    return Access.ofBits(bits);
  }

  private long address() {
    long base = 0x7f00_0000_0000L + ((long) random.nextInt(1 << 20) << 16);
    return switch (random.nextInt(8)) {
      case 0 -> 0;
      case 1 -> random.nextInt(9);
      case 2 -> base + random.nextInt(9);
      case 3 -> base + 4096;
      case 4 -> -1 - random.nextInt(random.nextBoolean() ? 4_000 : 70_000);
      case 5 -> base + random.nextInt(65_536);
      case 6 -> 0x8080_0000_0000_0000L; // the kernel's half, with room above
      default -> base;
    };
  }

  /**
   * Ends about where the address space does, lies across a border of pages of any size, has the
   * iova's offset in its page, or none of it.
   */
  private long address(@Nullable Long iova, @Nullable Long length) {
    if (length == null || oneIn(2)) {
      return likeIova(iova);
    }
    long border = 0x7f00_0001_0000L;
    return switch (random.nextInt(4)) {
      case 0, 1 -> -length - 1 + random.nextInt(3);
      case 2 -> border - random.nextInt((int) Long.max(1, Long.min(length, 1 << 16)));
      default -> likeIova(iova);
    };
  }

  private long likeIova(@Nullable Long iova) {
    if (iova != null && random.nextInt(6) == 0) {
      return iova;
    }
    return iova == null || random.nextBoolean()
        ? address()
        : iova ^ ((long) random.nextInt(1 << 20) << 16);
  }

  private long iova(@Nullable Long address) {
    return switch (random.nextInt(4)) {
      case 0 -> 0;
      case 1 -> address();
      case 2 -> address == null ? address() : address;
      default -> (address == null ? address() : address) ^ ((long) random.nextInt(1 << 20) << 16);
    };
  }

  private long length() {
    TreeSet<Long> known = numbers.getOrDefault("request.length", new TreeSet<>());
    return switch (random.nextInt(9)) {
      case 0 -> 0;
      case 1 -> 1 + random.nextInt(8192);
      case 2 -> -1;
      case 3 -> -1 - random.nextInt(random.nextBoolean() ? 4_000 : 200_000);
      case 4 -> (1L << (36 + random.nextInt(28))) + random.nextInt(3) - 1;
      case 5 -> (random.nextInt(64) + 1L) << 40;
      case 6 -> known.isEmpty() ? 4096 : new ArrayList<>(known).get(random.nextInt(known.size()));
      case 7 -> (1L << 44) - random.nextInt(3) * 4096L;
      default -> random.nextInt(1 << 24);
    };
  }

  private Object other(String name, Draft draft) {
    if (name.equals("host.kernel")) {
      // 5.4 stands for kernels that only rules without evidence tell apart.
      return random.nextInt(12) == 0
          ? (Integer) 5_004
          : KERNELS.get(random.nextInt(KERNELS.size()));
    }
    if (name.equals("host.pageSize")) {
      return PAGE_SIZES[random.nextInt(PAGE_SIZES.length)];
    }
    if (name.equals("host.hugePageSize") || name.equals("memory.pageSize")) {
      return 4096L << random.nextInt(19); // up to 1 GiB
    }
    if (name.equals("host.memlock")) {
      return limit((Long) draft.request().get("length"));
    }
    Long limit = (Long) draft.others().get("host.memlock");
    if (name.equals("host.pinnedPages") && limit != null && random.nextInt(3) == 0) {
      return limit / PAGE_SIZES[random.nextInt(PAGE_SIZES.length)];
    }
    Long border = random.nextInt(3) == 0 ? border(name, draft) : null;
    if (border != null) {
      return border;
    }
    if (name.equals("device.maxMrSize")
        || name.equals("host.gpuBarSize")
        || name.equals("host.hugetlbLimit")) {
      return limit((Long) draft.request().get("length"));
    }
    Field<?> field = Objects.requireNonNull(FIELDS.get(name), name);
    if (field.format() == Field.Format.BYTES
        && field.kind() == Field.Kind.NUMBER
        && (name.startsWith("plan.") || name.startsWith("host."))) {
      return limit(random.nextBoolean() ? limit : (Long) draft.others().get("plan.pinnedBytes"));
    }
    return value(name, field);
  }

  /**
   * Returns a value at which one of the comparisons that read this number turns over, by the other
   * numbers of the draft, or one beside it; null where none does.
   */
  private @Nullable Long border(String name, Draft draft) {
    List<Comparison> comparisons = related.getOrDefault(name, List.of());
    if (comparisons.isEmpty()) {
      return null;
    }
    Long border = border(name, comparisons.get(random.nextInt(comparisons.size())), draft);
    // Stock Drools compares two fields as doubles; and no plan has 2^52 of anything.
    return border == null || border > 1L << 52
        ? null
        : (Long) (Math.max(0, border - 1) + random.nextInt(3));
  }

  private static @Nullable Long border(String name, Comparison comparison, Draft draft) {
    if (comparison.compare().left().toString().equals(name)) {
      Set<String> others = new LinkedHashSet<>();
      numbers(comparison.compare().right(), others);
      if (!others.contains(name)) {
        return number(comparison.compare().right(), comparison, name, 0, draft);
      }
    }
    Integer below = sides(comparison, name, 0, draft);
    Integer above = sides(comparison, name, Long.MAX_VALUE, draft);
    if (below == null || above == null || below.equals(above)) {
      return null;
    }
    long low = 0;
    long high = Long.MAX_VALUE;
    while (low + 1 < high) {
      long middle = low + (high - low) / 2;
      if (below.equals(sides(comparison, name, middle, draft))) {
        low = middle;
      } else {
        high = middle;
      }
    }
    return high;
  }

  /** Returns how the sides compare where the named number is the given one; null if unknown. */
  private static @Nullable Integer sides(
      Comparison comparison, String name, long number, Draft draft) {
    Condition.Compare compare = comparison.compare();
    Long left = number(compare.left(), comparison, name, number, draft);
    Long right = number(compare.right(), comparison, name, number, draft);
    return left == null || right == null ? null : (Integer) Long.compare(left, right);
  }

  private static @Nullable Long number(
      Operand operand, Comparison comparison, String name, long number, Draft draft) {
    if (operand instanceof Operand.Arithmetic arithmetic) {
      Long left = number(arithmetic.left(), comparison, name, number, draft);
      Long right = number(arithmetic.right(), comparison, name, number, draft);
      return left == null || right == null ? null : arithmetic(left, arithmetic.operator(), right);
    }
    if (operand instanceof Operand.Constant constant) {
      return (Long) constant.value();
    }
    if (operand instanceof Operand.Parameter parameter) {
      return comparison.parameters().get(parameter.name());
    }
    String field = operand.toString();
    if (field.equals(name)) {
      return number;
    }
    if (!(draft.value(field) instanceof Number value)) {
      return null;
    }
    return value.longValue() < 0 ? (Long) Long.MAX_VALUE : (Long) value.longValue(); // unsigned
  }

  private static @Nullable Long arithmetic(long left, char operator, long right) {
    BigInteger a = BigInteger.valueOf(left);
    BigInteger b = BigInteger.valueOf(right);
    if (operator == '/' || operator == '%') {
      return right == 0 ? null : (Long) (operator == '/' ? a.divide(b) : a.mod(b)).longValue();
    }
    BigInteger result =
        operator == '+' ? a.add(b) : operator == '-' ? a.subtract(b) : a.multiply(b);
    BigInteger most = BigInteger.valueOf(Long.MAX_VALUE);
    return result.min(most).max(most.negate()).longValue();
  }

  private Object value(String name, Field<?> field) {
    return switch (field.kind()) {
      case BOOLEAN -> random.nextBoolean();
      case CHOICE -> choice(field);
      case FLAGS -> subset(field.valueType().getEnumConstants());
      case TEXT -> {
        List<String> known = new ArrayList<>(texts.getOrDefault(name, new TreeSet<>()));
        yield known.isEmpty() || random.nextInt(8) == 0
            ? "another"
            : known.get(random.nextInt(known.size()));
      }
      case NUMBER -> {
        List<Long> known = new ArrayList<>(numbers.getOrDefault(name, new TreeSet<>()));
        int way = random.nextInt(8);
        yield way == 0
            ? (Long) 0L
            : known.isEmpty() || way <= 2
                ? (Long) (long) random.nextInt(1 << 20)
                : known.get(random.nextInt(known.size()));
      }
    };
  }

  private Long limit(@Nullable Long length) {
    long limit =
        switch (random.nextInt(5)) {
          case 0 -> 0;
          case 1 -> Long.MAX_VALUE;
          case 2 -> 1L << random.nextInt(63);
          case 3 -> random.nextInt(64) * 4096L;
          default -> besides(length == null ? length() : length) & Long.MAX_VALUE;
        };
    // Stock Drools compares two fields as doubles.
    return limit > 1L << 52 ? Long.MAX_VALUE : limit;
  }

  /** A few pages more or less. */
  private long besides(long number) {
    return number
        + PAGE_SIZES[random.nextInt(PAGE_SIZES.length)] * (random.nextInt(7) - 3)
        + random.nextInt(3)
        - 1;
  }

  /** Ends about where the address space does, takes about the limit, or neither. */
  private long length(@Nullable Long address, @Nullable Long memlock) {
    int way = random.nextInt(12);
    if (address != null && way < 2) {
      return -address - random.nextInt(way == 0 ? 3 : 4_096);
    }
    return memlock != null && way < 4 ? besides(memlock) : length();
  }

  private Object choice(Field<?> field) {
    Object[] constants = field.valueType().getEnumConstants();
    // Evidence is of inbox drivers: a vendor's leave most rules undecided for good.
    return field.name().equals("stack") ? constants[0] : any(constants);
  }

  private static Map<String, Field<?>> fields() {
    Map<String, Field<?>> fields = new HashMap<>();
    for (FactType<?> type : GIVEN) {
      type.fields().forEach(field -> fields.put(type.key() + "." + field.name(), field));
    }
    return fields;
  }

  /** Returns true once in so many times. */
  boolean oneIn(int times) {
    return random.nextInt(times) == 0;
  }

  <T> T oneOf(List<T> values) {
    return values.get(random.nextInt(values.size()));
  }

  private <T> T any(T[] values) {
    return values[random.nextInt(values.length)];
  }

  private <T> Set<T> subset(T[] values) {
    Set<T> subset = new HashSet<>();
    for (T value : values) {
      if (random.nextInt(3) == 0) {
        subset.add(value);
      }
    }
    return subset;
  }
}
