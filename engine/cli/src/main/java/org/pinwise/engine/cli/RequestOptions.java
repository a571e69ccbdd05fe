package org.pinwise.engine.cli;

import org.jspecify.annotations.Nullable;
import org.pinwise.engine.facts.AccessParser;
import org.pinwise.engine.facts.UseOption;
import org.pinwise.rules.model.Access;
import org.pinwise.rules.model.MrRequest;
import org.pinwise.rules.model.Verb;
import picocli.CommandLine.Option;

/** Options that describe a request to register memory. */
public final class RequestOptions {
  @Option(
      names = "--access",
      paramLabel = "FLAGS",
      description = {
        "Access flags: names with or without IBV_ACCESS_,",
        "separated by | or a comma, or a number. 0 is none."
      })
  private @Nullable String access;

  @Option(
      names = "--length",
      paramLabel = "SIZE",
      description = "Length in bytes, or with B, KiB, MiB, GiB, TiB.")
  private @Nullable String length;

  @Option(
      names = "--address",
      paramLabel = "ADDRESS",
      description = "Where the memory starts, such as 0x7f0000000000.")
  private @Nullable String address;

  @Option(
      names = "--iova",
      paramLabel = "ADDRESS",
      description = "The address that peers use; means --verb reg_mr_iova.")
  private @Nullable String iova;

  @Option(
      names = "--verb",
      paramLabel = "VERB",
      description = {
        "reg_mr (if nothing is said), reg_mr_iova,",
        "reg_dmabuf_mr, reg_dm_mr, bind_mw."
      })
  private @Nullable String verb;

  @Option(
      names = "--region-access",
      paramLabel = "FLAGS",
      description = "With --verb bind_mw: the access of the window's region.")
  private @Nullable String regionAccess;

  @Option(
      names = "--use",
      paramLabel = "USE,..",
      description = {
        "All that the program does with the memory: receive,",
        "send_source, read_sink, write_target, read_source,",
        "atomic_target, atomic_result, flush_target,",
        "polls_memory. Without --access: recommend flags."
      })
  private @Nullable String use;

  /** Makes options that nobody gave. */
  public RequestOptions() {}

  /** Returns whether flags are asked for: uses are given, and no access. */
  boolean asksForFlags() {
    return use != null && access == null;
  }

  /** Returns whether nobody gave any. */
  boolean isEmpty() {
    return access == null
        && length == null
        && address == null
        && iova == null
        && verb == null
        && regionAccess == null
        && use == null;
  }

  /**
   * Returns the request; what was not given is unknown, but for the verb.
   *
   * @throws UsageException if an option's value cannot be understood
   */
  public MrRequest request() {
    MrRequest.Builder builder = MrRequest.builder();
    if (access != null) {
      builder.access(Options.<Access>read("--access", access, AccessParser::parse));
    }
    if (length != null) {
      builder.length(Options.number("--length", length));
    }
    if (address != null) {
      builder.address(Options.number("--address", address));
    }
    if (use != null) {
      builder.uses(UseOption.parse(use));
    }
    if (verb != null) {
      builder.verb(Options.choice("--verb", verb, Verb.class));
    }
    if (regionAccess != null) {
      if (builder.build().verb() != Verb.BIND_MW) {
        throw new UsageException(
            "--region-access",
            "is for windows; say --verb bind_mw, or --access for the flags of a region");
      }
      builder.regionAccess(
          Options.<Access>read("--region-access", regionAccess, AccessParser::parse).flags());
    }
    if (iova != null) {
      long number = Options.number("--iova", iova);
      if (verb != null && builder.build().verb() == Verb.REG_MR) {
        throw new UsageException(
            "--iova",
            "ibv_reg_mr takes none, for it uses the address; leave it out, or say --verb"
                + " reg_mr_iova");
      }
      builder.iova(number);
    }
    return builder.build();
  }
}
