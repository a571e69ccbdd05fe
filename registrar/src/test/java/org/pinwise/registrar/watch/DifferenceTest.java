package org.pinwise.registrar.watch;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.pinwise.registrar.monitor.LatencyFigures;
import org.pinwise.registrar.monitor.RegionFigures;

class DifferenceTest {
  private static final long PID = 192;
  private static final LatencyFigures NONE = new LatencyFigures(0, 0, 0, 0, 0, 0);

  @Test
  void equalSidesDoNotDiffer() {
    assertThat(between(List.of(region(1, 4096)), List.of(kernel(1, 4096)))).isEmpty();
    assertThat(between(List.of(), List.of())).isEmpty();
  }

  @Test
  void whatOnlyTheKernelKnowsIsALeak() {
    Difference difference =
        between(List.of(region(1, 4096)), List.of(kernel(1, 4096), kernel(2, 4096))).getFirst();

    assertThat(difference.kernelOnly()).containsExactly(kernel(2, 4096));
    assertThat(difference.jvmOnly()).isEmpty();
    assertThat(difference.byKey()).isTrue();
  }

  @Test
  void whatOnlyTheRegistrarKnowsIsGone() {
    Difference difference = between(List.of(region(1, 4096), region(3, 1)), List.of()).getFirst();

    assertThat(difference.jvmOnly()).extracting(RegionFigures::lkey).containsExactly(1L, 3L);
    assertThat(difference.kernelOnly()).isEmpty();
  }

  /** A key that the kernel has given to another region since is no match. */
  @Test
  void aKeyOfAnotherLengthIsAnotherRegion() {
    Difference difference = between(List.of(region(1, 4096)), List.of(kernel(1, 8192))).getFirst();

    assertThat(difference.kernelOnly()).hasSize(1);
    assertThat(difference.jvmOnly()).hasSize(1);
  }

  @Test
  void withoutKeysLengthsAreCompared() {
    List<Difference> same =
        between(List.of(region(1, 4096), region(2, 4096)), List.of(keyless(4096), keyless(4096)));
    Difference more =
        between(List.of(region(1, 4096)), List.of(keyless(4096), keyless(4096))).getFirst();

    assertThat(same).isEmpty();
    assertThat(more.kernelOnly()).hasSize(1);
    assertThat(more.byKey()).isFalse();
  }

  @Test
  void othersRegionsAreNotCompared() {
    KernelRegion ofAnother = new KernelRegion("rxe0", 9, 4096, 1L, "other", 9L, 9L);
    KernelRegion ofTheKernel = new KernelRegion("rxe0", 9, 4096, null, "[nvme]", 9L, 9L);
    KernelRegion onAnotherDevice = new KernelRegion("siw0", 9, 4096, PID, "java", 9L, 9L);

    assertThat(between(List.of(), List.of(ofAnother, ofTheKernel, onAnotherDevice))).isEmpty();
  }

  /** Of a thread that has ended the kernel tells no number: not missing, and no leak either. */
  @Test
  void whoseOwnerHasEndedIsKnownAndNoLeak() {
    KernelRegion known = new KernelRegion("rxe0", 1, 4096, null, "java", 1L, 1L);
    KernelRegion another = new KernelRegion("rxe0", 2, 4096, null, "java", 2L, 2L);

    assertThat(between(List.of(region(1, 4096)), List.of(another, known))).isEmpty();
  }

  @Test
  void simulatedRegionsAreNoneOfTheKernels() {
    JvmRegistrar simulated = registrar("rxe0", true, List.of(region(1, 4096)));

    assertThat(
            Difference.between(
                of -> of == PID, List.of(simulated), view(List.of()), List.of(simulated)))
        .isEmpty();
  }

  /** The JVM is read twice, since it goes on meanwhile. */
  @Test
  void whatComesOrGoesMeanwhileIsNoDifference() {
    JvmRegistrar with = registrar("rxe0", false, List.of(region(1, 4096)));
    JvmRegistrar without = registrar("rxe0", false, List.of());

    assertThat(
            Difference.between(
                of -> of == PID, List.of(with), view(List.of(kernel(1, 4096))), List.of(without)))
        .as("closed after the kernel was asked")
        .isEmpty();
    assertThat(
            Difference.between(
                of -> of == PID, List.of(without), view(List.of(kernel(1, 4096))), List.of(with)))
        .as("registered before the kernel was asked")
        .isEmpty();
    assertThat(
            Difference.between(of -> of == PID, List.of(without), view(List.of()), List.of(with)))
        .as("registered after the kernel was asked")
        .isEmpty();
  }

  @Test
  void regionsOfTwoRegistrarsOfADeviceAreTogether() {
    List<JvmRegistrar> two =
        List.of(
            registrar("rxe0", false, List.of(region(1, 4096))),
            registrar("rxe0", false, List.of(region(2, 4096))));

    assertThat(
            Difference.between(
                of -> of == PID, two, view(List.of(kernel(1, 4096), kernel(2, 4096))), two))
        .isEmpty();
  }

  private static List<Difference> between(List<RegionFigures> jvm, List<KernelRegion> kernel) {
    List<JvmRegistrar> registrars = List.of(registrar("rxe0", false, jvm));
    return Difference.between(of -> of == PID, registrars, view(kernel), registrars);
  }

  private static KernelRegion kernel(long key, long length) {
    return new KernelRegion("rxe0", key, length, PID, "java", key, key);
  }

  private static KernelRegion keyless(long length) {
    return new KernelRegion("rxe0", 7, length, PID, "java", null, null);
  }

  private static RegionFigures region(long key, long length) {
    return new RegionFigures(key, key, "0x7f0000000000", length, "LOCAL_WRITE", 5, 0, "");
  }

  private static KernelView view(List<KernelRegion> regions) {
    return new KernelView(regions, Map.of("rxe0", 1L), Map.of(), Map.of(), List.of());
  }

  private static JvmRegistrar registrar(
      String device, boolean simulated, List<RegionFigures> regions) {
    return new JvmRegistrar(
        "name",
        device,
        simulated,
        100,
        0,
        0,
        0,
        0,
        0,
        0,
        0,
        0,
        NONE,
        NONE,
        new ArrayList<>(regions),
        Map.of());
  }
}
