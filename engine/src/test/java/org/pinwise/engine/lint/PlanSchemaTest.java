package org.pinwise.engine.lint;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.networknt.schema.Error;
import com.networknt.schema.Schema;
import com.networknt.schema.SchemaRegistry;
import com.networknt.schema.SpecificationVersion;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.pinwise.engine.InputException;
import org.pinwise.engine.json.JsonTree;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;
import org.snakeyaml.engine.v2.schema.CoreSchema;

/** Holds the schema of plans to the reader of plans: what one takes the other takes. */
class PlanSchemaTest {
  private static final Path FILE =
      Path.of("src/main/resources/org/pinwise/engine/pinwise-plan-1.schema.json");
  private static final Schema SCHEMA =
      SchemaRegistry.withDefaultDialect(SpecificationVersion.DRAFT_2020_12)
          .getSchema(JsonTree.schema("pinwise-plan-1"));
  private static final ObjectMapper JSON = new ObjectMapper();

  /** Uses every section, and both ways to say device and host. */
  private static final String ALL =
      """
      $schema: pinwise-plan-1.schema.json
      schema: pinwise-plan/1
      workload: unit:app.service
      device: {catalog: connectx5, odp: false, maxMr: 100, maxMrSize: unlimited, driver: mlx5}
      host: {kernel: 6.1.0-49-amd64, stack: inbox, pageSize: 4KiB, memlock: unlimited, ipcLock: False}
      labels: {team: storage, size: 3}
      plan:
        processes: 4
        devices: 2
        queueBytes: 8MiB
        forks: unknown
        regions:
          - name: pool
            length: 1GiB
            count: 8
            access: LOCAL_WRITE | ibv_access_remote_read
            memory: {kind: anonymous, protection: rw, pageSize: 2MiB}
          - {length: 0x1000, access: [REMOTE_WRITE, local-write, 256], address: 4096, verb: reg_mr}
          - {length: 4096, access: 0, uses: [send_source]}
        cache: {key: [address, access], maxRegions: unlimited, invalidates: true, maxBytes: 1GiB}
      """;

  private static final String SERVICES =
      """
      schema: pinwise-plan/1
      device: rxe
      host: host.yaml
      labels: {}
      services:
        a: {workload: 'user:alice', plan: {regions: 7}}
        b: {device: siw, host: {kernel: 6.12}, request: {length: 1}, plan: {processes: 2}}
      """;

  @Test
  void isThatOfTheFieldsOfFacts() throws IOException {
    String text = PlanSchema.text();
    if (System.getProperty("catalog.update") != null) {
      Files.writeString(FILE, text);
    }
    assertThat(Files.readString(FILE))
        .as("%s; -Dcatalog.update writes it anew", FILE)
        .isEqualTo(text);
  }

  @Test
  void saysOfEachKeyWhatItIs() {
    List<String> mute = new ArrayList<>();
    described(tree(PlanSchema.text()), "", mute);
    assertThat(mute).isEmpty();
  }

  private static void described(JsonNode schema, String at, List<String> mute) {
    schema
        .path("properties")
        .properties()
        .forEach(entry -> {
          boolean refused = entry.getValue().isBoolean();
          if (!refused && !entry.getValue().path("description").asText().endsWith(".")) {
            mute.add(at + "/" + entry.getKey());
          }
        });
    schema
        .properties()
        .forEach(entry -> {
          if (entry.getValue().isObject()) {
            described(entry.getValue(), at + "/" + entry.getKey(), mute);
          }
        });
  }

  static Stream<String> plans() throws IOException {
    List<String> plans = new ArrayList<>(List.of(ALL, SERVICES));
    try (Stream<Path> files = Files.walk(Path.of("../testdata/config"))) {
      for (Path file :
          files.filter(f -> f.toString().matches(".*\\.pinwise\\.(yaml|json)")).sorted().toList()) {
        plans.add(Files.readString(file));
      }
    }
    assertThat(plans).hasSizeGreaterThan(6);
    return plans.stream();
  }

  /** As editors read YAML: by the core schema of 1.2. */
  private static JsonNode tree(String yaml) {
    LoadSettings settings = LoadSettings.builder().setSchema(new CoreSchema()).build();
    return JSON.valueToTree(new Load(settings).loadFromString(yaml));
  }

