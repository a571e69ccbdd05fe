package org.pinwise.engine;

import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;
import org.pinwise.engine.eval.FactTuple;
import org.pinwise.engine.eval.RequestKey;
import org.pinwise.rules.model.AddressRange;
import org.pinwise.rules.model.Device;
import org.pinwise.rules.model.FactType;
import org.pinwise.rules.model.Facts;
import org.pinwise.rules.model.Field;
import org.pinwise.rules.model.Host;
import org.pinwise.rules.model.Memory;
import org.pinwise.rules.model.MrRequest;
import org.pinwise.rules.model.Volatility;

/**
 * Judges requests to one device of one host, and remembers its decisions by what of a request
 * matters to the rules there ({@link RequestKey}). Thread-safe and bounded; a verdict like one that
 * was given before takes no lock and little more memory than itself.
 *
 * {@snippet :
 * BoundValidator validator = MrValidator.create(RuleSet.builtIn()).forHost(device, host);
 * Verdict verdict = validator.validate(MrRequest.ofLength(4096).build());
 * }
 */
public final class BoundValidator {
  /** Beyond so many decisions the memo starts anew; one takes some hundred bytes. */
  private static final int MAX_DECISIONS = 1 << 16;

  private static final int FIRST_SLOTS = 1 << 6;

  /** What does not change while a device or a host is bound. */
  private static final List<Field<Device>> OF_DEVICE = fixed(Device.TYPE);

  private static final List<Field<Host>> OF_HOST = fixed(Host.TYPE);

  private final MrValidator validator;
  private final int maxDecisions;
  private final Device device;
  private final Host host;
  private final RequestKey key;
  private final OutcomeMemo memo;
  private final long assumedMemory;
  private final long boundLive;

  /** Open addressing; a slot is written once. A table that is full is replaced as a whole. */
  private volatile AtomicReferenceArray<@Nullable Known> slots =
      new AtomicReferenceArray<>(FIRST_SLOTS);

  private int count;
  private long decided;

  /** A decision and the key under which it was made. */
  private record Known(
      long choices,
      long numbers,
      long memory,
      long range,
      long live,
      long others,
      Decision decision) {
    boolean is(long c, long n, long m, long r, long l, long o) {
      return choices == c && numbers == n && memory == m && range == r && live == l && others == o;
    }

    boolean isLike(Known other) {
      return other.is(choices, numbers, memory, range, live, others);
    }

    int slot(int size) {
      return BoundValidator.slot(choices, numbers, memory, range, live, others, size);
    }
  }

  BoundValidator(MrValidator validator, Device device, Host host) {
    this(validator, device, host, MAX_DECISIONS);
  }

  BoundValidator(MrValidator validator, Device device, Host host, int maxDecisions) {
    this.validator = validator;
    this.maxDecisions = maxDecisions;
    this.device = device;
    this.host = host;
    Facts facts = new Facts(MrRequest.TYPE.unknown(), null, device, host);
    FactTuple completed = validator.assumptions().complete(facts).facts();
    FactTuple bound =
        completed
            .with(AddressRange.TYPE.unknown())
            .with(Memory.TYPE.unknown())
            .with(Device.TYPE.withoutLive(completed.device()))
            .with(Host.TYPE.withoutLive(completed.host()));
    boolean assumes = validator.assumptions() == Assumptions.USUAL;
    this.key = new RequestKey(validator.compiled(), bound, assumes);
    this.memo = validator.memoAround(bound);
    this.assumedMemory = key.memory(assumes ? Memory.ORDINARY : Memory.TYPE.unknown());
    this.boundLive = key.live(device, host);
  }

  /** Returns the device. */
  public Device device() {
    return device;
  }

  /** Returns the host. */
  public Host host() {
    return host;
  }

  /** Returns how many requests were not like one before, so that they were decided anew. */
  public synchronized long decided() {
    return decided;
  }

  /** Returns the verdict on a request; nothing is known of its memory. */
  public Verdict validate(MrRequest request) {
    return validate(request, null);
  }

  /** Returns the verdict on a request and its memory; null where nothing is known of it. */
  public Verdict validate(MrRequest request, @Nullable Memory memory) {
    Facts facts = new Facts(request, memory, device, host);
    return validator.verdict(
        facts, key.fits() ? decision(facts, boundLive) : validator.decide(facts, memo));
  }

