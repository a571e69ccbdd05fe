package org.pinwise.rules.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.EnumSet;
import java.util.HashSet;
import java.util.Iterator;
import java.util.NoSuchElementException;
import java.util.Set;
import org.junit.jupiter.api.Test;

class FlagSetTest {
  private static final AccessFlag[] FLAGS = AccessFlag.values();

  @Test
  void holdsWhatAnySetOfTheSameFlagsHolds() {
    for (int bits = 0; bits < 1 << FLAGS.length; bits++) {
      Set<AccessFlag> expected = EnumSet.noneOf(AccessFlag.class);
      for (int i = 0; i < FLAGS.length; i++) {
        if ((bits >>> i & 1) != 0) {
          expected.add(FLAGS[i]);
        }
      }
      FlagSet<AccessFlag> set = FlagSet.of(FLAGS, new HashSet<>(expected));
      assertThat(set).isEqualTo(expected).hasSameHashCodeAs(expected);
      assertThat(set).containsExactlyElementsOf(expected);
      assertThat(FlagSet.bits(set)).isEqualTo(FlagSet.bits(expected)).isEqualTo(bits);
      for (AccessFlag flag : FLAGS) {
        assertThat(set.contains(flag)).isEqualTo(expected.contains(flag));
      }
    }
  }

  @Test
  void holdsNoConstantOfAnotherEnum() {
    Set<?> set = FlagSet.of(FLAGS, EnumSet.allOf(AccessFlag.class));
    assertThat(set.contains(Use.RECEIVE)).isFalse();
    assertThat(set.contains(null)).isFalse();
  }

  @Test
  void endsAndDoesNotChange() {
    Set<AccessFlag> given = EnumSet.of(AccessFlag.ON_DEMAND);
    MrRequest request = MrRequest.builder().access(new Access(given, 0)).build();
    given.clear();
    assertThat(request.access()).containsExactly(AccessFlag.ON_DEMAND);
    Iterator<AccessFlag> flags = FlagSet.of(FLAGS, given).iterator();
    assertThatThrownBy(flags::next).isInstanceOf(NoSuchElementException.class);
    assertThatThrownBy(() -> FlagSet.of(FLAGS, given).add(AccessFlag.HUGETLB))
        .isInstanceOf(UnsupportedOperationException.class);
  }
}
