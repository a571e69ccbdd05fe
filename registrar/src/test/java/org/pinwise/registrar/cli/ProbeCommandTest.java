package org.pinwise.registrar.cli;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.pinwise.engine.MrValidator;
import org.pinwise.engine.RuleSet;
import org.pinwise.registrar.DeviceProbe;
import org.pinwise.registrar.Simulations;

class ProbeCommandTest {

  private static final MrValidator WITHOUT_HUGETLB =
      MrValidator.create(RuleSet.builtIn().without("MR006"));

  @Test
  void theFileSaysWhatTheDeviceIsAndWhatWasSaid() {
    DeviceProbe.Report report = Simulations.probe("rxe", WITHOUT_HUGETLB);

    assertThat(ProbeCommand.csv(report, false))
        .startsWith(
            """
            # driver rxe
            # vendorPartId 0
            # kernel 6.12
            # stack inbox
            # rdmaCore 44
            # odp false
            # simulated true
            device,flags,api,errno,pinwise
            rxe,0x20,ibv_reg_mr,95,0
            rxe,0x20,ibv_reg_mr_iova2,95,0
            """)
        .hasLineCount(8 + report.wrong().size());
  }

  @Test
  void allRows() {
    DeviceProbe.Report report = Simulations.probe("rxe", Simulations.VALIDATOR);

    assertThat(ProbeCommand.csv(report, false)).hasLineCount(8);
    assertThat(ProbeCommand.csv(report, true))
        .hasLineCount(8 + 4096)
        .contains("\nrxe,0x2,ibv_reg_mr,22,22\n", "\nrxe,0x1,ibv_reg_mr_iova2,0,0\n");
  }

  @Test
  void whatIsUndecidedIsSaid() {
    DeviceProbe.Report report = Simulations.probe("mlx5", Simulations.VALIDATOR);

    assertThat(report.undecided()).isNotEmpty();
    assertThat(ProbeCommand.csv(report, true)).contains(",95,undecided\n");
  }

  @Test
  void json() {
    DeviceProbe.Report report = Simulations.probe("rxe", WITHOUT_HUGETLB);

    assertThat(Json.of(ProbeCommand.json(report, false)))
        .startsWith(
            "{\"schema\":\"pinwise-probe/1\",\"device\":\"rxe\",\"simulated\":true,\"facts\":{\"driver\":\"rxe\"")
        .contains(
            "\"rows\":[{\"flags\":\"0x20\",\"api\":\"ibv_reg_mr\",\"errno\":\"EOPNOTSUPP\","
                + "\"decision\":\"accepted\",\"expected\":[],\"wrong\":true}");
  }

  @Test
  void jsonOfAnyText() {
    assertThat(Json.of("a\"b\\c\n\u00e4")).isEqualTo("\"a\\\"b\\\\c\\u000a\\u00e4\"");
  }
}
