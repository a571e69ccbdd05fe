package org.pinwise.rules.model;

import java.util.AbstractSet;
import java.util.Collection;
import java.util.Iterator;
import java.util.NoSuchElementException;
import org.jspecify.annotations.Nullable;

/**
 * Some constants of an enum, in their order. Immutable, and what rules ask of it is a look at bits.
 *
 * @param <E> the enum, of at most 63 constants
 */
final class FlagSet<E extends Enum<E>> extends AbstractSet<E> {
  private final E[] constants;
  private final long bits;

  private FlagSet(E[] constants, long bits) {
    this.constants = constants;
    this.bits = bits;
  }

  /**
   * Returns a set with these members.
   *
   * @param constants all constants of the enum, in their order; not to be changed after
   */
  @SuppressWarnings("unchecked") // a set of such members is a set of that enum
  static <E extends Enum<E>> FlagSet<E> of(E[] constants, Collection<E> members) {
    return members instanceof FlagSet<?> set
        ? (FlagSet<E>) set
        : new FlagSet<>(constants, bits(members));
  }

  /** Returns the members as bits, by the places of the constants. */
  @SuppressWarnings("EnumOrdinal") // the bits live no longer than their JVM
  static long bits(Collection<? extends Enum<?>> members) {
    if (members instanceof FlagSet<?> set) {
      return set.bits;
    }
    long bits = 0;
    for (Enum<?> member : members) {
      bits |= 1L << member.ordinal();
    }
    return bits;
  }

  @Override
  @SuppressWarnings({"EnumOrdinal", "ReferenceEquality"}) // a constant is one object
  public boolean contains(@Nullable Object member) {
    return member instanceof Enum<?> constant
        && (bits >>> constant.ordinal() & 1) != 0
        && constants[constant.ordinal()] == member;
  }

  @Override
  public int size() {
    return Long.bitCount(bits);
  }

  @Override
  public Iterator<E> iterator() {
    return new Iterator<>() {
      private long left = bits;

      @Override
      public boolean hasNext() {
        return left != 0;
      }

      @Override
      public E next() {
        if (left == 0) {
          throw new NoSuchElementException();
        }
        E next = constants[Long.numberOfTrailingZeros(left)];
        left &= left - 1;
        return next;
      }
    };
  }
}
