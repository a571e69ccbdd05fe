package org.pinwise.rules.model;

/** Which of a resource's two limits a configuration sets. */
public enum LimitsSet {
  NONE,
  SOFT,
  HARD,
  BOTH
}
