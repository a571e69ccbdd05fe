package org.pinwise.rules.spi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.EnumSet;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.pinwise.rules.model.Access;
import org.pinwise.rules.model.AccessFlag;
import org.pinwise.rules.model.MrRequest;

class FixTest {
  private static final Set<AccessFlag> RIGHTS_OF_PEERS =
      EnumSet.of(
          AccessFlag.REMOTE_READ,
          AccessFlag.REMOTE_WRITE,
          AccessFlag.REMOTE_ATOMIC,
          AccessFlag.FLUSH_GLOBAL,
          AccessFlag.FLUSH_PERSISTENT);

  @ParameterizedTest
  @EnumSource(AccessFlag.class)
  void noFixGivesPeersARight(AccessFlag flag) {
    if (RIGHTS_OF_PEERS.contains(flag)) {
      assertThatIllegalArgumentException()
          .isThrownBy(() -> new Fix.AddFlag(flag))
          .withMessage("a fix never gives peers a right, so it cannot add " + flag);
    } else {
      MrRequest fixed = new Fix.AddFlag(flag).apply(MrRequest.ofLength(1).access().build());
      assertThat(fixed.accessArgument()).isEqualTo(Access.of(flag));
    }
    MrRequest all = MrRequest.ofLength(1).access(AccessFlag.values()).build();
    assertThat(new Fix.DropFlag(flag).apply(all).accessArgument())
        .isEqualTo(Access.of(AccessFlag.values()).without(flag));
  }

  @Test
  void anUnknownAccessStaysUnknown() {
    MrRequest request = MrRequest.ofLength(1).build();
    assertThat(new Fix.AddFlag(AccessFlag.LOCAL_WRITE).apply(request)).isEqualTo(request);
    assertThat(new Fix.DropFlag(AccessFlag.LOCAL_WRITE).apply(request)).isEqualTo(request);
    assertThat(new Fix.DropUnknownBits().apply(request)).isEqualTo(request);
    assertThat(new Fix.AlignIova().apply(request)).isEqualTo(request);
  }

  @Test
  void bitsWithoutNameAreDropped() {
    MrRequest request = MrRequest.ofLength(1).access(Access.ofBits(0xe000_0401)).build();
    assertThat(new Fix.DropUnknownBits().apply(request).accessArgument())
        .isEqualTo(Access.of(AccessFlag.LOCAL_WRITE));
  }

  @Test
  void anAlignedIovaHasTheOffsetOfTheAddress() {
    Random random = new Random(3);
    for (int i = 0; i < 1_000; i++) {
      long address = random.nextLong();
      long iova = random.nextLong();
      Long fixed =
          new Fix.AlignIova().apply(MrRequest.range(address, 1).iova(iova).build()).rawIova();
      assertThat(fixed).isNotNull();
      assertThat((fixed ^ address) & 0xffff).isZero();
      assertThat((fixed ^ iova) & ~0xffffL).isZero();
    }
  }

  @Test
  void fixesNameThemselves() {
    assertThat(new Fix.AddFlag(AccessFlag.LOCAL_WRITE)).hasToString("add LOCAL_WRITE");
    assertThat(new Fix.DropFlag(AccessFlag.HUGETLB)).hasToString("drop HUGETLB");
    assertThat(new Fix.DropUnknownBits()).hasToString("drop unknown bits");
    assertThat(new Fix.AlignIova()).hasToString("align iova");
  }
}
