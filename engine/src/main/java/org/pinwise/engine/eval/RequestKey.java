package org.pinwise.engine.eval;

import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.pinwise.rules.model.AddressRange;
import org.pinwise.rules.model.Device;
import org.pinwise.rules.model.FactType;
import org.pinwise.rules.model.Field;
import org.pinwise.rules.model.Host;
import org.pinwise.rules.model.Memory;
import org.pinwise.rules.model.MrRequest;
import org.pinwise.rules.model.RangeFlags;
import org.pinwise.rules.model.Volatility;
import org.pinwise.rules.spi.Condition;
import org.pinwise.rules.spi.Operand;
import org.pinwise.rules.spi.Truth;

/**
 * What of a request and its memory matters to rules on one device of one host, as a few numbers.
 * Requests with equal numbers answer every comparison of these rules alike. Immutable and
 * thread-safe; computing the numbers takes no memory, unless a rule computes with several facts.
 *
 * <p>A rule that the device and the host alone rule out is left out, with all that it compares. Of
 * a field of which there are few values, the value is in the key; of a number, between which of the
 * numbers it lies with which it is compared. Any other comparison is made. What is neither of the
 * call nor live is bound: the key must not be used for facts in which it differs.
 */
public final class RequestKey {
  private static final int WORD = 64;
  private static final long UNKNOWN = 0;

  /** The fields of a request of which there are few values, in the order of {@link #choices}. */
  private static final List<String> CHOICES = List.of("verb", "access", "regionAccess", "uses");

  /** The fields of a request that are numbers, in the order of {@link #numbers}. */
  private static final List<String> NUMBERS =
      List.of("unknownBits", "unknownOptionalBits", "address", "length", "iova");

  /** The fields of a range that are numbers, in the order of {@link #numbersOfRange}. */
  private static final List<String> RANGE_NUMBERS = List.of("alignment", "pages", "pagesLow32");

  private final boolean fits;
  private final @Nullable Digit[] choices;
  private final @Nullable Digit[] numbers;
  private final Digit[] ofMemory;
  private final Digit[] ofDevice;
  private final Digit[] ofHost;
  private final long rangeFlags;
  private final Digit @Nullable [] ofRange;
  private final Atom[] others;
  private final boolean assumeAddress;
  private final Host host;
  private final @Nullable Long memlock;
  private final long[] pageSizes;

  /**
   * Makes the key for rules on a device and a host.
   *
   * @param bound a tuple of the device and the host without what is live, whose other facts are
   *     unknown
   * @param assumeAddress whether an address that is not given is taken as page-aligned
   */
  public RequestKey(List<CompiledRule> rules, FactTuple bound, boolean assumeAddress) {
    this.assumeAddress = assumeAddress;
    this.host = bound.host();
    this.memlock = host.memlock();
    Long pageSize = host.pageSize();
    this.pageSizes = pageSize == null ? AddressRange.pageSizes() : new long[] {pageSize};
    Plan plan = new Plan(bound);
    for (CompiledRule rule : rules) {
      if (rule.of(bound) != Truth.FALSE) {
        rule.atoms().forEach(plan::add);
      }
    }
    this.choices = plan.digitsOfRequest(CHOICES);
    this.numbers = plan.digitsOfRequest(NUMBERS);
    this.ofMemory = plan.digits(Memory.TYPE);
    this.ofDevice = plan.digits(Device.TYPE);
    this.ofHost = plan.digits(Host.TYPE);
    this.rangeFlags = plan.rangeFlags;
    this.ofRange = plan.rangeDigits();
    this.others = plan.others.toArray(Atom[]::new);
    this.fits =
        !plan.mixesCompleted
            && Stream.of(plan.digits(MrRequest.TYPE)).allMatch(RequestKey::isRead)
            && 2 * others.length <= WORD
            && width(choices) <= WORD
            && width(numbers) <= WORD
            && width(ofMemory) <= WORD
            && width(ofDevice) + width(ofHost) <= WORD
            && (ofRange == null ? 0 : width(ofRange)) + 2 * RangeFlags.FIELDS.size() <= WORD;
  }

  /** Returns whether the rules' comparisons fit the key; else it must not be used. */
  public boolean fits() {
    return fits;
  }

  /** Returns whether comparisons are left for which {@link #others} needs all facts. */
  public boolean hasOthers() {
    return others.length > 0;
  }

  private static boolean isRead(Digit digit) {
    return CHOICES.contains(digit.field.name()) || NUMBERS.contains(digit.field.name());
  }

