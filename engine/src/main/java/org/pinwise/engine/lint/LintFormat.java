package org.pinwise.engine.lint;

/** How findings are written. */
public enum LintFormat {
  /** For people: the line as it stands in the file, and a caret under what is wrong. */
  TEXT,
  /** JSON of a schema of our own. */
  JSON,
  /** SARIF 2.1.0, for code scanning. */
  SARIF,
  /** JUnit's XML, for servers that show tests. */
  JUNIT,
  /** Commands of GitHub Actions, which annotate the lines of a change. */
  GITHUB;

  /** Returns what writes this format; it writes while it hears, and must be ended. */
  public LintWriter to(Appendable out) {
    return switch (this) {
      case TEXT -> new TextWriter(out);
      case JSON -> new JsonWriter(out);
      case SARIF -> new SarifWriter(out);
      case JUNIT -> new JunitWriter(out);
      case GITHUB -> new GithubWriter(out);
    };
  }
}
