package org.pinwise.rules.model;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/**
 * The {@code access} argument of a registration: flags that have a name, and the bits that have
 * none.
 *
 * @param flags the named flags, in the order of their bits; immutable
 * @param unknownBits the other bits, as an int's bit pattern; 0 where there are none
 */
public record Access(Set<AccessFlag> flags, int unknownBits) {

  private static final AccessFlag[] FLAGS = AccessFlag.values();
  private static final int NAMED =
      Arrays.stream(FLAGS).mapToInt(AccessFlag::bit).reduce(0, (a, b) -> a | b);

  /** No flag: local read only. */
  public static final Access NONE = new Access(Set.of(), 0);

  /**
   * Makes the access of these parts.
   *
   * @throws IllegalArgumentException if {@code unknownBits} holds the bit of a named flag
   */
  public Access {
    if ((unknownBits & NAMED) != 0) {
      throw new IllegalArgumentException(
          "unknownBits 0x%x holds bits of named flags (0x%x)".formatted(unknownBits, NAMED));
    }
    flags = FlagSet.of(FLAGS, flags);
  }

  /** Returns the access of these flags. */
  public static Access of(AccessFlag... flags) {
    return new Access(Set.copyOf(Arrays.asList(flags)), 0);
  }

  /** Returns the access of an int as C passes it; every int is valid. */
  public static Access ofBits(int bits) {
    EnumSet<AccessFlag> flags = EnumSet.noneOf(AccessFlag.class);
    for (AccessFlag flag : AccessFlag.values()) {
      if ((bits & flag.bit()) != 0) {
        flags.add(flag);
      }
    }
    return new Access(flags, bits & ~NAMED);
  }

  /** Returns the int that C passes. */
  public int bits() {
    int bits = unknownBits;
    for (AccessFlag flag : flags) {
      bits |= flag.bit();
    }
    return bits;
  }

  /** Returns whether the flag is set. */
  public boolean has(AccessFlag flag) {
    return flags.contains(flag);
  }

  /** Returns this access with one flag more. */
  public Access with(AccessFlag flag) {
    return ofBits(bits() | flag.bit());
  }

  /** Returns this access without the flag. */
  public Access without(AccessFlag flag) {
    return ofBits(bits() & ~flag.bit());
  }

  /** Returns this access without the bits that have no name. */
  public Access withoutUnknownBits() {
    return new Access(flags, 0);
  }

  /** Returns names separated by {@code |}, unknown bits in hexadecimal last; {@code 0} for none. */
  @Override
  public String toString() {
    List<String> parts = new ArrayList<>();
    flags.forEach(flag -> parts.add(flag.name()));
    if (unknownBits != 0 || parts.isEmpty()) {
      parts.add(unknownBits == 0 ? "0" : "0x%x".formatted(unknownBits));
    }
    return String.join("|", parts);
  }
}