  /**
   * Returns the verdict on facts. It takes the time of {@link MrValidator#validate} where they
   * differ from the device and host bound here in more than what is live, such as {@link
   * Host#pinnedPages}, or hold a plan or labels.
   */
  public Verdict validate(Facts facts) {
    if (!key.fits() || !givesNothingElse(facts) || !isHere(facts)) {
      return validator.validate(facts);
    }
    return validator.verdict(facts, decision(facts, key.live(facts.device(), facts.host())));
  }

  private static boolean givesNothingElse(Facts facts) {
    return facts.equals(new Facts(facts.request(), facts.memory(), facts.device(), facts.host()));
  }

  /** What is assumed depends on whether pinned pages and regions in use are known. */
  private boolean isHere(Facts facts) {
    return isLike(OF_DEVICE, device, facts.device())
        && isLike(OF_HOST, host, facts.host())
        && (host.pinnedPages() == null) == (facts.host().pinnedPages() == null)
        && (device.mrInUse() == null) == (facts.device().mrInUse() == null);
  }

  @SuppressWarnings("ReferenceEquality") // mostly it is the same object, and then it is quick
  private static <F> boolean isLike(List<Field<F>> fixed, F one, F other) {
    if (one == other) {
      return true;
    }
    for (int i = 0; i < fixed.size(); i++) {
      Field<F> field = fixed.get(i);
      if (!Objects.equals(field.read(one), field.read(other))) {
        return false;
      }
    }
    return true;
  }

  private static <F> List<Field<F>> fixed(FactType<F> type) {
    return type.fields().stream().filter(field -> field.volatility() != Volatility.LIVE).toList();
  }

  private Decision decision(Facts facts, long live) {
    MrRequest request = facts.request();
    Memory given = facts.memory();
    long choices = key.choices(request);
    long numbers = key.numbers(request);
    long memory = given == null ? assumedMemory : key.memory(given);
    long range = key.range(request, facts.host().pinnedPages());
    long others = key.hasOthers() ? key.others(validator.assumptions().complete(facts).facts()) : 0;
    AtomicReferenceArray<@Nullable Known> table = slots;
    int size = table.length();
    int i = slot(choices, numbers, memory, range, live, others, size);
    for (Known known = table.getAcquire(i); known != null; known = table.getAcquire(i)) {
      if (known.is(choices, numbers, memory, range, live, others)) {
        return known.decision;
      }
      i = (i + 1) & (size - 1);
    }
    Decision made = validator.decide(facts, memo);
    remember(new Known(choices, numbers, memory, range, live, others, made));
    return made;
  }

  private static int slot(
      long choices, long numbers, long memory, long range, long live, long others, int size) {
    long mixed = choices * 0x9e3779b97f4a7c15L;
    mixed = (mixed ^ mixed >>> 29 ^ numbers) * 0xbf58476d1ce4e5b9L;
    mixed = (mixed ^ mixed >>> 32 ^ range) * 0x94d049bb133111ebL;
    mixed = (mixed ^ mixed >>> 29 ^ live ^ Long.rotateLeft(memory, 32)) * 0x9e3779b97f4a7c15L;
    mixed = (mixed ^ mixed >>> 32 ^ others) * 0xbf58476d1ce4e5b9L;
    return (int) (mixed >>> 32) & (size - 1);
  }

  private synchronized void remember(Known known) {
    AtomicReferenceArray<@Nullable Known> table = slots;
    if (count >= maxDecisions) {
      table = new AtomicReferenceArray<>(FIRST_SLOTS);
      count = 0;
    } else if (2 * (count + 1) > table.length()) {
      AtomicReferenceArray<@Nullable Known> larger = new AtomicReferenceArray<>(2 * table.length());
      for (int i = 0; i < table.length(); i++) {
        Known old = table.get(i);
        if (old != null) {
          put(larger, old);
        }
      }
      table = larger;
    }
    if (put(table, known)) {
      count++;
    }
    decided++;
    slots = table;
  }

  private static boolean put(AtomicReferenceArray<@Nullable Known> table, Known known) {
    int i = known.slot(table.length());
    for (Known there = table.get(i); there != null; there = table.get(i)) {
      if (there.isLike(known)) {
        return false;
      }
      i = (i + 1) & (table.length() - 1);
    }
    table.setRelease(i, known);
    return true;
  }
}
