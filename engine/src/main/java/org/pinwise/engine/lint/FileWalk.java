package org.pinwise.engine.lint;

import java.nio.file.Path;
import org.pinwise.engine.yaml.Yaml;

/** Reaches the files that are linted. */
final class FileWalk {
  private final LintRun run;

  FileWalk(LintRun run) {
    this.run = run;
  }

  void walk(Path path) {
    run.named(new Source(path.toString(), Yaml.text(path)));
  }
}
