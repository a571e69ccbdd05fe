package org.pinwise.engine.eval;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.pinwise.rules.model.Device;
import org.pinwise.rules.model.DriverStack;
import org.pinwise.rules.model.Host;
import org.pinwise.rules.spi.RuleMeta;
import org.pinwise.rules.spi.Severity;
import org.pinwise.rules.spi.Truth;
import org.pinwise.rules.spi.Verification;
import org.pinwise.rules.spi.Verification.Means;

class KernelEvidenceTest {

  private static KernelEvidence evidence(Verification... verified) {
    return new KernelEvidence(
        new RuleMeta(
            "ACME101",
            Severity.WARNING,
            null,
            0,
            null,
            "1.0",
            List.of(verified),
            Set.of(DriverStack.INBOX),
            "a page",
            "A summary",
            "Do it.",
            null,
            List.of(),
            Map.of()));
  }

  private static final KernelEvidence THREE =
      evidence(
          new Verification(6_001, Means.LAB),
          new Verification(6_012, Means.LAB),
          new Verification(7_003, Means.SOURCE));

  private static Host host(@Nullable Integer kernel, @Nullable DriverStack stack) {
    Map<String, @Nullable Object> values = new LinkedHashMap<>();
    values.put("kernel", kernel);
    values.put("stack", stack);
    return Host.TYPE.of(values);
  }

  private static Device driver(String name) {
    return Device.TYPE.of(Map.of("driver", name));
  }

  /** The comparison is: kernel at least 6.5. */
  @ParameterizedTest
  @CsvSource({
    "5004, FALSE", // like the first that was verified; the evidence leaves it open
    "6001, FALSE",
    "6004, UNKNOWN", // between kernels that differ
    "6005, UNKNOWN",
    "6011, UNKNOWN",
    "6012, TRUE",
    "6015, TRUE", // between kernels that agree
    "7003, TRUE",
    "7009, TRUE",
    ", UNKNOWN"
  })
  void betweenVerifiedKernelsThatAgree(@Nullable Integer kernel, Truth truth) {
    assertThat(THREE.holds(kernel, k -> k >= 6_005)).isEqualTo(truth);
  }

  @Test
  void anUnknownKernelIsLikeAllThatWereVerified() {
    assertThat(THREE.holds(null, k -> k >= 6_000)).isEqualTo(Truth.TRUE);
    assertThat(THREE.holds(null, k -> k < 6_000)).isEqualTo(Truth.FALSE);
    assertThat(THREE.covers(host(null, null), driver("mlx5"))).isTrue();
  }

  @ParameterizedTest
  @CsvSource({"6000, false", "6001, true", "6006, true", "7003, true", "7004, false"})
  void beyondWhatIsVerifiedNothingIsCertain(int kernel, boolean covered) {
    assertThat(THREE.covers(host(kernel, null), driver("mlx5"))).isEqualTo(covered);
    assertThat(THREE.covers(host(kernel, DriverStack.INBOX), driver("mlx5"))).isEqualTo(covered);
  }

  @Test
  void aVendorsStackIsAnotherDriverButForThoseOfTheKernelOnly() {
    Host vendor = host(6_012, DriverStack.VENDOR);
    assertThat(THREE.covers(vendor, driver("mlx5"))).isFalse();
    assertThat(THREE.covers(vendor, Device.UNKNOWN)).isFalse();
    assertThat(THREE.covers(vendor, driver("rxe"))).isTrue();
    assertThat(THREE.covers(vendor, driver("siw"))).isTrue();
  }

  @Test
  void beliefDecidesNothing() {
    KernelEvidence believed = evidence(new Verification(6_012, Means.BELIEF));
    assertThat(believed.covers(host(6_012, null), driver("rxe"))).isFalse();
    assertThat(believed.holds(6_012, k -> k >= 6_005)).isEqualTo(Truth.TRUE);
    assertThat(believed.holds(null, k -> k >= 6_005)).isEqualTo(Truth.UNKNOWN);
    KernelEvidence half =
        evidence(new Verification(6_001, Means.BELIEF), new Verification(6_012, Means.SOURCE));
    assertThat(half.covers(host(6_001, null), driver("rxe"))).isFalse();
    assertThat(half.covers(host(6_012, null), driver("rxe"))).isTrue();
  }

  @Test
  void aRuleThatSpeaksOfNoKernelHoldsOnAll() {
    KernelEvidence any = evidence();
    assertThat(any.covers(host(2_006, DriverStack.VENDOR), driver("mlx5"))).isTrue();
    assertThat(any.key()).isEqualTo("any");
    assertThat(any.key()).isNotEqualTo(THREE.key());
  }
}
