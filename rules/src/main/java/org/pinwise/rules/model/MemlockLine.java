package org.pinwise.rules.model;

import static org.pinwise.rules.model.Field.Format.BYTES;
import static org.pinwise.rules.model.Field.Format.PLAIN;
import static org.pinwise.rules.model.Volatility.FIXED;

import org.jspecify.annotations.Nullable;

/**
 * A line of limits.conf(5) about locked memory, with what the lines beside it make of it. A null
 * component is unknown.
 *
 * @param domain whom it speaks of, as written
 * @param domainKind whom it speaks of
 * @param type the type, as written
 * @param sets which of the two limits it sets; {@link LimitsSet#NONE} where pam_limits skips it
 * @param value the value, as written
 * @param number the value as pam_limits reads it, in KiB; null where there is no limit or no number
 * @param limit the limit that it sets in bytes; {@link Size#UNLIMITED} for none; null where it sets
 *     nothing
 * @param wholeNumber whether pam_limits reads the whole value: of {@code 64G} it reads 64
 * @param pairSet whether the lines for the same domain set both limits
 * @param overridden whether a later line for the same domain sets again all that it sets
 * @param rootNamed whether some line about locked memory names root
 * @param fileRead whether pam_limits reads a file of this name: in limits.d only {@code *.conf}
 */
public record MemlockLine(
    @Nullable String domain,
    @Nullable LimitDomain domainKind,
    @Nullable String type,
    @Nullable LimitsSet sets,
    @Nullable String value,
    @Nullable Long number,
    @Nullable Long limit,
    @Nullable Boolean wholeNumber,
    @Nullable Boolean pairSet,
    @Nullable Boolean overridden,
    @Nullable Boolean rootNamed,
    @Nullable Boolean fileRead)
    implements Configuration {

  /** The fields of such a line. */
  public static final FactType<MemlockLine> TYPE =
      FactType.of(MemlockLine.class, "memlockLine")
          .text("domain", MemlockLine::domain, FIXED, "whom it speaks of, as written")
          .choice(
              "domainKind", LimitDomain.class, MemlockLine::domainKind, FIXED, "whom it speaks of")
          .text("type", MemlockLine::type, FIXED, "the type, as written")
          .choice(
              "sets",
              LimitsSet.class,
              MemlockLine::sets,
              FIXED,
              "which of the two limits it sets; none where pam_limits skips it")
          .text("value", MemlockLine::value, FIXED, "the value, as written")
          .number(
              "number", MemlockLine::number, PLAIN, FIXED, "the value as pam_limits reads it, KiB")
          .number("limit", MemlockLine::limit, BYTES, FIXED, "the limit that it sets")
          .flag(
              "wholeNumber",
              MemlockLine::wholeNumber,
              FIXED,
              "whether pam_limits reads the whole value: of 64G it reads 64")
          .flag(
              "pairSet",
              MemlockLine::pairSet,
              FIXED,
              "whether the lines for the same domain set both limits")
          .flag(
              "overridden",
              MemlockLine::overridden,
              FIXED,
              "whether a later line for the same domain sets it again")
          .flag("rootNamed", MemlockLine::rootNamed, FIXED, "whether some line names root")
          .flag("fileRead", MemlockLine::fileRead, FIXED, "whether a file of this name is read")
          .build(v ->
              new MemlockLine(
                  v.text("domain"),
                  v.choice("domainKind", LimitDomain.class),
                  v.text("type"),
                  v.choice("sets", LimitsSet.class),
                  v.text("value"),
                  v.number("number"),
                  v.number("limit"),
                  v.flag("wholeNumber"),
                  v.flag("pairSet"),
                  v.flag("overridden"),
                  v.flag("rootNamed"),
                  v.flag("fileRead")));

  @Override
  public FactType<MemlockLine> factType() {
    return TYPE;
  }
}
