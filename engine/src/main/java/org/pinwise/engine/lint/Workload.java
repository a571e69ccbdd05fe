package org.pinwise.engine.lint;

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
}
