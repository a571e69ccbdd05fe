package org.pinwise.engine.lint;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.pinwise.rules.model.Setting;

class ModprobeReaderTest {

  private static List<String> read(String text) {
    List<String> found = new ArrayList<>();
    new ModprobeReader()
        .read(
            new Source("modprobe.d/mlx.conf", text),
            new Statements() {
              @Override
              public void add(Statement statement) {
                Setting s = (Setting) statement.facts().configuration();
                assertThat(s).isNotNull();
                found.add(
                    "%s.%s=%s at %s"
                        .formatted(
                            s.scope(), s.key(), s.value(), statement.placeOf("setting.key")));
              }

              @Override
              public void problem(Place place, String message) {
                found.add(place + ": " + message);
              }

              @Override
              public void skipped(String what) {
                throw new AssertionError(what);
              }
            });
    return found;
  }

  @Test
  void optionsAreSettings() {
    assertThat(read("options mlx4_core log_num_mtt=24 log_mtts_per_seg=1\n"))
        .containsExactly(
            "mlx4_core.log_num_mtt=24 at 1:19", "mlx4_core.log_mtts_per_seg=1 at 1:34");
  }

  @Test
  void linesContinueAndCommentsAreNone() {
    assertThat(
            read(
                """
                # options mlx4_core log_num_mtt=1
                options mlx4-core \\
                  log_num_mtt=24 \\
                  debug
                softdep a pre: b
                """))
        .containsExactly("mlx4_core.log_num_mtt=24 at 3:3", "mlx4_core.debug= at 4:3");
  }

  @Test
  void whatModprobeDoesNotKnowIsAProblem() {
    assertThat(read("option mlx4_core a=1\noptions\n"))
        .satisfiesExactly(
            first -> assertThat(first).startsWith("1:1: modprobe has no command option;"),
            second -> assertThat(second).startsWith("2:1: options names no module;"));
  }
}
