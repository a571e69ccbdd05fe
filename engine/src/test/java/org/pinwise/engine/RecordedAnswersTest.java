package org.pinwise.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.pinwise.engine.facts.DeviceCatalog;
import org.pinwise.rules.model.Access;
import org.pinwise.rules.model.Errno;
import org.pinwise.rules.model.Facts;
import org.pinwise.rules.model.Host;
import org.pinwise.rules.model.Kernel;
import org.pinwise.rules.model.Memory;
import org.pinwise.rules.model.MrRequest;
import org.pinwise.rules.model.Verb;

/** What kernels answered to all flag sets is what the rules say, decision and errno. */
class RecordedAnswersTest {
  private final MrValidator validator = MrValidator.create(RuleSet.builtIn());

  /** The refusals that were predicted: what the kernel answered, and why the rules say so. */
  final List<Verdict> refusals = new ArrayList<>();

  @ParameterizedTest
  @CsvSource({"rxe, 6.1", "rxe, 6.12", "siw, 6.12"})
  void allFlagSets(String driver, String version) throws IOException {
    int kernel = Kernel.parse(version).orElseThrow();
    Facts host =
        Facts.of(MrRequest.ofLength(65_536).build())
            .withMemory(Memory.ORDINARY)
            .withDevice(DeviceCatalog.load().find(driver).orElseThrow().facts(kernel))
            .withHost(Host.TYPE.of(java.util.Map.of("kernel", kernel, "pageSize", 4096L)));
    List<String> wrong = new ArrayList<>();
    List<String> rows = rows("/oracle/oracle-" + driver + "-kernel" + version + ".csv");
    for (String row : rows) {
      String[] column = row.split(",", -1);
      MrRequest.Builder request =
          MrRequest.range(0x7f00_0000_0000L, 65_536)
              .access(Access.ofBits(Integer.decode(column[1])));
      if (column[2].equals("ibv_reg_mr_iova2")) {
        request.verb(Verb.REG_MR_IOVA).iova(0x7f00_0000_0000L);
      }
      Verdict verdict = validator.validate(host.withRequest(request.build()));
      int errno = Integer.parseInt(column[3]);
      boolean right =
          errno == 0
              ? verdict instanceof Accepted
              : verdict instanceof Rejected
                  && verdict.errno().equals(Set.of(Errno.of(errno).orElseThrow()));
      if (!right) {
        wrong.add(row + " but " + verdict);
      } else if (errno != 0) {
        refusals.add(verdict);
      }
    }
    assertThat(rows).hasSize(4096);
    assertThat(wrong).isEmpty();
  }

  private static List<String> rows(String resource) throws IOException {
    try (InputStream in = RecordedAnswersTest.class.getResourceAsStream(resource)) {
      String text =
          new String(Objects.requireNonNull(in, resource).readAllBytes(), StandardCharsets.UTF_8);
      return text.lines()
          .filter(line -> !line.startsWith("#") && !line.startsWith("device,"))
          .collect(Collectors.toList());
    }
  }
}
