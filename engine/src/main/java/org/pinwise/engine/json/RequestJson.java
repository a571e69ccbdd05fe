package org.pinwise.engine.json;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.StreamReadFeature;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.StringJoiner;
import org.pinwise.engine.InputException;
import org.pinwise.engine.facts.AccessParser;
import org.pinwise.engine.text.Nearest;
import org.pinwise.engine.text.Quantity;
import org.pinwise.rules.model.MrRequest;
import org.pinwise.rules.model.Use;
import org.pinwise.rules.model.Verb;

/**
 * Reads a request as {@link VerdictJson} writes it: {@code
 * {"verb":"reg_mr","access":["LOCAL_WRITE"], "length":"4096"}}. Every key may be left out or null,
 * which is unknown, but for the verb, which is then {@code reg_mr}. An access may also be written
 * as {@code --access} takes it, a number as a JSON number or with a unit.
 */
public final class RequestJson {
  private static final List<String> KEYS =
      List.of("verb", "access", "address", "length", "iova", "uses", "regionAccess");

  private static final JsonFactory FACTORY =
      JsonFactory.builder()
          .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
          .streamReadConstraints(StreamReadConstraints.builder().maxNestingDepth(8).build())
          .build();

  private RequestJson() {}

  /**
   * Reads one request.
   *
   * @throws IllegalArgumentException if the text is none; the message is one line
   */
  public static MrRequest parse(String text) {
    try (JsonParser json = FACTORY.createParser(text)) {
      if (json.nextToken() != JsonToken.START_OBJECT) {
        throw new IllegalArgumentException("a request is an object, such as {\"length\":4096}");
      }
      MrRequest.Builder request = MrRequest.builder();
      while (json.nextToken() == JsonToken.FIELD_NAME) {
        String key = json.currentName();
        json.nextToken();
        if (json.currentToken() != JsonToken.VALUE_NULL) {
          read(key, json, request);
        }
      }
      if (json.nextToken() != null) {
        throw new IllegalArgumentException("something follows the request");
      }
      return request.build();
    } catch (JsonProcessingException e) {
      // Jackson goes on with where the object starts, and which source it does not show.
      String reason = e.getOriginalMessage().lines().findFirst().orElse("");
      throw new IllegalArgumentException(
          "is no JSON at column %d: %s"
              .formatted(
                  e.getLocation().getColumnNr(),
                  reason.replaceFirst(" ?(\\(for |\\[Source).*", "")),
          e);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static void read(String key, JsonParser json, MrRequest.Builder request)
      throws IOException {
    try {
      switch (key) {
        case "verb" -> request.verb(choice(text(json), Verb.class));
        case "access" -> request.access(AccessParser.parse(joined(json)));
        case "address" -> request.address(Quantity.parse(text(json)));
        case "length" -> request.length(Quantity.parse(text(json)));
        case "iova" -> request.iova(Quantity.parse(text(json)));
        case "uses" -> request.uses(uses(joined(json)));
        case "regionAccess" -> request.regionAccess(AccessParser.parse(joined(json)).flags());
        default ->
            throw new IllegalArgumentException(
                "there is no such key%s; there are %s".formatted(Nearest.hint(key, KEYS), KEYS));
      }
    } catch (IllegalArgumentException | InputException e) {
      throw new IllegalArgumentException(key + ": " + e.getMessage(), e);
    }
  }

  private static String text(JsonParser json) throws IOException {
    return switch (json.currentToken()) {
      case VALUE_STRING, VALUE_NUMBER_INT -> json.getText();
      default -> throw new IllegalArgumentException("takes a text or a whole number");
    };
  }

  /** Texts of an array, with bars between them; an empty one is no flag. */
  private static String joined(JsonParser json) throws IOException {
    if (json.currentToken() != JsonToken.START_ARRAY) {
      return text(json);
    }
    StringJoiner joined = new StringJoiner("|");
    joined.setEmptyValue("0");
    while (json.nextToken() != JsonToken.END_ARRAY) {
      joined.add(text(json));
    }
    return joined.toString();
  }

  private static Set<Use> uses(String text) {
    Set<Use> uses = EnumSet.noneOf(Use.class);
    if (!text.equals("0")) {
      for (String use : text.split("[|,]", -1)) {
        uses.add(choice(use, Use.class));
      }
    }
    return uses;
  }

  private static <E extends Enum<E>> E choice(String text, Class<E> type) {
    String name = text.strip().toUpperCase(Locale.ROOT).replace('-', '_');
    for (E constant : type.getEnumConstants()) {
      if (constant.name().equals(name)) {
        return constant;
      }
    }
    List<String> names =
        Arrays.stream(type.getEnumConstants())
            .map(constant -> constant.name().toLowerCase(Locale.ROOT))
            .toList();
    throw new IllegalArgumentException(
        "cannot be %s%s; there are %s".formatted(text, Nearest.hint(text, names), names));
  }
}
