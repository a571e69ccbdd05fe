package org.pinwise.rules.model;

/** Whom a line of limits.conf(5) speaks of. */
public enum LimitDomain {
  /** A login name other than {@code root}, or {@code :uid}. */
  USER,
  /** The login name {@code root}. */
  ROOT,
  /** {@code @group}, or {@code @:gid}. */
  GROUP,
  /** {@code *}, which is for those of whom no other line speaks. */
  WILDCARD,
  /** A range of user ids, {@code min:max}, or of group ids, {@code @min:max}. */
  RANGE,
  /** {@code %} or {@code %group}, which counts logins only. */
  LOGINS
}