  // What a request holds is read by name: it takes half of the time that calls of readers take.

  /** Returns the number for the fields of the request of which there are few values. */
  public long choices(MrRequest request) {
    long word = choice(choices[0], request.verb(), 0);
    word = members(choices[1], request.access(), word);
    word = members(choices[2], request.regionAccess(), word);
    return members(choices[3], request.uses(), word);
  }

  /** Returns the number for the numbers of the request. */
  public long numbers(MrRequest request) {
    long word = number(numbers[0], request.unknownBits(), 0);
    word = number(numbers[1], request.unknownOptionalBits(), word);
    word = number(numbers[2], request.address(), word);
    word = number(numbers[3], request.length(), word);
    return number(numbers[4], request.iova(), word);
  }

  private static long choice(@Nullable Digit digit, @Nullable Enum<?> value, long above) {
    return digit == null ? above : digit.below(above, value == null ? UNKNOWN : Digit.place(value));
  }

  private static long members(
      @Nullable Digit digit, @Nullable Set<? extends Enum<?>> value, long above) {
    return digit == null
        ? above
        : digit.below(above, value == null ? UNKNOWN : digit.members(value));
  }

  private static long number(@Nullable Digit digit, @Nullable Long value, long above) {
    return digit == null
        ? above
        : digit.below(above, value == null ? UNKNOWN : digit.interval(value));
  }

  /** Returns the number for the memory. */
  public long memory(Memory memory) {
    return code(ofMemory, memory, 0);
  }

  /** Returns the number for what is live of a device and a host. */
  public long live(Device device, Host liveHost) {
    return code(ofHost, liveHost, code(ofDevice, device, 0));
  }

  /** Returns the number for all comparisons that are made one by one. */
  public long others(FactTuple facts) {
    long word = 0;
    for (Atom other : others) {
      word = word << 2 | other.test().of(facts).code();
    }
    return word;
  }

  /**
   * Returns the number for what follows from the request's address, length and iova.
   *
   * @param pinned the pages that the process has pinned by now; null where unknown
   */
  public long range(MrRequest request, @Nullable Long pinned) {
    Digit[] digits = ofRange;
    if (rangeFlags == 0 && digits == null) {
      return 0;
    }
    Long givenAddress = request.rawAddress();
    Long length = request.rawLength();
    Long iova = request.rawIova();
    if (length == null || (givenAddress == null && !assumeAddress)) {
      return range(request, digits, pinned);
    }
    long address = givenAddress == null ? AddressRange.ASSUMED_ADDRESS : givenAddress;
    long flags = RangeFlags.of(address, length, iova, pageSizes[0], memlock, pinned);
    for (int i = 1; i < pageSizes.length; i++) {
      flags =
          RangeFlags.agreeing(
              flags, RangeFlags.of(address, length, iova, pageSizes[i], memlock, pinned));
    }
    return digits == null
        ? relevant(flags)
        : numbersOfRange(digits, address, length, relevant(flags));
  }

  private long relevant(long flags) {
    long known = (flags >>> RangeFlags.KNOWN) & rangeFlags;
    return (flags & known) << RangeFlags.FIELDS.size() | known;
  }

  private long numbersOfRange(Digit[] digits, long address, long length, long word) {
    long pages = RangeFlags.pages(address, length, pageSizes[0]);
    long low32 = RangeFlags.pagesLow32(address, length, pageSizes[0]);
    boolean pagesKnown = true;
    boolean low32Known = true;
    for (int i = 1; i < pageSizes.length; i++) {
      pagesKnown &= RangeFlags.pages(address, length, pageSizes[i]) == pages;
      low32Known &= RangeFlags.pagesLow32(address, length, pageSizes[i]) == low32;
    }
    long all = digits[0].below(word, digits[0].interval(RangeFlags.alignment(address)));
    all = digits[1].below(all, pagesKnown ? digits[1].interval(pages) : UNKNOWN);
    return digits[2].below(all, low32Known ? digits[2].interval(low32) : UNKNOWN);
  }

  /** The same number, for a range that is known in part. */
  private long range(MrRequest request, Digit @Nullable [] digits, @Nullable Long pinned) {
    AddressRange range = AddressRange.of(request, host.withPinnedPages(pinned), assumeAddress);
    long flags = 0;
    for (int i = 0; i < RangeFlags.FIELDS.size(); i++) {
      Object value = AddressRange.TYPE.field(RangeFlags.FIELDS.get(i)).orElseThrow().read(range);
      flags |= value == null ? 0 : 1L << (RangeFlags.KNOWN + i);
      flags |= Boolean.TRUE.equals(value) ? 1L << i : 0;
    }
    return digits == null ? relevant(flags) : code(digits, range, relevant(flags));
  }

