package org.pinwise.engine.lint;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.pinwise.engine.facts.DeviceCatalog;
import org.pinwise.engine.json.JsonTree;
import org.pinwise.rules.model.AccessFlag;
import org.pinwise.rules.model.Device;
import org.pinwise.rules.model.FactType;
import org.pinwise.rules.model.Field;
import org.pinwise.rules.model.Host;
import org.pinwise.rules.model.Labels;
import org.pinwise.rules.model.Memory;
import org.pinwise.rules.model.MrRequest;
import org.pinwise.rules.model.Plan;
import org.pinwise.rules.model.Protection;

/**
 * Makes the JSON Schema of plans out of the fields of facts, so that editors know what the reader
 * knows. What it writes is checked in, and ships in the engine's jar.
 */
final class PlanSchema {
  private static final String DESCRIPTION = "description";
  private static final String STRING = "string";
  private static final String UNKNOWN = "unknown";
  private static final String CACHE = "cache";

  /** Before {@code B, KiB, ..}, as {@link org.pinwise.engine.text.Quantity} reads them. */
  private static final String QUANTITY = "\\s*(0[xX][0-9a-fA-F]+|[0-9]+)\\s*(B|[KMGT]iB)?\\s*";

  private static final String KERNEL = "\\s*[0-9]+\\.[0-9]+.*";
  private static final String FILE = "^.+\\.(ya?ml|json)$";
  private static final String BITS = "\\s*(0[xX][0-9a-fA-F]+|[0-9]+)\\s*";

  /** What the reader keeps the bits of, so that nothing stands for the largest number. */
  private static final List<String> RANGE = List.of("address", "length", "iova");

  private PlanSchema() {}

  /** Returns the schema's text, with a line break at its end. */
  static String text() {
    Map<String, Object> alone = service();
    Map<String, Object> root = new LinkedHashMap<>();
    root.put("$schema", said(map("type", STRING), "Where this schema is, for editors."));
    root.put("schema", said(map("const", "pinwise-plan/1"), "The format of this file."));
    root.putAll(alone);
    root.put(
        "services",
        said(
            map("type", "object", "additionalProperties", ref("service")),
            "Several programs on one host, by name; each has a plan of its own."));
    Map<String, Object> schema = new LinkedHashMap<>();
    schema.put("$schema", "https://json-schema.org/draft/2020-12/schema");
    schema.put("$id", "urn:pinwise:plan:1");
    schema.put("title", "A plan of memory registrations");
    schema.put(
        DESCRIPTION,
        "What programs register, on which device and host; pinwise lint judges it. What is not"
            + " given, or given as unknown, is unknown.");
    schema.putAll(closed(root));
    Map<String, Object> notOfAll = new LinkedHashMap<>();
    alone.keySet().stream()
        .filter(key -> !List.of("device", "host", "labels").contains(key))
        .forEach(key -> notOfAll.put(key, false));
    schema.put(
        "oneOf",
        List.of(
            both(map("required", List.of("plan")), "properties", map("services", false)),
            both(map("required", List.of("services")), "properties", notOfAll)));
    schema.put("not", map("required", List.of("register", "request")));
    schema.put("$defs", definitions(alone));
    return JsonTree.indented(schema) + "\n";
  }

  private static Map<String, Object> definitions(Map<String, Object> alone) {
    Map<String, Object> region = new LinkedHashMap<>();
    region.put("name", said(scalar(), "The region's name, for messages."));
    region.put("count", said(least(1), "How many such regions there are; 1 if it is not given."));
    region.put("memory", said(ref("memory"), "The memory that is registered."));
    region.putAll(request());
    Map<String, Object> plan = new LinkedHashMap<>();
    Map<String, Object> list = map("type", "array", "items", ref("region"));
    plan.put(
        "regions",
        said(
            anyOf(List.of(list, number(field(Plan.TYPE, "regions")))),
            "What each process registers on each device, or only how many regions there are."));
    plan.put("processes", said(least(1), "How many processes register this; 1 if not given."));
    plan.put("devices", said(least(1), "On how many devices they do; 1 if not given."));
    plan.put(
        "queueBytes",
        said(least(0), "What queues pin of a process and device. In bytes, or 8MiB."));
    Map<String, Object> cache = new LinkedHashMap<>();
    Plan.TYPE
        .fields()
        .forEach(field -> {
          if (field.name().matches(CACHE + "[A-Z].*")) {
            String key = field.name().substring(CACHE.length());
            cache.put(key.substring(0, 1).toLowerCase(Locale.ROOT) + key.substring(1), of(field));
          }
        });
    plan.put(
        CACHE, said(closed(cache), "How the program keeps regions for buffers that come again."));
    Plan.TYPE.fields().forEach(field -> plan.putIfAbsent(field.name(), of(field)));
    Map<String, Object> device = new LinkedHashMap<>();
    device.put("catalog", said(catalogued(), "What the catalogue says of this device holds, too."));
    device.putAll(fields(Device.TYPE));
    Map<String, Object> service = closed(alone);
    service.put("required", List.of("plan"));
    service.put("not", map("required", List.of("register", "request")));
    Map<String, Object> definitions = new LinkedHashMap<>();
    definitions.put("service", service);
    definitions.put("plan", closed(plan));
    definitions.put("region", closed(region));
    definitions.put("request", closed(request()));
    definitions.put("memory", closed(fields(Memory.TYPE)));
    definitions.put("device", closed(device));
    definitions.put("host", closed(fields(Host.TYPE)));
    return definitions;
  }

