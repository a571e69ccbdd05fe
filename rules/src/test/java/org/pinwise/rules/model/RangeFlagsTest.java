package org.pinwise.rules.model;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** What the flags say is tested as what an {@link AddressRange} says, which is made of them. */
class RangeFlagsTest {
  @Test
  void areAllThatAreTrueOrFalseOfARange() {
    assertThat(
            AddressRange.TYPE.fields().stream()
                .filter(field -> field.kind() == Field.Kind.BOOLEAN)
                .map(Field::name))
        .containsExactlyInAnyOrderElementsOf(RangeFlags.FIELDS);
  }

  @Test
  void agreeOnlyInWhatBothKnow() {
    long known = RangeFlags.of(4097, 1, null, 4096, 8192L, 0L);
    long other = RangeFlags.of(8192, 1, null, 4096, 8192L, null);

    long both = RangeFlags.agreeing(known, other);

    assertThat(RangeFlags.get(both, "pageAligned")).isNull();
    assertThat(RangeFlags.get(both, "iovaOffsetDiffers")).isNull();
    assertThat(RangeFlags.get(both, "beyondMemlock")).isFalse();
    assertThat(RangeFlags.get(both, "beyondMemlockLeft")).isNull();
  }
}
