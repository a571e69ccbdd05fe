package org.pinwise.rules.model;

/** What kind of file a {@link Setting} stands in. */
public enum SettingSource {
  /** An {@code options} line of modprobe.d; the scope is the module. */
  MODPROBE,
  /** A line of sysctl.conf or sysctl.d; it has no scope. */
  SYSCTL,
  /** A line of slurm.conf; it has no scope. */
  SLURM,
  /** A key of a pod or container that Kubernetes does not have; the scope is the workload. */
  KUBERNETES,
  /** A variable of a process's environment; the scope is the container, service or unit. */
  ENVIRONMENT,
  /** A key of a systemd unit; the scope is its section. */
  SYSTEMD,
  /** A path or a parameter in a script; the scope is the module that it belongs to. */
  SCRIPT
}