  /** The keys of a file with one program, or of one of its services. */
  private static Map<String, Object> service() {
    Map<String, Object> file = said(map("type", STRING, "pattern", FILE), "A facts file.");
    Map<String, Object> keys = new LinkedHashMap<>();
    String kinds =
        Arrays.stream(Workload.Kind.values())
            .map(kind -> kind.name().toLowerCase(Locale.ROOT))
            .collect(Collectors.joining("|"));
    keys.put(
        "workload",
        both(
            said(
                map("type", STRING, "pattern", "^(" + kinds + "):[^\\n]+$"),
                "What runs this plan: kubernetes:NAMESPACE/NAME, compose:SERVICE, unit:NAME.service"
                    + " or user:NAME. Files that configure it are judged together with the plan."),
            "examples",
            List.of("kubernetes:default/trainer", "unit:app.service")));
    keys.put(
        "device",
        said(
            anyOf(List.of(catalogued(), file, ref("device"))),
            "The RDMA device: a name of the catalogue, a facts file beside this one, or facts."));
    keys.put(
        "host",
        said(
            anyOf(List.of(ref("host"), file)),
            "The host: facts, or a facts file beside this one."));
    Map<String, Object> labels =
        map(
            "type",
            "object",
            "patternProperties",
            map("^" + Labels.NAME + "$", scalar()),
            "additionalProperties",
            false);
    keys.put("labels", said(labels, "What rules of your own read."));
    keys.put("request", said(ref("request"), "The one region of a plan without regions."));
    keys.put("register", said(ref("request"), "The same as request."));
    keys.put("memory", said(ref("memory"), "The memory of that request."));
    keys.put("plan", said(ref("plan"), "What is registered, and how it is kept."));
    return keys;
  }

  private static Map<String, Object> request() {
    Map<String, Object> keys = new LinkedHashMap<>();
    String names =
        Arrays.stream(AccessFlag.values())
            .map(flag -> anyCase(flag.name()))
            .collect(
                Collectors.joining(
                    "|", "\\s*([iI][bB][vV][-_][aA][cC]{2}[eE][sS]{2}[-_])?(", ")\\s*"));
    String one = "(" + names + "|" + BITS + ")";
    Map<String, Object> bits = map("type", "integer", "minimum", 0);
    Map<String, Object> item =
        anyOf(
            List.of(
                map("enum", Arrays.stream(AccessFlag.values()).map(AccessFlag::name).toList()),
                map("type", STRING, "pattern", "^" + one + "([|,]" + one + ")*$"),
                bits));
    Map<String, Object> list = map("type", "array", "items", item);
    keys.putAll(fields(MrRequest.TYPE));
    RANGE.forEach(key -> keys.put(key, said(least(0, UNKNOWN), doc(field(MrRequest.TYPE, key)))));
    keys.put(
        "access",
        said(
            anyOf(List.of(list, item, map("const", UNKNOWN))),
            "The access flags: names as in ibv_reg_mr(3), with or without IBV_ACCESS_, or bits."));
    return keys;
  }

  private static Map<String, Object> catalogued() {
    return said(
        map("enum", DeviceCatalog.load().names()), "A device, or a driver, of the catalogue.");
  }

  private static Map<String, Object> fields(FactType<?> type) {
    Map<String, Object> keys = new LinkedHashMap<>();
    type.fields()
        .forEach(
            field -> keys.put(field.name(), isPageSize(type, field) ? pageSize(field) : of(field)));
    return keys;
  }

  private static Field<?> field(FactType<?> type, String name) {
    return type.field(name).orElseThrow();
  }

  private static Map<String, Object> of(Field<?> field) {
    Map<String, Object> value =
        switch (field.kind()) {
          case BOOLEAN -> map("enum", List.of(true, false, UNKNOWN));
          case NUMBER -> number(field);
          case TEXT -> scalar();
          case CHOICE -> choice(field.valueType(), true);
          case FLAGS -> flags(field.valueType());
        };
    return said(value, doc(field));
  }

  private static String doc(Field<?> field) {
    String unit = field.format() == Field.Format.BYTES ? ". In bytes, or with a unit: 64MiB." : ".";
    return field.doc().substring(0, 1).toUpperCase(Locale.ROOT) + field.doc().substring(1) + unit;
  }

