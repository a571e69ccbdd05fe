package org.pinwise.rules.model;

/**
 * Families of processors that behave differently towards relaxed PCIe requests: UCX turns them on
 * for AMD's ({@code src/ucs/arch/cpu.h}, {@code ucs_cpu_model_prefer_relaxed_order}), DPDK off for
 * Intel's two ({@code mlx5_common_verbs.c}).
 */
public enum Cpu {
  /** AMD EPYC, from Naples on. */
  AMD_EPYC,
  /** Intel Haswell or Broadwell. */
  INTEL_HASWELL_BROADWELL,
  /** Any other. */
  OTHER
}
