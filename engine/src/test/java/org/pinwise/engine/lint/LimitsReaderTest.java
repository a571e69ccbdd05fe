package org.pinwise.engine.lint;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.pinwise.rules.model.LimitDomain;
import org.pinwise.rules.model.LimitsSet;
import org.pinwise.rules.model.MemlockLine;

class LimitsReaderTest {

  private static MemlockLine line(String text) {
    return Recorded.of(new LimitsReader(), "limits.conf", text).only(MemlockLine.class);
  }

  @ParameterizedTest
  @CsvSource({
    "64,65536,true",
    "64G,65536,false",
    "007,7168,true",
    "unlimited,9223372036854775807,true",
    "Infinity,9223372036854775807,true",
    "-1,9223372036854775807,true",
    "-,9223372036854775807,true",
    // strtoull takes a minus and wraps
    "-5,9223372036854775807,true",
    "99999999999999999999999,9223372036854775807,true",
    "9007199254740991,9223372036854774784,true",
    "9007199254740992,9223372036854775807,true",
  })
  void valuesAreReadAsPamReadsThem(String value, long limit, boolean whole) {
    MemlockLine line = line("a - memlock " + value + "\n");
    assertThat(line.limit()).isEqualTo(limit);
    assertThat(line.wholeNumber()).isEqualTo(whole);
    assertThat(line.sets()).isEqualTo(LimitsSet.BOTH);
  }

  @ParameterizedTest
  @CsvSource({
    "a,USER",
    "root,ROOT",
    "@a,GROUP",
    "*,WILDCARD",
    "%a,LOGINS",
    "%,LOGINS",
    ":5,USER",
    "5:,RANGE",
    "1:9,RANGE",
    "@:5,GROUP",
    "@1:9,RANGE"
  })
  void domainsAreOfAKind(String domain, LimitDomain kind) {
    assertThat(line(domain + " SOFT MEMLOCK 1 # a comment\n").domainKind()).isEqualTo(kind);
  }

  @Test
  void filesAreReadInTheOrderOfTheirNamesAfterLimitsConf() {
    Map<String, String> tree =
        Map.of(
            "security/limits.conf", "a - memlock 1\nb soft memlock 1\n",
            "security/limits.d/10-a.conf", "a soft memlock 2\n",
            "security/limits.d/20-b.conf", "a hard memlock 3\nb hard memlock 3\n",
            "security/limits.d/30-c", "a - memlock 4\n");
    assertThat(lines("security/limits.conf", tree))
        .containsExactly("a overridden true pair true", "b overridden false pair true");
    assertThat(lines("security/limits.d/10-a.conf", tree))
        .containsExactly("a overridden false pair true");
    assertThat(lines("security/limits.d/20-b.conf", tree))
        .containsExactly("a overridden false pair true", "b overridden false pair true");
  }

  private static List<String> lines(String path, Map<String, String> tree) {
    String directory = path.substring(0, path.lastIndexOf('/'));
    Source source =
        new Source(path, String.valueOf(tree.get(path)), Recorded.siblings(directory, tree));
    return Recorded.of(new LimitsReader(), source).statements.stream()
        .map(statement -> (MemlockLine) statement.facts().configuration())
        .map(line ->
            line == null
                ? ""
                : "%s overridden %s pair %s"
                    .formatted(line.domain(), line.overridden(), line.pairSet()))
        .toList();
  }

  @Test
  void aPlanOfAUserLearnsWhatHoldsForTheUser() {
    List<Statement> statements =
        Recorded.of(
                new LimitsReader(),
                "limits.conf",
                """
                a - memlock 1
                a soft memlock 8
                a hard memlock 4
                b soft memlock 1
                * - memlock 9
                """)
            .statements;
    assertThat(statements.get(0).workload()).isEmpty();
    // The soft limit is cut to the hard one.
    assertThat(statements.get(1).host().memlock()).isEqualTo(4096);
    assertThat(statements.get(1).placeOf("host.memlock")).isNull();
    assertThat(statements.get(2).host().memlock()).isEqualTo(4096);
    assertThat(statements.get(2).placeOf("host.memlock")).isEqualTo(new Place(3, 16));
    assertThat(statements.get(1).workload()).contains(new Workload(Workload.Kind.USER, "a"));
    assertThat(statements.get(2).host().memlockHard()).isEqualTo(4096);
    // To what b's is cut no file says.
    assertThat(statements.get(3).host().memlock()).isNull();
    assertThat(statements.get(4).workload()).isEmpty();
  }

  @Test
  void oneProblemIsToldOfWhereAFileIsNone() {
    assertThat(Recorded.of(new LimitsReader(), "limits.conf", "hello\nthere\n").problems)
        .singleElement()
        .asString()
        .startsWith("1:1: is no line of limits.conf");
    assertThat(
            Recorded.of(new LimitsReader(), "limits.conf", "a - memlock " + "1".repeat(2000))
                .problems)
        .singleElement()
        .asString()
        .startsWith("1:1: the line has 2012 characters");
  }
}