  private static Map<String, Object> number(Field<?> field) {
    String words = field.format() == Field.Format.HEX ? UNKNOWN : "unlimited|" + UNKNOWN;
    if (field.format() == Field.Format.KERNEL) {
      return anyOf(
          List.of(
              map("type", "number", "minimum", 0),
              both(
                  map("type", STRING, "pattern", "^(" + KERNEL + "|" + UNKNOWN + ")$"),
                  "examples",
                  List.of("6.12", "6.1.0-49-amd64"))));
    }
    String pattern = "^(" + QUANTITY + "|" + words + ")$";
    return anyOf(
        List.of(map("type", "integer", "minimum", 0), map("type", STRING, "pattern", pattern)));
  }

  private static boolean isPageSize(FactType<?> type, Field<?> field) {
    return field.kind() == Field.Kind.NUMBER && type.problem(field, 0).isPresent();
  }

  /** The powers of two from 4 KiB to 1 TiB, as one writes them; as numbers, up to 1 GiB. */
  private static Map<String, Object> pageSize(Field<?> field) {
    List<Integer> bytes = new ArrayList<>();
    List<String> texts = new ArrayList<>(List.of(UNKNOWN));
    for (int log = 12; log <= 40; log++) {
      if (log <= 30) {
        bytes.add(1 << log);
      }
      texts.add((1L << log) + "( ?B)?");
      texts.add((1L << log % 10) + " ?" + "KMGT".charAt(log / 10 - 1) + "iB");
    }
    texts.add("0[xX]0*[1248]0{3,9}");
    return said(
        anyOf(
            List.of(
                map("enum", List.copyOf(bytes)),
                map("type", STRING, "pattern", "^\\s*(" + String.join("|", texts) + ")\\s*$"))),
        doc(field));
  }

  private static Map<String, Object> least(int least, String... words) {
    Map<String, Object> number = map("type", "integer", "minimum", least);
    String pattern =
        Stream.concat(Stream.of(QUANTITY), Arrays.stream(words))
            .collect(Collectors.joining("|", "^(", ")$"));
    return anyOf(List.of(number, map("type", STRING, "pattern", pattern)));
  }

  private static Map<String, Object> choice(Class<?> type, boolean orUnknown) {
    List<String> names = new ArrayList<>(names(type));
    if (orUnknown) {
      names.add(UNKNOWN);
    }
    return anyOf(
        List.of(
            map("enum", List.copyOf(names)),
            map("type", STRING, "pattern", "^\\s*(" + anyCase(type) + ")\\s*$")));
  }

  private static Map<String, Object> flags(Class<?> type) {
    String one = "\\s*(" + anyCase(type) + ")\\s*";
    Map<String, Object> item =
        anyOf(
            List.of(
                map("enum", names(type)),
                map("type", STRING, "pattern", "^" + one + "([|,]" + one + ")*$")));
    Map<String, Object> list = map("type", "array", "items", item);
    return anyOf(List.of(list, item, map("const", UNKNOWN)));
  }

  private static List<String> names(Class<?> type) {
    return Arrays.stream(type.getEnumConstants())
        .map(constant -> ((Enum<?>) constant).name().toLowerCase(Locale.ROOT))
        .toList();
  }

  /** A pattern of an enum's constants as the reader takes them: in any case, with minus signs. */
  private static String anyCase(Class<?> type) {
    String names = names(type).stream().map(PlanSchema::anyCase).collect(Collectors.joining("|"));
    return type == Protection.class ? names + "|[rR]|[wW]|[rR][wW]" : names;
  }

  private static String anyCase(String name) {
    return name.chars()
        .mapToObj(c ->
            Character.isLetter(c)
                ? "[" + (char) Character.toLowerCase(c) + (char) Character.toUpperCase(c) + "]"
                : c == '_' ? "[-_]" : String.valueOf((char) c))
        .collect(Collectors.joining());
  }

  private static Map<String, Object> scalar() {
    return map("type", List.of(STRING, "number", "boolean"));
  }

  private static Map<String, Object> ref(String definition) {
    return map("$ref", "#/$defs/" + definition);
  }

  private static Map<String, Object> anyOf(Collection<Map<String, Object>> choices) {
    return map("anyOf", choices);
  }

  private static Map<String, Object> closed(Map<String, Object> keys) {
    return map("type", "object", "properties", keys, "additionalProperties", false);
  }

  private static Map<String, Object> said(Map<String, Object> schema, String description) {
    Map<String, Object> said = map(DESCRIPTION, description);
    schema.forEach(said::putIfAbsent);
    said.put(DESCRIPTION, description);
    return said;
  }

  private static Map<String, Object> both(Map<String, Object> schema, String key, Object value) {
    Map<String, Object> both = new LinkedHashMap<>(schema);
    both.put(key, value);
    return both;
  }

  /** Returns a map in the order that is given. */
  private static Map<String, Object> map(Object... keysAndValues) {
    Map<String, Object> map = new LinkedHashMap<>();
    for (int i = 0; i < keysAndValues.length; i += 2) {
      map.put((String) keysAndValues[i], keysAndValues[i + 1]);
    }
    return map;
  }
}
