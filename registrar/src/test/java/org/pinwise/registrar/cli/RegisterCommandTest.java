package org.pinwise.registrar.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.InputStream;
import java.io.PrintStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.pinwise.engine.cli.Main;

class RegisterCommandTest {

  @Test
  void registersWithASimulatedDeviceAndSaysSo() {
    Run run =
        run(
            "register",
            "--device=connectx5",
            "--access=LOCAL_WRITE|REMOTE_WRITE|RELAXED_ORDERING",
            "--length=64MiB");

    assertThat(run.exit).as(run.err).isZero();
    assertThat(run.err).isEmpty();
    assertThat(run.out)
        .startsWith("registered with connectx5, simulated under kernel 6.12\nregion    address 0x")
        .contains(", length 67108864, simulated lkey 0x5")
        .contains("simulated rkey 0x5")
        .contains("\naccepted\n")
        .contains("nothing was registered with any hardware");
  }

  @Test
  void json() {
    Run run =
        run(
            "register",
            "--device=rxe",
            "--access=1",
            "--length=4KiB",
            "--iova=0",
            "--format=json",
            "--count=2");

    assertThat(run.exit).as(run.err).isZero();
    assertThat(run.out)
        .hasLineCount(1)
        .startsWith(
            "{\"schema\":\"pinwise-register/1\",\"outcome\":\"registered\",\"device\":\"rxe\","
                + "\"simulated\":true,\"kernel\":\"6.12\",\"regions\":[{\"address\":\"0x")
        .contains("\"remoteAddress\":\"0x0\"")
        .contains("\"error\":null,\"causes\":[],\"verdict\":{\"schema\":\"pinwise-verdict/1\"");
  }

  @ParameterizedTest
  @CsvSource({
    "REMOTE_WRITE, 4KiB, EINVAL",
    "LOCAL_WRITE, 0, EINVAL",
    "LOCAL_WRITE, 9223372036854775808, EINVAL",
    "LOCAL_WRITE, 18446744073709551615, EINVAL",
    "LOCAL_WRITE|HUGETLB, 4KiB, EOPNOTSUPP",
  })
  void refuses(String access, String length, String errno) {
    Run run = run("register", "--device=rxe", "--access=" + access, "--length=" + length);

    assertThat(run.exit).as(run.err).isEqualTo(1);
    assertThat(run.err).isEmpty();
    assertThat(run.out)
        .startsWith(
            "refused before the call, for rxe, simulated under kernel 6.12\nrejected: " + errno);
  }

  @Test
  void theKernelMakesADifference() {
    String[] common = {"--device=rxe", "--access=LOCAL_WRITE|HUGETLB", "--length=4KiB"};

    assertThat(run("register", common[0], common[1], common[2], "--kernel=6.1").exit).isZero();
    assertThat(run("register", common[0], common[1], common[2], "--kernel=6.12").exit).isOne();
  }

  @Test
  void aFullTableFails() {
    Run run = run("register", "--device=rxe", "--access=1", "--length=1", "--count=524288");

    assertThat(run.exit).as(run.err).isEqualTo(1);
    assertThat(run.out)
        .startsWith(
            "failed on rxe, simulated under kernel 6.12: EINVAL\nerror     ibv_reg_mr failed")
        .contains("and 524277 more");
  }

  @ParameterizedTest(name = "{0}")
  @CsvSource(
      delimiter = ';',
      value = {
        "--device=conectx5 --access=1 --length=1; --device: ",
        "--device=live:no-such --access=1 --length=1; --device: ",
        "--access=1 --length=1; --device: is missing",
        "--device=rxe --length=1; --access: is missing",
        "--device=rxe --access=1; --length: is missing",
        "--device=rxe --access=LOCALWRITE --length=1; --access: LOCALWRITE is no access flag",
        "--device=rxe --access=1 --length=-1; --length: -1 is negative",
        "--device=rxe --access=1 --length=1 --address=0; --address: the memory is allocated here",
        "--device=rxe --access=1 --length=1 --verb=bind_mw; --verb: ",
        "--device=rxe --access=1 --length=1 --verb=reg_mr_iova; --iova: is missing",
        "--device=rxe --access=1 --length=1 --kernel=new; --kernel: new is no kernel version",
        "--device=rxe --access=1 --length=1 --count=0; --count: 0 is not from 1",
        "--device=rxe --access=1 --length=1 --count=x; --count: x is no number",
        "--device=live:x --kernel=6.1 --access=1 --length=1; --kernel: a device of this host",
        "--device=rxe --access=1 --length=1EiB --format=xml; ",
      })
  void badInputIsOneLine(String arguments, String message) {
    Run run = run(("register " + arguments).split(" ", -1));

    assertThat(run.exit).isEqualTo(2);
    assertThat(run.out).isEmpty();
    assertThat(run.err.strip()).hasLineCount(1);
    if (message != null) {
      assertThat(run.err).startsWith("pinwise register: " + message);
    }
  }

  @Test
  void nameOfNoDeviceMeansOneOfThisHostAndTellsHowToSimulate() {
    Run run = run("register", "--device=conectx5", "--access=1", "--length=1");

    assertThat(run.exit).isEqualTo(2);
    assertThat(run.err).contains("did you mean connectx5").hasLineCount(1);
  }

  @Test
  void probeNeedsADeviceOfThisHost() {
    assertThat(run("probe").err).startsWith("pinwise probe: name a device of this host");
    Run run = run("probe", "no-such-device");

    assertThat(run.exit).isEqualTo(2);
    assertThat(run.err.strip()).hasLineCount(1);
  }

  @Test
  void bothAreInTheHelp() {
    assertThat(run("--help").out)
        .contains("register  Registers memory")
        .contains("probe     Tries");
    assertThat(run("register", "--help").out).contains("--device=DEVICE").contains("simulated");
  }

  record Run(int exit, String out, String err) {}

  static Run run(String... arguments) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    ByteArrayOutputStream err = new ByteArrayOutputStream();
    int exit =
        Main.run(
            new PrintStream(out, false, UTF_8),
            new PrintStream(err, false, UTF_8),
            InputStream.nullInputStream(),
            arguments);
    return new Run(exit, out.toString(UTF_8), err.toString(UTF_8));
  }
}
