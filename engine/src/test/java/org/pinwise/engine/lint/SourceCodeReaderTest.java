package org.pinwise.engine.lint;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.pinwise.rules.model.AccessFlag;
import org.pinwise.rules.model.MrRequest;
import org.pinwise.rules.model.Verb;

class SourceCodeReaderTest {

  private static Recorded read(String text) {
    return Recorded.of(new SourceCodeReader(), "a.cpp", text);
  }

  private static MrRequest request(String text) {
    Recorded recorded = read(text);
    assertThat(recorded.statements).as(text).hasSize(1);
    return recorded.statements.get(0).facts().request();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_READ",
        "(IBV_ACCESS_LOCAL_WRITE|\n  IBV_ACCESS_REMOTE_READ)",
        "(int)(IBV_ACCESS_LOCAL_WRITE | (IBV_ACCESS_REMOTE_READ))",
        "static_cast<int>(IBV_ACCESS_LOCAL_WRITE) | IBV_ACCESS_REMOTE_READ",
        "(enum ibv_access_flags)(IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_READ)",
        "IBV_ACCESS_LOCAL_WRITE | /* and */ IBV_ACCESS_REMOTE_READ",
        "0x5u",
        "5",
        "1 | 4UL",
      })
  void literalFlagsAreRead(String flags) {
    assertThat(request("mr = ibv_reg_mr(pd, buf, len, " + flags + ");").access())
        .containsExactlyInAnyOrder(AccessFlag.LOCAL_WRITE, AccessFlag.REMOTE_READ);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "access",
        "IBV_ACCESS_LOCAL_WRITE | extra",
        "IBV_ACCESS_LOCAL_WRITE + 1",
        "ro ? IBV_ACCESS_REMOTE_READ : IBV_ACCESS_LOCAL_WRITE",
        "IBV_ACCESS_NO_SUCH_FLAG",
        "~IBV_ACCESS_LOCAL_WRITE",
        "IBV_ACCESS_LOCAL_WRITE, 1",
      })
  void otherFlagsAreCounted(String flags) {
    Recorded recorded = read("mr = ibv_reg_mr(pd, buf, len, " + flags + ");");
    assertThat(recorded.statements).isEmpty();
    assertThat(recorded.skipped).containsExactly(SourceCodeReader.SKIPPED);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "// ibv_reg_mr(pd, b, l, 2)",
        "/* ibv_reg_mr(pd, b, l, 2)\n */",
        "s = \"\\\"ibv_reg_mr(pd, b, l, 2)\";",
        "s = R\"x(\"ibv_reg_mr(pd, b, l, 2))x\";",
        "struct ibv_mr *ibv_reg_mr(struct ibv_pd *pd, void *addr, size_t length, int access);",
        "ibv_mr *ibv_reg_mr(ibv_pd *pd, void *addr, size_t length, int access) {",
        "#define ibv_reg_mr(pd, addr, length, access) __ibv_reg_mr(pd, addr, length, access, 1)",
        "auto f = &ibv_reg_mr;",
        "my_ibv_reg_mr(pd, b, l, 2);",
        "ibv_reg_mr_ex(pd, &attr);",
      })
  void whatIsNoCallIsLeft(String text) {
    Recorded recorded = read(text + "\n");
    assertThat(recorded.statements).isEmpty();
    assertThat(recorded.skipped).isEmpty();
    assertThat(recorded.problems).isEmpty();
  }

  @Test
  void digitsApartAreNoCharacters() {
    assertThat(request("n = 1'000'000; ibv_reg_mr(pd, b, 4096, 1); c = '\\'';").length())
        .isEqualTo(4096);
  }

  @Test
  void everyVerbHasItsArguments() {
    assertThat(request("ibv_reg_mr_iova(pd, b, 1, iova, 1)").verb()).isEqualTo(Verb.REG_MR_IOVA);
    assertThat(request("ibv_reg_mr_iova2(pd, b, 1, iova, 1)").verb()).isEqualTo(Verb.REG_MR_IOVA);
    assertThat(request("ibv_reg_dmabuf_mr(pd, 0, 8192, iova, fd, 1)").length()).isEqualTo(8192);
    MrRequest device = request("ibv_reg_dm_mr(pd, dm, 0, 64, IBV_ACCESS_ZERO_BASED)");
    assertThat(device.verb()).isEqualTo(Verb.REG_DM_MR);
    assertThat(device.length()).isEqualTo(64);
    MrRequest all = request("ibv_reg_mr(pd, NULL, SIZE_MAX, IBV_ACCESS_ON_DEMAND)");
    assertThat(all.address()).isZero();
    assertThat(all.rawLength()).isEqualTo(-1L);
  }

  @Test
  void placesAreThoseOfTheArguments() {
    Statement statement =
        read("// c\nmr = ibv_reg_mr(pd, f(a, b),\n    4096,\n    IBV_ACCESS_LOCAL_WRITE);")
            .statements
            .get(0);
    assertThat(statement.whole()).isEqualTo(new Place(2, 6));
    assertThat(statement.placeOf("request.length")).isEqualTo(new Place(3, 5));
    assertThat(statement.placeOf("request.access")).isEqualTo(new Place(4, 5));
  }

  @Test
  void aCallWithoutAnEndIsAProblem() {
    assertThat(read("x;\n  ibv_reg_mr(pd, (b, 1;\n").problems)
        .containsExactly("2:3: the call of ibv_reg_mr does not end within 4096 characters");
  }
}
