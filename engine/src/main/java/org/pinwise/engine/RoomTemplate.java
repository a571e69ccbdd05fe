package org.pinwise.engine;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.pinwise.engine.rulefile.TeamRules;

/** A new room: a rule that works, to be changed into the one that is wanted. */
public final class RoomTemplate {
  private static final String RULE =
      """
      package mr.rules.PACKAGE;

      import org.pinwise.rules.model.MrRequest;
      import org.pinwise.rules.model.Size;
      import org.pinwise.rules.model.Verb;
      global org.pinwise.rules.spi.Findings findings;

      // What may be written here: engine/RULE-FILES.md, and pinwise explain device.odp for a fact.
      rule "ID"
        @severity(WARNING) @since(1)
        @spec("where your fleet's guide says so")
        @summary("A region has at most 1 GiB")
        @remediation("Register chunks of at most 1 GiB.")
      when
        $r : MrRequest( verb in (Verb.REG_MR, Verb.REG_MR_IOVA), length > Size.GIB )
      then
        findings.report("ID", $r, "{length} in one region is more than 1GiB");
      end
      """;

  private static final String PROSE =
      """
      Say why: what happens where the rule is not kept, and how you know.

      **Fix.** Say how to mend it.
      """;

  private static final String ACCEPT =
      """
      register:
        length: 1GiB
        access: [LOCAL_WRITE]
      """;

  private static final String REJECT =
      """
      register:
        length: 2GiB     # expect: ID warning
        access: [LOCAL_WRITE]
      """;

  private RoomTemplate() {}

  /**
   * Returns the files of a new room by name.
   *
   * @param id the room's id, such as {@code ACME101}
   * @param name what it demands, in small letters with dashes
   * @throws IllegalArgumentException if the id or the name cannot be a room's; one line
   */
  public static Room of(String id, String name) {
    if (!id.matches("[A-Z]{2,12}\\d{3}")) {
      throw new IllegalArgumentException(
          "%s is no rule id; an id is 2 to 12 capital letters and three digits, such as ACME101"
              .formatted(id));
    }
    List<String> taken = TeamRules.idProblems(id);
    if (!taken.isEmpty()) {
      throw new IllegalArgumentException(taken.get(0));
    }
    if (!name.matches("[a-z0-9]+(-[a-z0-9]+)*") || name.length() > 60) {
      throw new IllegalArgumentException(
          "%s is no room's name; it is small letters and digits with dashes, such as regions-are-small"
              .formatted(name));
    }
    Map<String, String> files = new LinkedHashMap<>();
    files.put("rule.drl", RULE.replace("PACKAGE", id.toLowerCase(Locale.ROOT)).replace("ID", id));
    files.put("rule.md", PROSE);
    files.put("accept-one-gibibyte.yaml", ACCEPT);
    files.put("reject-two-gibibytes.yaml", REJECT.replace("ID", id));
    return new Room(id + "-" + name, id + "-" + name, files);
  }

  /** Returns the manifest of a new pack. */
  public static String manifest(String name) {
    return """
    name: %s
    version: "1"
    pinwise: "%s"      # the least version of Pinwise that it needs
    """
        .formatted(name, Pinwise.version().replaceFirst("-.*", ""));
  }
}