  private static long code(Digit[] digits, Object fact, long above) {
    long word = above;
    for (Digit digit : digits) {
      word = digit.below(word, digit.of(fact));
    }
    return word;
  }

  private static int width(@Nullable Digit[] digits) {
    int width = 0;
    for (Digit digit : digits) {
      width += digit == null ? 0 : digit.width;
    }
    return width;
  }

  /** What matters of a field, as a number of some bits. */
  private static final class Digit {
    private final Field<Object> field;
    private final Object[] known;
    private final long members;
    private final long[] bounds;
    private final int width;

    /**
     * Makes the digit of a field.
     *
     * @param constants what it is compared with: numbers, texts, or members of its set
     */
    @SuppressWarnings("unchecked") // a digit reads facts of its field's type only
    Digit(Operand.FieldOf<?> of, Collection<Object> constants) {
      this.field = (Field<Object>) of.field();
      boolean number = field.kind() == Field.Kind.NUMBER;
      this.bounds =
          number ? constants.stream().mapToLong(c -> (Long) c).sorted().toArray() : new long[0];
      this.known = number ? new Object[0] : constants.toArray();
      this.members = field.kind() == Field.Kind.FLAGS ? bits(constants) : 0;
      this.width =
          switch (field.kind()) {
            case BOOLEAN -> 2;
            case CHOICE -> bits(field.valueType().getEnumConstants().length);
            case FLAGS -> 1 + field.valueType().getEnumConstants().length;
            case TEXT -> bits(known.length + 1);
            case NUMBER -> bits(2 * bounds.length + 1);
          };
    }

    @SuppressWarnings("unchecked") // what a set is compared with is its members
    private static long bits(Collection<?> constants) {
      return Field.bits(Set.copyOf((Collection<Enum<?>>) constants));
    }

    /** Puts a code of this digit below those of others. */
    long below(long above, long code) {
      return above << width | code;
    }

    private static int bits(int greatest) {
      return Integer.SIZE - Integer.numberOfLeadingZeros(greatest);
    }

    @SuppressWarnings("unchecked") // a field of flags holds a set of an enum's constants
    long of(Object fact) {
      Object value = field.read(fact);
      if (value == null) {
        return UNKNOWN;
      }
      return switch (field.kind()) {
        case BOOLEAN -> value.equals(true) ? 2L : 1L;
        case CHOICE -> place((Enum<?>) value);
        case FLAGS -> members((Set<? extends Enum<?>>) value);
        case TEXT -> place((String) value);
        case NUMBER -> interval(((Number) value).longValue());
      };
    }

    @SuppressWarnings("EnumOrdinal") // a key lives no longer than its JVM
    static long place(Enum<?> constant) {
      return constant.ordinal() + 1L;
    }

    long members(Set<? extends Enum<?>> set) {
      return (Field.bits(set) & members) << 1 | 1;
    }

    private long place(String text) {
      for (int i = 0; i < known.length; i++) {
        if (known[i].equals(text)) {
          return i + 2L;
        }
      }
      return 1;
    }

    /** An even number for one that is a bound, an odd one for one between bounds. */
    long interval(long value) {
      int i = 0;
      while (i < bounds.length && bounds[i] < value) {
        i++;
      }
      return i < bounds.length && bounds[i] == value ? 2L * i + 2 : 2L * i + 1;
    }
  }

  /** Sorts comparisons by how they enter the key. */
  private static final class Plan {
    private final FactTuple bound;
    private final Set<String> seen = new LinkedHashSet<>();
    private final Map<Operand.FieldOf<?>, Set<Object>> constants = new LinkedHashMap<>();
    private final Map<String, Set<Object>> ofRange = new TreeMap<>();
    private final List<Atom> others = new ArrayList<>();
    private long rangeFlags;
    private boolean mixesCompleted;

    Plan(FactTuple bound) {
      this.bound = bound;
    }

