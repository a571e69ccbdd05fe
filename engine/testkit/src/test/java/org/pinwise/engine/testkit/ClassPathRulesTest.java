package org.pinwise.engine.testkit;

import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.pinwise.engine.testkit.PinwiseAssertions.assertThat;

import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.pinwise.engine.InputException;
import org.pinwise.engine.Pack;
import org.pinwise.engine.RuleSet;
import org.pinwise.rules.spi.Rule;

class ClassPathRulesTest {
  private static final String RULE =
      """
      package mr.rules.acme;
      import org.pinwise.rules.model.MrRequest;
      global org.pinwise.rules.spi.Findings findings;
      rule "ID"
        @severity(WARNING) @since(1) @spec("the guide")
        @summary("Regions are small")
        @remediation("Register less.")
      when
        $r : MrRequest( length > 4096 )
      then
        findings.report("ID", $r, "{length} is large");
      end
      """;

  @TempDir Path folder;

  private static Map<String, String> room(String id) {
    Map<String, String> files = new LinkedHashMap<>();
    files.put(id + "-small/rule.drl", RULE.replace("ID", id));
    files.put(id + "-small/rule.md", "Why.\n");
    files.put(id + "-small/accept-small.yaml", "register: {length: 4096}\n");
    files.put(
        id + "-small/reject-large.yaml",
        "register:\n  length: 8192   # expect: %s warning\n".formatted(id));
    return files;
  }

  private Path jar(String name, Map<String, String> files) throws IOException {
    Path jar = folder.resolve(name);
    try (JarOutputStream out = new JarOutputStream(Files.newOutputStream(jar))) {
      for (Map.Entry<String, String> file : files.entrySet()) {
        out.putNextEntry(new JarEntry(Pack.IN_JAR + file.getKey()));
        out.write(file.getValue().getBytes(StandardCharsets.UTF_8));
        out.closeEntry();
      }
    }
    return jar;
  }

  private static URLClassLoader loader(Path... jars) throws IOException {
    URL[] urls = new URL[jars.length];
    for (int i = 0; i < jars.length; i++) {
      urls[i] = jars[i].toUri().toURL();
    }
    return new URLClassLoader(urls, null);
  }

  private static String manifest(String name, String pinwise) {
    return "name: %s\nversion: \"3\"\npinwise: \"%s\"\n".formatted(name, pinwise);
  }

  @Test
  void providersAreFoundByServiceLoader() {
    RuleSet rules = RuleSet.empty().withClassPath(getClass().getClassLoader());

    assertThat(rules).hasNoProblems();
    org.assertj.core.api.Assertions.assertThat(rules.rules())
        .extracting(Rule::id)
        .containsExactly("ACME101", "ACME102", "ACME103/soft");
  }

  @Test
  void packsInJarsAreFoundInTheOrderOfTheirNames() throws IOException {
    Map<String, String> second = room("BETA001");
    // Else each pack's example would be reported by the other's rule, too.
    second.put("BETA001-small/rule.drl", RULE.replace("ID", "BETA001").replace("> 4096", "== 1"));
    second.put(
        "BETA001-small/reject-large.yaml", "register:\n  length: 1   # expect: BETA001 warning\n");
    second.put("pack.yaml", manifest("beta", "0.1"));
    Map<String, String> first = room("ACME201");
    first.put("pack.yaml", manifest("acme", "0.0.9"));
    Path beta = jar("1.jar", second);
    Path acme = jar("2.jar", first);
    try (URLClassLoader one = loader(beta, acme);
        URLClassLoader other = loader(acme, beta)) {
      for (URLClassLoader loader : List.of(one, other)) {
        RuleSet rules = RuleSet.builtIn().withClassPath(loader);
        assertThat(rules).hasNoProblems().hasRoomsThatHold();
        org.assertj.core.api.Assertions.assertThat(rules.rules())
            .extracting(Rule::id)
            .endsWith("ACME201", "BETA001");
      }
    }
  }

  @Test
  void aJarIsAlsoNamedLikeADirectory() throws IOException {
    Path jar = jar("plain.jar", room("ACME201"));

    assertThat(RuleSet.builtIn().withFiles(jar)).hasNoProblems().hasRoomsThatHold();
    assertThat(RuleSet.builtIn().withFiles(jar).withFiles(jar))
        .hasProblem(
            "[ACME201] the id is taken by " + jar + "!/META-INF/pinwise/rules/ACME201-small");
  }

  @Test
  void aPackForANewerPinwiseIsRefusedAndABadManifestNamesItsPlace() throws IOException {
    Map<String, String> files = room("ACME201");
    files.put("pack.yaml", manifest("acme", "99.1"));
    assertThat(RuleSet.builtIn().withFiles(jar("newer.jar", files)))
        .hasProblem("pack.yaml:3:10: pack acme needs Pinwise 99.1, and this is ");

    files.put("pack.yaml", "name: acme\n");
    Path jar = jar("bad.jar", files);
    assertThatThrownBy(() -> Pack.load(jar))
        .isInstanceOf(InputException.class)
        .hasMessageContaining("pack.yaml:1:1: version is missing; add version: ..");
  }

  @Test
  void whatIsNoJarSaysSo() throws IOException {
    Path file = Files.writeString(folder.resolve("x.jar"), "no jar");

    assertThatThrownBy(() -> RuleSet.empty().withFiles(file))
        .isInstanceOf(InputException.class)
        .hasMessageContaining("x.jar: is no jar that can be read");
  }

  @Test
  void aProviderThatFailsIsAProblem() {
    RuleSet rules =
        RuleSet.empty()
            .with(() -> {
              throw new IllegalStateException("no network");
            });

    assertThat(rules).hasProblem("gives no rules: no network");
    assertThatThrownBy(() -> assertThat(rules).hasNoProblems())
        .hasMessageContaining("expected no problem with the rules, but there is:");
    assertThatThrownBy(() -> assertThat(rules).hasProblem("other"))
        .hasMessageContaining("expected a problem with \"other\"");
    assertThatThrownBy(() -> assertThat(RuleSet.builtIn()).hasRoomsThatHold())
        .hasMessageContaining("there is none, so nothing is proven");
  }

  @Test
  void aServiceThatCannotBeMadeIsAProblem() throws IOException {
    Path services = Files.createDirectories(folder.resolve("cp/META-INF/services"));
    Files.writeString(services.resolve("org.pinwise.rules.spi.RuleProvider"), "no.such.Provider\n");
    try (URLClassLoader loader =
        new URLClassLoader(
            new URL[] {folder.resolve("cp").toUri().toURL()}, Rule.class.getClassLoader())) {
      assertThat(RuleSet.empty().withClassPath(loader)).hasProblem("no.such.Provider");
    }
  }
}
