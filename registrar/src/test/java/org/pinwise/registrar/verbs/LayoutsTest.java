package org.pinwise.registrar.verbs;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.GroupLayout;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemoryLayout.PathElement;
import java.math.BigInteger;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.pinwise.rules.model.Errno;

/** Compares layouts and constants with what the C compiler makes of the installed header. */
class LayoutsTest {

  private static final Map<String, Long> PROBE = new TreeMap<>();

  @BeforeAll
  static void probe() {
    NativeBuild.assumeVerbsHeader();
    for (String line : NativeBuild.run("layout-probe.c", "layout-probe")) {
      String[] keyAndValue = line.split("=", 2);
      PROBE.put(keyAndValue[0], new BigInteger(keyAndValue[1]).longValue());
    }
  }

  @Test
  void everyMemberIsWhereTheCompilerPutsIt() {
    Map<String, Long> ours = new LinkedHashMap<>();
    for (MemoryLayout struct : Layouts.WHOLE) {
      String name = struct.name().orElseThrow();
      ours.put("size." + name, struct.byteSize());
      offsets((GroupLayout) struct, "offset." + name, 0, ours);
    }

    assertThat(ours).hasSizeGreaterThan(90);
    assertThat(PROBE).containsAllEntriesOf(ours);
  }

  @Test
  void theTailOfVerbsContextIsWhereTheCompilerPutsItCountedFromTheEnd() {
    GroupLayout tail = Layouts.VERBS_CONTEXT_TAIL;
    Map<String, Long> fromStart = new LinkedHashMap<>();
    for (MemoryLayout member : tail.memberLayouts()) {
      String name = member.name().orElseThrow();
      fromStart.put(
          "offset.verbs_context." + name, tail.byteOffset(PathElement.groupElement(name)));
    }
    long size = PROBE.get("size.verbs_context");

    assertThat(fromStart)
        .allSatisfy((key, offset) ->
            assertThat(size - PROBE.get(key)).as(key).isEqualTo(tail.byteSize() - offset));
  }

  @Test
  void nodeTypesHaveTheirNumbers() {
    for (NodeType type : NodeType.values()) {
      assertThat(PROBE).containsEntry("const.IBV_NODE_" + type, (long) type.number());
      assertThat(NodeType.of(type.number())).isEqualTo(type);
    }
    assertThat(NodeType.of(99)).isEqualTo(NodeType.UNKNOWN);
  }

  @Test
  void transportTypesHaveTheirNumbers() {
    for (TransportType type : TransportType.values()) {
      assertThat(PROBE).containsEntry("const.IBV_TRANSPORT_" + type, (long) type.number());
      assertThat(TransportType.of(type.number())).isEqualTo(type);
    }
    assertThat(TransportType.of(99)).isEqualTo(TransportType.UNKNOWN);
  }

  @Test
  void errnosHaveTheirNumbers() {
    for (Errno errno : Errno.values()) {
      assertThat(PROBE).containsEntry("const." + errno, (long) errno.number());
    }
  }

  /** The name of the whole struct that a member is; its own name if it is none of them. */
  private static String structOf(GroupLayout member) {
    for (GroupLayout struct : Layouts.WHOLE) {
      if (struct.memberLayouts().equals(member.memberLayouts())) {
        return struct.name().orElseThrow();
      }
    }
    return member.name().orElseThrow();
  }

  private static void offsets(
      GroupLayout group, String prefix, long start, Map<String, Long> result) {
    for (MemoryLayout member : group.memberLayouts()) {
      if (member.name().isEmpty()) {
        continue; // padding
      }
      String key = prefix + "." + member.name().get();
      long offset = start + group.byteOffset(PathElement.groupElement(member.name().get()));
      result.put(key, offset);
      // A struct of its own is compared by itself.
      if (member instanceof GroupLayout nested && !PROBE.containsKey("size." + structOf(nested))) {
        offsets(nested, key, offset, result);
      }
    }
  }
}