  private static List<Error> errors(JsonNode plan) {
    return SCHEMA.validate(plan);
  }

  private static Optional<String> refusal(JsonNode plan) {
    try {
      new PlanReader().read(new Source("a.pinwise.json", plan.toString()), new Recorded());
      return Optional.empty();
    } catch (InputException e) {
      return Optional.of(String.valueOf(e.getMessage()));
    }
  }

  @ParameterizedTest
  @MethodSource("plans")
  void takesEveryPlanOfTheCorpus(String plan) {
    assertThat(errors(tree(plan))).isEmpty();
  }

  /** JSON's 7 is its 7.0, and null is a word to the reader, which reads YAML without its types. */
  private static final String TOLD_APART =
      ".*/kernel = [07]|.*/(name|driver|schema|team|size) = null|/\\$schema = .*";

  /** A plan with one change, and which. */
  private record Mutant(String change, JsonNode plan) {}

  @ParameterizedTest
  @MethodSource("plans")
  void takesAndRefusesWhatTheReaderDoes(String plan) {
    JsonNode good = tree(plan.replace("host.yaml", "{kernel: 6.1}"));
    List<Mutant> mutants = new ArrayList<>();
    mutate(good, "", good, mutants);
    assertThat(mutants).hasSizeGreaterThan(50);
    List<String> disagreed = new ArrayList<>();
    long refused = 0;
    for (Mutant mutant : mutants) {
      Optional<String> refusal = refusal(mutant.plan());
      List<Error> errors = errors(mutant.plan());
      refused += refusal.isPresent() ? 1 : 0;
      if (errors.isEmpty() != refusal.isEmpty() && !mutant.change().matches(TOLD_APART)) {
        disagreed.add(
            "%s: reader %s, schema %s".formatted(mutant.change(), refusal.orElse("ok"), errors));
      }
    }
    assertThat(disagreed).isEmpty();
    assertThat(refused).isPositive().isLessThan(mutants.size());
  }

  /** Changes one thing at a time below a node of a tree. */
  private static void mutate(JsonNode root, String at, JsonNode node, List<Mutant> into) {
    if (node instanceof ObjectNode object) {
      for (String key : object.propertyStream().map(e -> e.getKey()).toList()) {
        JsonNode value = object.get(key);
        String path = at + "/" + key;
        for (JsonNode other : others()) {
          object.set(key, other);
          into.add(new Mutant(path + " = " + other, root.deepCopy()));
        }
        object.remove(key);
        into.add(new Mutant("without " + path, root.deepCopy()));
        object.set(key + "s", value);
        into.add(new Mutant(path + "s for " + path, root.deepCopy()));
        object.remove(key + "s");
        object.set(key, value);
        mutate(root, path, value, into);
      }
      for (String added : List.of("container", "schema", "plan", "services", "zzz")) {
        if (!object.has(added)) {
          object.set(added, JSON.createObjectNode());
          into.add(new Mutant(at + " with " + added, root.deepCopy()));
          object.remove(added);
        }
      }
    } else if (node instanceof ArrayNode array) {
      for (int i = 0; i < array.size(); i++) {
        JsonNode value = array.get(i);
        String path = at + "/" + i;
        for (JsonNode other : others()) {
          array.set(i, other);
          into.add(new Mutant(path + " = " + other, root.deepCopy()));
        }
        array.set(i, value);
        mutate(root, path, value, into);
      }
    }
  }

  private static List<JsonNode> others() {
    List<JsonNode> others = new ArrayList<>();
    for (String json :
        List.of(
            "{}",
            "[]",
            "[{}]",
            "{\"a\": 1}",
            "[[1]]",
            "-1",
            "0",
            "7",
            "1.5",
            "true",
            "null",
            "\"\"",
            "\"unknown\"",
            "\"unlimited\"",
            "\"64MiB\"",
            "\"64 MB\"",
            "\"6.12\"",
            "\"0x10\"",
            "\"LOCAL_WRITE\"",
            "\"local-write|0x10\"",
            "\"rw\"",
            "\"nonsense!\"",
            "\"unit:\"")) {
      others.add(tree(json));
    }
    return others;
  }
}
