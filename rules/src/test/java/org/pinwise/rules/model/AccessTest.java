package org.pinwise.rules.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.pinwise.rules.model.AccessFlag.LOCAL_WRITE;
import static org.pinwise.rules.model.AccessFlag.RELAXED_ORDERING;
import static org.pinwise.rules.model.AccessFlag.REMOTE_READ;

import java.util.HashSet;
import java.util.Locale;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class AccessTest {

  @ParameterizedTest
  @CsvSource({
    "LOCAL_WRITE, 1",
    "REMOTE_WRITE, 2",
    "REMOTE_READ, 4",
    "REMOTE_ATOMIC, 8",
    "MW_BIND, 16",
    "ZERO_BASED, 32",
    "ON_DEMAND, 64",
    "HUGETLB, 128",
    "FLUSH_GLOBAL, 256",
    "FLUSH_PERSISTENT, 512",
    "RELAXED_ORDERING, 1048576"
  })
  void bitsAreThoseOfTheHeader(AccessFlag flag, int bit) {
    assertThat(flag.bit()).isEqualTo(bit);
    assertThat(flag.optional()).isEqualTo(flag == RELAXED_ORDERING);
    assertThat(flag.nativeName()).isEqualTo("IBV_ACCESS_" + flag.name());
  }

  @ParameterizedTest
  @EnumSource(AccessFlag.class)
  void flagsAreFoundByName(AccessFlag flag) {
    assertThat(AccessFlag.byName(flag.name())).contains(flag);
    assertThat(AccessFlag.byName(" " + flag.nativeName().toLowerCase(Locale.ROOT) + " "))
        .contains(flag);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "IBV_ACCESS_", "LOCAL", "LOCAL WRITE", "IB_ACCESS_LOCAL_WRITE"})
  void otherNamesAreNoFlags(String name) {
    assertThat(AccessFlag.byName(name)).isEmpty();
  }

  @Test
  void everyIntIsAnAccessAndComesBack() {
    Random random = new Random(7);
    for (int i = 0; i < 10_000; i++) {
      int bits = random.nextInt();
      Access access = Access.ofBits(bits);
      assertThat(access.bits()).isEqualTo(bits);
      assertThat(new Access(access.flags(), access.unknownBits())).isEqualTo(access);
      assertThat(access.withoutUnknownBits().unknownBits()).isZero();
      assertThat(access.withoutUnknownBits().flags()).isEqualTo(access.flags());
    }
  }

  @Test
  void flagsComeAndGo() {
    Access access = Access.of(REMOTE_READ);
    assertThat(access.with(LOCAL_WRITE)).isEqualTo(Access.of(LOCAL_WRITE, REMOTE_READ));
    assertThat(access.with(REMOTE_READ)).isEqualTo(access);
    assertThat(access.without(REMOTE_READ)).isEqualTo(Access.NONE);
    assertThat(access.without(LOCAL_WRITE)).isEqualTo(access);
    assertThat(access.has(REMOTE_READ)).isTrue();
    assertThat(access.has(LOCAL_WRITE)).isFalse();
  }

  @Test
  void flagsAreInTheOrderOfTheirBitsAndCannotBeChanged() {
    Set<AccessFlag> given = new HashSet<>(Set.of(RELAXED_ORDERING, LOCAL_WRITE));
    Access access = new Access(given, 0);
    given.clear();
    assertThat(access.flags()).containsExactly(LOCAL_WRITE, RELAXED_ORDERING);
    assertThatThrownBy(() -> access.flags().add(REMOTE_READ))
        .isInstanceOf(UnsupportedOperationException.class);
  }

  @Test
  void aNamedBitIsNotUnknown() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new Access(Set.of(), 0x401))
        .withMessage("unknownBits 0x401 holds bits of named flags (0x1003ff)");
  }

  @Test
  void textsAreAsPeopleWriteThem() {
    assertThat(Access.NONE).hasToString("0");
    assertThat(Access.ofBits(0x80000405)).hasToString("LOCAL_WRITE|REMOTE_READ|0x80000400");
  }
}
