package org.pinwise.rules.model;

import static org.pinwise.rules.model.Volatility.FIXED;

import org.jspecify.annotations.Nullable;

/**
 * What slurm.conf(5) says of the limits that a job takes over from the process that submitted it. A
 * null component is unknown.
 *
 * @param propagated the value of PropagateResourceLimits; empty where it is not given
 * @param except the value of PropagateResourceLimitsExcept; empty where it is not given
 * @param given whether one of the two is given; null where a file that is included may give it
 * @param both whether both are given
 * @param memlock whether a job takes over the limit of locked memory
 * @param namesKnown whether Slurm knows all names in the value that it reads
 */
public record SlurmLimits(
    @Nullable String propagated,
    @Nullable String except,
    @Nullable Boolean given,
    @Nullable Boolean both,
    @Nullable Boolean memlock,
    @Nullable Boolean namesKnown)
    implements Configuration {

  /** The fields of such a file. */
  public static final FactType<SlurmLimits> TYPE =
      FactType.of(SlurmLimits.class, "slurm")
          .text("propagated", SlurmLimits::propagated, FIXED, "PropagateResourceLimits")
          .text("except", SlurmLimits::except, FIXED, "PropagateResourceLimitsExcept")
          .flag("given", SlurmLimits::given, FIXED, "whether one of the two is given")
          .flag("both", SlurmLimits::both, FIXED, "whether both are given")
          .flag(
              "memlock",
              SlurmLimits::memlock,
              FIXED,
              "whether a job takes over the limit of locked memory of its submitter")
          .flag("namesKnown", SlurmLimits::namesKnown, FIXED, "whether Slurm knows all its names")
          .build(v ->
              new SlurmLimits(
                  v.text("propagated"),
                  v.text("except"),
                  v.flag("given"),
                  v.flag("both"),
                  v.flag("memlock"),
                  v.flag("namesKnown")));

  @Override
  public FactType<SlurmLimits> factType() {
    return TYPE;
  }
}
