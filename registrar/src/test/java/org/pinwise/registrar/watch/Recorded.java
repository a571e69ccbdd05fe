package org.pinwise.registrar.watch;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.pinwise.registrar.watch.Tool.UnreadableException;

/** What was recorded in the lab: see testdata/rdma. */
public final class Recorded {
  private final Map<String, String> answers =
      new HashMap<>(
          Map.of(
              "-j resource", text("resource.json"),
              "-j resource show mr", text("resource-show-mr.json"),
              "-j statistic show mr", text("statistic-show-mr.json")));

  /** All as root was told. */
  public Recorded() {}

  Recorded with(String arguments, String answer) {
    answers.put(arguments, answer);
    return this;
  }

  Tool rdma() {
    return arguments -> answer(String.join(" ", arguments));
  }

  private String answer(String arguments) throws UnreadableException {
    String answer = answers.get(arguments);
    if (answer == null) {
      throw new UnreadableException("nothing was recorded of rdma " + arguments);
    }
    return answer;
  }

  static String text(String file) {
    try (InputStream stream =
        Objects.requireNonNull(Recorded.class.getResourceAsStream("/rdma/" + file), file)) {
      return new String(stream.readAllBytes(), UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Lays the recorded counters out below a folder, which stands for the root; some are not 0. */
  static Path sysfs(Path root, Map<String, String> values) throws IOException {
    Path sysfs = Files.createDirectories(root.resolve("sys/class/infiniband"));
    for (String line : text("hw-counters.txt").lines().toList()) {
      String[] words = line.split(" ", 2);
      Path file = root.resolve(words[0].substring(1));
      Files.createDirectories(file.getParent());
      String name = String.valueOf(file.getFileName());
      Files.writeString(file, values.getOrDefault(name, words[1]) + "\n");
    }
    return sysfs;
  }

  /** A reader of what was recorded. */
  KernelReader reader(Path root) throws IOException {
    return new KernelReader(rdma(), sysfs(root, Map.of("rcvd_seq_err", "7")));
  }

  static final List<KernelRegion> REGIONS =
      List.of(
          new KernelRegion("rxe0", 0, 65536, 192L, "ibv_rc_pingpong", 0x2c8L, 0x2c8L),
          new KernelRegion("siw0", 0, 4096, 193L, "ibv_rc_pingpong", 0x1ce1a400L, 0x1ce1a400L));
}
