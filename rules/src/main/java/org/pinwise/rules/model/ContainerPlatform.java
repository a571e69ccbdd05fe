package org.pinwise.rules.model;

/** What runs a {@link Container}. */
public enum ContainerPlatform {
  /** Kubernetes: a container of a pod template. */
  KUBERNETES,
  /** Docker Compose: a service. */
  COMPOSE
}
