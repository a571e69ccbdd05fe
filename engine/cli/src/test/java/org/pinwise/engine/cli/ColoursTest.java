package org.pinwise.engine.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.Test;

class ColoursTest {
  @Test
  void aTerminalThatShowsThemAndAUserWhoWantsThem() {
    assertThat(Colours.wanted(Map.of(), true)).isTrue();
    assertThat(Colours.wanted(Map.of("TERM", "xterm-256color"), true)).isTrue();
    assertThat(Colours.wanted(Map.of("NO_COLOR", ""), true)).isTrue();
    assertThat(Colours.wanted(Map.of("NO_COLOR", "1"), true)).isFalse();
    assertThat(Colours.wanted(Map.of("NO_COLOR", "0"), true)).isFalse();
    assertThat(Colours.wanted(Map.of("TERM", "dumb"), true)).isFalse();
    assertThat(Colours.wanted(Map.of("TERM", "xterm"), false)).isFalse();
  }
}
