package org.pinwise.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.pinwise.engine.facts.DeviceCatalog;
import org.pinwise.rules.model.AccessFlag;
import org.pinwise.rules.model.Facts;
import org.pinwise.rules.model.Host;
import org.pinwise.rules.model.Kernel;
import org.pinwise.rules.model.MrRequest;

/** The README's first example says what the code says. */
class ReadmeTest {

  @Test
  void firstExampleGivesWhatTheReadmePrints() throws IOException {
    MrValidator validator = MrValidator.create(RuleSet.builtIn());
    int kernel = Kernel.V6_12;
    Facts facts =
        Facts.of(MrRequest.ofLength(4096).access(AccessFlag.REMOTE_WRITE).build())
            .withDevice(DeviceCatalog.load().find("rxe").orElseThrow().facts(kernel))
            .withHost(Host.TYPE.of(Map.of("kernel", kernel)));
    Verdict verdict = validator.validate(facts);

    String printed = verdict + "\n" + verdict.corrected().orElseThrow().access() + "\n";
    assertThat(Files.readString(Path.of("../README.md"))).contains("```\n" + printed + "```");
  }
}