    void add(Atom atom) {
      if (atom.reads().stream().allMatch(Plan::isBound) || !seen.add(atom.key())) {
        return;
      }
      // Completions fill in the kernel and the driver, and the key is made once for all of them.
      mixesCompleted |= atom.reads().stream().anyMatch(Plan::isCompleted);
      Condition condition = atom.condition();
      boolean added =
          condition instanceof Condition.Compare compare
              ? side(compare.left(), compare.right(), atom)
                  || side(compare.right(), compare.left(), atom)
              : condition instanceof Condition.OneOf oneOf
                  ? digit(oneOf.left(), oneOf.values().stream().map(c -> c.value()).toList())
                  : condition instanceof Condition.Contains contains
                      ? contains.member() instanceof Operand.Constant constant
                          && digit(contains.set(), List.of(constant.value()))
                      : condition instanceof Condition.Holds holds
                          && digit(holds.field(), List.of());
      if (!added) {
        others.add(atom);
      }
    }

    private static boolean isBound(Operand.FieldOf<?> field) {
      boolean place = field.type().equals(Device.TYPE) || field.type().equals(Host.TYPE);
      return place ? field.field().volatility() != Volatility.LIVE : !isOfCall(field);
    }

    private static boolean isOfCall(Operand.FieldOf<?> field) {
      return field.type().equals(MrRequest.TYPE)
          || field.type().equals(AddressRange.TYPE)
          || field.type().equals(Memory.TYPE);
    }

    private static boolean isBound(Operand operand) {
      if (operand instanceof Operand.Arithmetic arithmetic) {
        return isBound(arithmetic.left()) && isBound(arithmetic.right());
      }
      return !(operand instanceof Operand.FieldOf<?> field) || isBound(field);
    }

    private static boolean isCompleted(Operand.FieldOf<?> field) {
      return field.field().format() == Field.Format.KERNEL
          || (field.type().equals(Device.TYPE) && field.field().name().equals("driver"));
    }

    /** A field compared with what is bound; with what is unknown there it answers nothing. */
    private boolean side(Operand operand, Operand other, Atom atom) {
      if (!(operand instanceof Operand.FieldOf<?> field) || !isBound(other)) {
        return false;
      }
      if (field.field().kind() == Field.Kind.FLAGS) {
        return false; // two sets are compared as a whole
      }
      if (field.field().kind() == Field.Kind.NUMBER) {
        long with = Numbers.compile(other, atom.parameters()).of(bound);
        return digit(operand, with == Numbers.UNKNOWN ? List.of() : List.of(with));
      }
      Object with = Values.compile(other).of(bound);
      return digit(operand, with == null ? List.of() : List.of(with));
    }

    private boolean digit(Operand operand, List<Object> with) {
      if (!(operand instanceof Operand.FieldOf<?> field) || isBound(field)) {
        return false;
      }
      if (field.type().equals(AddressRange.TYPE)) {
        String name = field.field().name();
        int flag = RangeFlags.FIELDS.indexOf(name);
        rangeFlags |= flag < 0 ? 0 : 1L << flag;
        if (RANGE_NUMBERS.contains(name)) {
          ofRange.computeIfAbsent(name, f -> new TreeSet<>()).addAll(with);
        }
        return flag >= 0 || RANGE_NUMBERS.contains(name);
      }
      constants.computeIfAbsent(field, f -> new LinkedHashSet<>()).addAll(with);
      return true;
    }

    Digit[] digits(FactType<?> type) {
      return constants.entrySet().stream()
          .filter(entry -> entry.getKey().type().equals(type))
          .map(entry -> new Digit(entry.getKey(), entry.getValue()))
          .toArray(Digit[]::new);
    }

    /** The digits of fields by name, null for one that no rule compares. */
    @Nullable Digit[] digitsOfRequest(List<String> names) {
      Digit[] compared = digits(MrRequest.TYPE);
      return names.stream()
          .map(name ->
              Stream.of(compared)
                  .filter(digit -> digit.field.name().equals(name))
                  .findFirst()
                  .orElse(null))
          .toArray(Digit[]::new);
    }

    /** The digits of {@link #RANGE_NUMBERS}; null where no rule compares one of them. */
    Digit @Nullable [] rangeDigits() {
      return ofRange.isEmpty()
          ? null
          : RANGE_NUMBERS.stream()
              .map(name -> new Digit(rangeField(name), ofRange.getOrDefault(name, Set.of())))
              .toArray(Digit[]::new);
    }

    private static Operand.FieldOf<?> rangeField(String name) {
      return new Operand.FieldOf<>(AddressRange.TYPE, AddressRange.TYPE.field(name).orElseThrow());
    }
  }
}
