package org.pinwise.rules.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

class MrRequestTest {

  @Test
  void numbersAreSaturatedAndKept() {
    MrRequest request = MrRequest.range(-4096, -1).iova(1L << 63).build();
    assertThat(request.address()).isEqualTo(Long.MAX_VALUE);
    assertThat(request.length()).isEqualTo(Long.MAX_VALUE);
    assertThat(request.iova()).isEqualTo(Long.MAX_VALUE);
    assertThat(request.rawAddress()).isEqualTo(-4096);
    assertThat(request.rawLength()).isEqualTo(-1);
    assertThat(request.rawIova()).isEqualTo(1L << 63);
  }

  @Test
  void saturatedAndRawNumbersAgree() {
    assertThatIllegalArgumentException()
        .isThrownBy(() ->
            new MrRequest(
                Verb.REG_MR, null, null, null, null, 5L, null, null, null, null, 6L, null))
        .withMessage("length 5 is not its raw value 6 saturated");
  }

  @Test
  void anIovaMakesItsVerb() {
    assertThat(MrRequest.ofLength(1).build().verb()).isEqualTo(Verb.REG_MR);
    assertThat(MrRequest.ofLength(1).iova(0).build().verb()).isEqualTo(Verb.REG_MR_IOVA);
    assertThat(MrRequest.ofLength(1).verb(Verb.REG_DMABUF_MR).iova(0).build().verb())
        .isEqualTo(Verb.REG_DMABUF_MR);
  }

  @Test
  void accessComesBackWhole() {
    Random random = new Random(5);
    for (int i = 0; i < 1_000; i++) {
      int bits = random.nextInt();
      MrRequest request = MrRequest.ofLength(1).access(Access.ofBits(bits)).build();
      assertThat(request.accessArgument()).isEqualTo(Access.ofBits(bits));
      assertThat(request.unknownBits()).isEqualTo((bits & 0xc00f_fc00L));
      assertThat(request.unknownOptionalBits()).isEqualTo(bits & 0x3fe0_0000L);
      assertThat(request.toBuilder().build()).isEqualTo(request);
    }
    assertThat(MrRequest.ofLength(1).build().accessArgument()).isNull();
  }

  @Test
  void aBuilderStartsWithWhatTheRequestHolds() {
    MrRequest request =
        MrRequest.range(1, 2).iova(3).access(AccessFlag.MW_BIND).uses(Set.of(Use.RECEIVE)).build();
    assertThat(request.toBuilder().build()).isEqualTo(request);
    assertThat(request.withRange(null, null, null).length()).isNull();
    assertThat(request.withRange(null, -1L, null).length()).isEqualTo(Long.MAX_VALUE);
  }
}
