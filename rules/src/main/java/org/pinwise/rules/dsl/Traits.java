package org.pinwise.rules.dsl;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import org.pinwise.rules.model.AccessFlag;
import org.pinwise.rules.model.Device;
import org.pinwise.rules.model.Host;
import org.pinwise.rules.model.Kernel;
import org.pinwise.rules.model.Memory;
import org.pinwise.rules.model.MemoryKind;
import org.pinwise.rules.model.MrRequest;
import org.pinwise.rules.model.Size;
import org.pinwise.rules.model.Use;
import org.pinwise.rules.model.Verb;

/** The traits that rules speak of most; {@link Fields} has all others. */
public final class Traits {
  private Traits() {}

  /** Returns the trait of asking for all these flags. */
  public static Trait haveAccess(AccessFlag flag, AccessFlag... more) {
    Trait all = access().has(flag);
    for (AccessFlag next : more) {
      all = all.and(access().has(next));
    }
    return all.as("have access " + names(all(flag, more)));
  }

  /** Returns the trait of asking for none of these flags. */
  public static Trait haveNoAccess(AccessFlag flag, AccessFlag... more) {
    Trait none = access().hasNo(flag);
    for (AccessFlag next : more) {
      none = none.and(access().hasNo(next));
    }
    return none.as("have no access " + names(all(flag, more)));
  }

  /** Returns the trait of lying in memory of one of these kinds. */
  public static Trait haveMemory(MemoryKind kind, MemoryKind... more) {
    return oneOf(Fields.choice(Memory.TYPE, "kind", MemoryKind.class), all(kind, more))
        .as("have memory " + names(all(kind, more)));
  }

  /** Returns the trait of being made by one of these verbs. */
  public static Trait registerVia(Verb verb, Verb... more) {
    return oneOf(Fields.choice(MrRequest.TYPE, "verb", Verb.class), all(verb, more))
        .as("register via " + names(all(verb, more)));
  }

  /** Returns the trait that the program does this with the region. */
  public static Trait serve(Use use) {
    return Fields.flags(MrRequest.TYPE, "uses", Use.class).has(use).as("serve " + use);
  }

  /** Returns the trait of going to a device of one of these drivers. */
  public static Trait useDriver(String driver, String... more) {
    List<String> all = all(driver, more);
    Fields.ValueField<String> field = Fields.text(Device.TYPE, "driver");
    Trait trait = more.length == 0 ? field.is(driver) : field.isOneOf(all);
    return trait.as("use driver " + String.join(" or ", all));
  }

  /** Returns the trait of being made on this kernel or a newer one, see {@link Kernel}. */
  public static Trait runOnKernelSince(int kernel) {
    return Fields.number(Host.TYPE, "kernel")
        .isAtLeast(kernel)
        .as("run on kernel %s or newer".formatted(Kernel.text(kernel)));
  }

  /** Returns the trait of having so many bytes or more. */
  public static Trait haveLengthOfAtLeast(long bytes) {
    return Fields.number(MrRequest.TYPE, "length")
        .isAtLeast(bytes)
        .as("have a length of at least " + Size.text(bytes));
  }

  /** Returns the trait of having so many bytes or fewer. */
  public static Trait haveLengthOfAtMost(long bytes) {
    return Fields.number(MrRequest.TYPE, "length")
        .isAtMost(bytes)
        .as("have a length of at most " + Size.text(bytes));
  }

  private static Fields.FlagsField<AccessFlag> access() {
    return Fields.flags(MrRequest.TYPE, "access", AccessFlag.class);
  }

  private static <E extends Enum<E>> Trait oneOf(Fields.ValueField<E> field, List<E> all) {
    return all.size() == 1 ? field.is(all.get(0)) : field.isOneOf(all);
  }

  private static <E> List<E> all(E first, E[] more) {
    List<E> all = new ArrayList<>(List.of(first));
    all.addAll(Arrays.asList(more));
    return all;
  }

  private static String names(List<? extends Enum<?>> all) {
    return all.stream().map(Enum::name).collect(Collectors.joining("|"));
  }
}
