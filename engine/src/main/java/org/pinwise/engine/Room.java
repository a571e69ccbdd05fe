package org.pinwise.engine;

import java.util.Map;

/**
 * A rule's room: a folder that holds its rule file, its prose and its examples.
 *
 * @param name the folder's name, such as {@code MR001-remote-write-needs-local-write}
 * @param location where the folder is, as problems name it
 * @param files the folder's files by name, read as UTF-8 text
 */
public record Room(String name, String location, Map<String, String> files) {

  /** Keeps an immutable copy. */
  public Room {
    files = Map.copyOf(files);
  }

  /** Returns the id that the folder's name starts with, such as {@code MR001}. */
  public String id() {
    int dash = name.indexOf('-');
    return dash < 0 ? name : name.substring(0, dash);
  }

  /** Returns the text of the rule file; empty where the room has none. */
  public String rule() {
    return files.getOrDefault("rule.drl", "");
  }

  /** Returns the prose; empty where the room has none. */
  public String prose() {
    return files.getOrDefault("rule.md", "");
  }
}
