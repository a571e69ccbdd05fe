package org.pinwise.registrar.watch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.math.BigDecimal;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class JsonTextTest {

  @Test
  void values() {
    assertThat(JsonText.parse(" {\"a\" : [1, -2.5e3, \"x\\n\\u00e4\\\"\"], \"b\":{}, \"c\":[]} "))
        .isEqualTo(
            Map.of(
                "a",
                List.of(new BigDecimal("1"), new BigDecimal("-2.5e3"), "x\n\u00e4\""),
                "b",
                Map.of(),
                "c",
                List.of()));
    assertThat(JsonText.parse("[true,false,null]")).isEqualTo(Arrays.asList(true, false, null));
    assertThat(JsonText.parse("18446744073709551615"))
        .isEqualTo(new BigDecimal("18446744073709551615"));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "", "[", "[1", "[1,", "{", "{\"a\"", "{\"a\":", "{\"a\":1", "\"a", "\"\\", "\"\\u12\"",
        "[1,]", "{,}", "{a:1}", "tru", "1 2", "[1}", "\"\\x\"", "-", "1e", "--1", "0x1",
        "99999999999999999999999999999999999999999"
      })
  void whatIsNoJsonSaysWhere(String text) {
    assertThatThrownBy(() -> JsonText.parse(text))
        .isInstanceOf(IllegalArgumentException.class)
        .message()
        .matches("(?s)ends too early, after \\d+ characters|is no JSON from character \\d+ on: .*");
  }

  /** Every prefix of a text is refused, and none by another exception. */
  @Test
  void everyPrefixIsRefused() {
    String text = "[{\"ifindex\":0,\"ifname\":\"rxe0\",\"mrn\":0,\"rkey\":\"2c8\",\"x\":[{}]}]";
    for (int end = 0; end < text.length(); end++) {
      String prefix = text.substring(0, end);
      assertThatThrownBy(() -> JsonText.parse(prefix)).isInstanceOf(IllegalArgumentException.class);
    }
  }

  @Test
  void depthHasABound() {
    assertThatThrownBy(() -> JsonText.parse("[".repeat(100_000)))
        .isInstanceOf(IllegalArgumentException.class);
  }
}
