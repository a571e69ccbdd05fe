package org.pinwise.engine.facts;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.pinwise.engine.InputException;
import org.pinwise.engine.yaml.Yaml;

/** Asks iproute2's {@code rdma}, which speaks the kernel's netlink: {@code rdma-resource(8)}. */
final class RdmaTool {
  private static final int SECONDS = 5;
  private static final int MAX_BYTES = 1 << 20;

  /** Does not ask. */
  static final RdmaTool NONE =
      new RdmaTool(command -> {
        throw new UnknownException("the tool rdma (iproute2) was not asked");
      });

  private final Commands commands;

  /** Runs a command. */
  @FunctionalInterface
  interface Commands {
    /** Returns what the command writes. */
    String output(List<String> command) throws IOException, UnknownException;
  }

  RdmaTool() {
    this(RdmaTool::run);
  }

  RdmaTool(Commands commands) {
    this.commands = commands;
  }

  /** Returns how many regions a device has now, those of the kernel among them. */
  long regions(String device) throws IOException, UnknownException {
    String json;
    try {
      json = commands.output(List.of("rdma", "-j", "resource", "show", "dev", device));
    } catch (IOException e) {
      throw new UnknownException("the tool rdma (iproute2), which would tell, cannot be run");
    }
    try {
      for (Yaml entry : Yaml.parse("rdma", json).asList()) {
        Yaml.Mapping mapping = entry.asMapping("an entry");
        if (mapping.get("ifname").filter(name -> name.asText().equals(device)).isPresent()) {
          return mapping.require("mr").asUnsigned();
        }
      }
    } catch (InputException e) {
      throw new UnknownException("'rdma -j resource show' says " + Shown.of(json.strip()));
    }
    throw new UnknownException("'rdma -j resource show' does not tell of " + device);
  }

  private static String run(List<String> command) throws IOException, UnknownException {
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    try {
      process.getOutputStream().close();
      String text =
          new String(process.getInputStream().readNBytes(MAX_BYTES), StandardCharsets.UTF_8);
      if (!process.waitFor(SECONDS, TimeUnit.SECONDS)) {
        throw new UnknownException("'rdma' did not end within %d s".formatted(SECONDS));
      }
      if (process.exitValue() != 0) {
        throw new UnknownException("'rdma' says: " + Shown.of(text.strip()));
      }
      return text;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new UnknownException("the wait for 'rdma' was interrupted");
    } finally {
      process.destroy();
    }
  }
}
