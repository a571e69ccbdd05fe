package org.pinwise.rules.model;

import java.util.List;

/**
 * One thing that a configuration file says, and what a rule about configuration judges. A judgement
 * has at most one, so that a rule needs no join over lists: each setting, container or unit is
 * judged by itself. A record here may not hold what another file says; that is joined by an
 * explicit key.
 */
public sealed interface Configuration
    permits Container, MemlockLine, ServiceUnit, Setting, SlurmLimits {

  /** Returns the fact's type. */
  FactType<? extends Configuration> factType();

  /** Returns all types of configuration, in the order in which texts name them. */
  static List<FactType<? extends Configuration>> types() {
    return List.of(
        Setting.TYPE, Container.TYPE, MemlockLine.TYPE, ServiceUnit.TYPE, SlurmLimits.TYPE);
  }
}
