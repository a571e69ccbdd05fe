package org.pinwise.registrar.watch;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** A program of the system that prints what the kernel knows. */
@FunctionalInterface
interface Tool {

  /**
   * Runs it.
   *
   * @return what it printed on standard output
   * @throws UnreadableException if it is not there, fails, or takes too long; says which
   */
  String run(List<String> arguments) throws UnreadableException;

  /** Something cannot be read, for a reason that a person is told. */
  final class UnreadableException extends Exception {
    private static final long serialVersionUID = 1L;

    UnreadableException(String reason) {
      super(reason);
    }

    /** The reason. */
    String reason() {
      return String.valueOf(getMessage());
    }
  }

  /**
   * A program on the path.
   *
   * @param name such as {@code rdma}
   * @param from where to get it, for people
   */
  static Tool program(String name, String from) {
    return arguments -> run(name, from, arguments);
  }

  private static String run(String name, String from, List<String> arguments)
      throws UnreadableException {
    List<String> command = new ArrayList<>();
    command.add(name);
    command.addAll(arguments);
    String line = String.join(" ", command);
    Process process;
    try {
      process = new ProcessBuilder(command).start();
    } catch (IOException e) {
      throw new UnreadableException("there is no program %s; %s".formatted(name, from));
    }
    try {
      process.getOutputStream().close();
      // Both at once, or a program that fills one of them would wait for ever.
      CompletableFuture<String> complaint =
          CompletableFuture.supplyAsync(() -> text(process.getErrorStream()));
      CompletableFuture<String> printed =
          CompletableFuture.supplyAsync(() -> text(process.getInputStream()));
      if (!process.waitFor(SECONDS, TimeUnit.SECONDS)) {
        throw new UnreadableException("%s takes more than %d s".formatted(line, SECONDS));
      }
      if (process.exitValue() != 0) {
        throw new UnreadableException(
            "%s failed with exit status %d: %s"
                .formatted(line, process.exitValue(), complaint.join().strip()));
      }
      return printed.join();
    } catch (IOException e) {
      throw new UnreadableException("%s cannot be read: %s".formatted(line, e.getMessage()));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new UnreadableException("%s was interrupted".formatted(line));
    } finally {
      process.destroyForcibly();
    }
  }

  /** More than any list takes. */
  int SECONDS = 10;

  private static String text(InputStream stream) {
    try {
      return new String(stream.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      return "";
    }
  }
}
