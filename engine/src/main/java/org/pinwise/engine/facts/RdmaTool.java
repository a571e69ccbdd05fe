package org.pinwise.engine.facts;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
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

  /** Asks the program of the path; that of users often leaves out where some systems have it. */
  RdmaTool() {
    this(path());
  }

  /** Asks the first program in these directories. */
  RdmaTool(List<Path> directories) {
    this(command -> run(program(directories), command));
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
      throw new UnknownException(
          "the program rdma, which would tell, cannot be run: " + e.getMessage());
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

  private static List<Path> path() {
    String path = Objects.requireNonNullElse(System.getenv("PATH"), "");
    return Stream.concat(Arrays.stream(path.split(":")), Stream.of("/usr/sbin", "/sbin"))
        .filter(directory -> !directory.isEmpty())
        .map(Path::of)
        .toList();
  }

  private static String program(List<Path> directories) throws UnknownException {
    return directories.stream()
        .map(directory -> directory.resolve("rdma"))
        .filter(Files::isExecutable)
        .map(Path::toString)
        .findFirst()
        .orElseThrow(() ->
            new UnknownException(
                "there is no program rdma, which would tell; install iproute2 (on Fedora and its"
                    + " kin: iproute)"));
  }

  private static String run(String program, List<String> arguments)
      throws IOException, UnknownException {
    List<String> command = new ArrayList<>(arguments);
    command.set(0, program);
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
