package org.pinwise.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.pinwise.rules.model.Facts;
import org.pinwise.rules.model.MrRequest;

class LiveRulesTest {

  private static RuleSet rules(String... ids) {
    List<Room> rooms = new ArrayList<>();
    for (String id : ids) {
      Room template = RoomTemplate.of(id, "large");
      String drl = template.rule().replace("Size.GIB", "4096").replace("1GiB", "4096");
      rooms.add(new Room(template.name(), template.name(), Map.of("rule.drl", drl)));
    }
    return RuleSet.empty().withRooms(rooms);
  }

  private static Facts facts(long length) {
    return Facts.of(MrRequest.ofLength(length).build());
  }

  private static String findings(Verdict verdict) {
    return verdict.findings().stream().map(Finding::rule).toList().toString();
  }

  @Test
  void everyVerdictIsOfOneRuleSetAndNoneIsLost() throws Exception {
    RuleSet old = rules("OLD001", "OLD002", "OLD003");
    RuleSet fresh = rules("NEW001", "NEW002");
    LiveRules live = LiveRules.of(old);
    Set<String> seen = ConcurrentHashMap.newKeySet();
    AtomicBoolean stop = new AtomicBoolean();
    ExecutorService threads = Executors.newFixedThreadPool(4);
    try {
      List<Future<Long>> judging = new ArrayList<>();
      for (int i = 0; i < 4; i++) {
        judging.add(
            threads.submit(() -> {
              long judged = 0;
              while (!stop.get()) {
                seen.add(findings(live.validate(facts(8192 + judged % 512))));
                judged++;
              }
              return judged;
            }));
      }
      for (int i = 0; i < 20; i++) {
        RuleSet next = i % 2 == 0 ? fresh : old;
        assertThat(live.replace(() -> next)).isEmpty();
      }
      stop.set(true);
      for (Future<Long> one : judging) {
        assertThat(one.get()).isPositive(); // and it threw nothing
      }
    } finally {
      threads.shutdownNow();
    }
    assertThat(seen).isSubsetOf("[OLD001, OLD002, OLD003]", "[NEW001, NEW002]").isNotEmpty();
    assertThat(findings(live.validate(facts(8192)))).isEqualTo("[OLD001, OLD002, OLD003]");
  }

  @Test
  void whatWasTakenBeforeStaysAsItWas() {
    LiveRules live = LiveRules.of(rules("OLD001"));
    MrValidator before = live.validator();

    assertThat(live.replace(() -> rules("NEW001"))).isEmpty();

    assertThat(findings(before.validate(facts(8192)))).isEqualTo("[OLD001]");
    assertThat(findings(live.validate(facts(8192)))).isEqualTo("[NEW001]");
  }

  @Test
  void brokenRulesLeaveTheOldOnesAndSayWhatIsWrong() {
    LiveRules live = LiveRules.of(rules("OLD001"));

    assertThat(live.replace(() -> rules("NEW001", "NEW001")))
        .singleElement()
        .satisfies(problem -> assertThat(problem.message()).contains("the id is taken by"));
    assertThat(live.replace(() -> RuleSet.empty().withFiles(Path.of("no-such-directory"))))
        .singleElement()
        .satisfies(problem ->
            assertThat(problem.message())
                .isEqualTo("no-such-directory: there is no such directory of rules"));

    assertThat(findings(live.validate(facts(8192)))).isEqualTo("[OLD001]");
    assertThatThrownBy(() -> LiveRules.of(rules("OLD001", "OLD001")))
        .isInstanceOf(RuleSetException.class);
  }
}
