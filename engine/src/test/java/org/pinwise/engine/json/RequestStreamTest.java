package org.pinwise.engine.json;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.BufferedReader;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.io.PipedInputStream;
import java.io.PipedOutputStream;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.FutureTask;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.pinwise.engine.MrValidator;
import org.pinwise.engine.RuleSet;
import org.pinwise.engine.Verdict;
import org.pinwise.rules.model.AccessFlag;
import org.pinwise.rules.model.Device;
import org.pinwise.rules.model.Host;
import org.pinwise.rules.model.Kernel;
import org.pinwise.rules.model.MrRequest;
import org.pinwise.rules.model.Use;
import org.pinwise.rules.model.Verb;

class RequestStreamTest {
  private static final Function<MrRequest, Verdict> JUDGE =
      MrValidator.create(RuleSet.builtIn())
              .forHost(
                  Device.TYPE.of(Map.of("driver", "rxe", "odp", false)),
                  Host.TYPE.of(Map.of("kernel", Kernel.V6_12, "pageSize", 4096L)))
          ::validate;

  private static RequestStream.Summary judge(String lines, OutputStream out) throws IOException {
    return RequestStream.judge(new ByteArrayInputStream(lines.getBytes(UTF_8)), out, JUDGE);
  }

  private static List<String> output(String lines) throws IOException {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    judge(lines, out);
    return out.toString(UTF_8).lines().toList();
  }

  @Test
  void keepsTheOrderOfManyLines() throws IOException {
    StringBuilder lines = new StringBuilder();
    for (int i = 1; i <= 20_000; i++) {
      lines.append("{\"access\":\"LOCAL_WRITE\",\"length\":").append(i).append("}\n");
    }
    ByteArrayOutputStream out = new ByteArrayOutputStream();

    RequestStream.Summary summary = judge(lines.toString(), out);

    List<String> verdicts = out.toString(UTF_8).lines().toList();
    assertThat(verdicts).hasSize(20_000);
    for (int i = 1; i <= 20_000; i++) {
      assertThat(verdicts.get(i - 1)).contains("\"length\":\"" + i + "\"");
    }
    assertThat(summary).isEqualTo(new RequestStream.Summary(20_000, 0, 0, 0));
  }

  @Test
  void aBadLineIsNamedAndTheOthersAreJudged() throws IOException {
    String lines =
        "{\"access\":[\"REMOTE_WRITE\"],\"length\":1}\n{]\n\n{\"lenght\":1}\n"
            + "{\"length\":1} {}\n"
            + "{\"length\":\""
            + "1".repeat(70_000)
            + "\"}\n"
            + "{\"access\":\"LOCAL_WRITE\",\"length\":1}";

    List<String> output = output(lines);

    assertThat(output).hasSize(7);
    assertThat(output.get(0)).contains("\"decision\":\"rejected\"");
    assertThat(output.get(1))
        .startsWith("{\"schema\":\"pinwise-error/1\",\"line\":2,\"error\":\"is no JSON at column ")
        .doesNotContain("REDACTED");
    assertThat(output.get(2)).contains("\"line\":3");
    assertThat(output.get(3)).contains("\"line\":4", "did you mean length");
    assertThat(output.get(4)).contains("\"line\":5", "something follows");
    assertThat(output.get(5)).contains("\"line\":6", "more than 65536 bytes");
    assertThat(output.get(6)).contains("\"decision\":\"accepted\"");
    assertThat(judge(lines, OutputStream.nullOutputStream()))
        .isEqualTo(new RequestStream.Summary(7, 1, 0, 5));
  }

  @Test
  @Timeout(60)
  void answersBeforeItWaitsForMore() throws Exception {
    PipedOutputStream questions = new PipedOutputStream();
    PipedInputStream in = new PipedInputStream(questions);
    PipedInputStream answers = new PipedInputStream(1 << 20);
    PipedOutputStream out = new PipedOutputStream(answers);
    FutureTask<RequestStream.Summary> judging =
        new FutureTask<>(() -> RequestStream.judge(in, out, JUDGE));
    Thread thread = new Thread(judging);
    thread.start();
    BufferedReader reader = new BufferedReader(new InputStreamReader(answers, UTF_8));

    for (int length = 1; length <= 3; length++) {
      questions.write("{\"length\":%d}\n".formatted(length).getBytes(UTF_8));
      questions.flush();
      assertThat(reader.readLine()).contains("\"length\":\"" + length + "\"");
    }
    questions.close();
    assertThat(judging.get().lines()).isEqualTo(3);
  }

  @Test
  void anEmptyStreamIsNoMistake() throws IOException {
    assertThat(output("")).isEmpty();
  }

  @Test
  void whatCannotBeWrittenIsThrown() {
    OutputStream full =
        new OutputStream() {
          @Override
          public void write(int b) throws IOException {
            throw new IOException("full");
          }
        };
    assertThatThrownBy(() -> judge("{}\n", full)).isInstanceOf(IOException.class);
  }

  @Test
  void readsWhatVerdictsWrite() {
    MrRequest request =
        MrRequest.range(0x7f00_0000_0000L, -1)
            .access(AccessFlag.LOCAL_WRITE, AccessFlag.ON_DEMAND)
            .iova(4096)
            .uses(Set.of(Use.RECEIVE))
            .regionAccess(Set.of(AccessFlag.MW_BIND, AccessFlag.REMOTE_READ))
            .build();
    String json = VerdictJson.compact(JUDGE.apply(request));
    int from = json.indexOf("\"request\":") + "\"request\":".length();

    MrRequest read = RequestJson.parse(json.substring(from, json.indexOf("}", from) + 1));

    assertThat(read).isEqualTo(request);
    assertThat(RequestJson.parse("{\"verb\":\"bind-mw\",\"access\":[],\"uses\":null}"))
        .isEqualTo(MrRequest.builder().verb(Verb.BIND_MW).access().build());
  }
}
