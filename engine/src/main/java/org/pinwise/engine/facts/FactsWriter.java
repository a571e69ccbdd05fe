package org.pinwise.engine.facts;

import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.pinwise.rules.model.Access;
import org.pinwise.rules.model.Configuration;
import org.pinwise.rules.model.Device;
import org.pinwise.rules.model.FactType;
import org.pinwise.rules.model.Facts;
import org.pinwise.rules.model.Field;
import org.pinwise.rules.model.Field.Format;
import org.pinwise.rules.model.Host;
import org.pinwise.rules.model.Kernel;
import org.pinwise.rules.model.Labels;
import org.pinwise.rules.model.Memory;
import org.pinwise.rules.model.MrRequest;
import org.pinwise.rules.model.Plan;

/** Writes facts as a facts file; {@link FactsReader} reads from it the same facts. */
public final class FactsWriter {
  private static final String INDENT = "  ";

  private FactsWriter() {}

  /** Returns the text of a facts file, in YAML. */
  public static String write(Facts facts) {
    Map<String, Map<String, String>> sections = new LinkedHashMap<>();
    sections.put(MrRequest.TYPE.key(), request(facts.request()));
    Memory memory = facts.memory();
    if (memory != null) {
      sections.put(Memory.TYPE.key(), fields(Memory.TYPE, memory));
    }
    putKnown(sections, Device.TYPE, facts.device());
    putKnown(sections, Host.TYPE, facts.host());
    if (!facts.plan().equals(Plan.NONE)) {
      sections.put(Plan.TYPE.key(), fields(Plan.TYPE, facts.plan()));
    }
    Map<String, String> labels = facts.labels().values();
    if (labels != null) {
      Map<String, String> quoted = new TreeMap<>();
      labels.forEach((name, value) -> quoted.put(name, quoted(value)));
      sections.put(Labels.TYPE.key(), quoted);
    }
    Configuration configuration = facts.configuration();
    if (configuration != null) {
      putConfiguration(sections, configuration.factType(), configuration);
    }
    return text(sections);
  }

  private static <F extends Configuration> void putConfiguration(
      Map<String, Map<String, String>> sections, FactType<F> type, Configuration configuration) {
    putKnown(sections, type, type.type().cast(configuration));
  }

  /** Returns the text of a facts file that holds a device and a host only; null is left out. */
  public static String write(@Nullable Device device, @Nullable Host host) {
    Map<String, Map<String, String>> sections = new LinkedHashMap<>();
    putKnown(sections, Device.TYPE, device == null ? Device.UNKNOWN : device);
    putKnown(sections, Host.TYPE, host == null ? Host.UNKNOWN : host);
    return text(sections);
  }

  private static <F> void putKnown(
      Map<String, Map<String, String>> sections, FactType<F> type, F fact) {
    Map<String, String> fields = fields(type, fact);
    if (!fields.isEmpty()) {
      sections.put(type.key(), fields);
    }
  }

  private static Map<String, String> request(MrRequest request) {
    Map<String, String> fields = fields(MrRequest.TYPE, request);
    if (request.verb() == null) {
      fields.put("verb", FieldParser.UNKNOWN); // where it is not given, a reader takes ibv_reg_mr
    }
    putRaw(fields, "address", request.rawAddress());
    putRaw(fields, "length", request.rawLength());
    putRaw(fields, "iova", request.rawIova());
    if (request.access() != null) {
      Access argument = request.accessArgument();
      if (argument != null) {
        fields.put("access", argument.toString());
        fields.remove("unknownBits");
        fields.remove("unknownOptionalBits");
      } else {
        fields.put("access", new Access(request.access(), 0).toString());
        fields.putIfAbsent("unknownBits", FieldParser.UNKNOWN);
        fields.putIfAbsent("unknownOptionalBits", FieldParser.UNKNOWN);
      }
    }
    return fields;
  }

  /** Keeps the bit pattern, which the saturated field does not hold, and units where they help. */
  private static void putRaw(Map<String, String> fields, String name, @Nullable Long raw) {
    if (raw != null && (raw < 0 || raw == Long.MAX_VALUE)) {
      fields.put(name, "0x" + Long.toHexString(raw));
    }
  }

  private static <F> Map<String, String> fields(FactType<F> type, F fact) {
    Map<String, String> fields = new LinkedHashMap<>();
    for (Field<F> field : type.fields()) {
      Object value = field.read(fact);
      if (value != null) {
        fields.put(field.name(), text(field, value));
      }
    }
    return fields;
  }

  private static String text(Field<?> field, Object value) {
    return switch (field.kind()) {
      case BOOLEAN -> value.toString();
      case NUMBER -> number(field, ((Number) value).longValue());
      case TEXT -> quoted((String) value);
      case CHOICE -> lower((Enum<?>) value);
      case FLAGS ->
          ((Collection<?>) value)
              .stream()
                  .map(member -> lower((Enum<?>) member))
                  .collect(Collectors.joining(", ", "[", "]"));
    };
  }

  private static String number(Field<?> field, long value) {
    if (field.format() == Format.KERNEL) {
      return "\"" + Kernel.text((int) value) + "\"";
    }
    return value == Long.MAX_VALUE && field.format() != Format.HEX
        ? "unlimited"
        : field.format() == Format.HEX ? "0x" + Long.toHexString(value) : field.show(value);
  }

  private static String lower(Enum<?> constant) {
    return constant.name().toLowerCase(Locale.ROOT);
  }

  /** Returns a text in double quotes, with all but printable ASCII escaped. */
  private static String quoted(String text) {
    StringBuilder out = new StringBuilder("\"");
    text.codePoints()
        .forEach(c -> {
          if (c == '"' || c == '\\') {
            out.append('\\').append((char) c);
          } else if (c >= ' ' && c < 0x7f) {
            out.append((char) c);
          } else {
            out.append(c > 0xffff ? "\\U%08x".formatted(c) : "\\u%04x".formatted(c));
          }
        });
    return out.append('"').toString();
  }

  private static String text(Map<String, Map<String, String>> sections) {
    List<String> lines = new ArrayList<>();
    sections.forEach((key, fields) -> {
      lines.add(fields.isEmpty() ? key + ": {}" : key + ":");
      fields.forEach((name, value) -> lines.add(INDENT + name + ": " + value));
    });
    return lines.isEmpty() ? "{}\n" : String.join("\n", lines) + "\n";
  }
}
