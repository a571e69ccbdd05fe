package org.pinwise.engine.lint;

import java.util.Locale;

/**
 * What a plan runs as, and by which files are joined with it: {@code namespace/name} of a
 * Kubernetes workload, the name of a compose service, of a systemd unit, or of a user.
 *
 * @param kind what kind of thing it is
 * @param name its name
 */
record Workload(Kind kind, String name) {
  /** What a plan can run as. */
  enum Kind {
    /** {@code namespace/name}, or {@code namespace/name/container}. */
    KUBERNETES,
    /** A service of Docker Compose. */
    COMPOSE,
    /** A systemd unit, such as {@code app.service}. */
    UNIT,
    /** A login name. */
    USER
  }

  /** Returns it as a plan names it, such as {@code kubernetes:ml/trainer}. */
  @Override
  public String toString() {
    return kind.name().toLowerCase(Locale.ROOT) + ":" + name;
  }
}
