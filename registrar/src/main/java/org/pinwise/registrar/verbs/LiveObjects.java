package org.pinwise.registrar.verbs;

/**
 * How many objects an implementation has handed out and not got back.
 *
 * @param contexts open devices
 * @param protectionDomains protection domains
 * @param memoryRegions registered regions
 */
public record LiveObjects(long contexts, long protectionDomains, long memoryRegions) {

  /** Nothing is live. */
  public static final LiveObjects NONE = new LiveObjects(0, 0, 0);
}
