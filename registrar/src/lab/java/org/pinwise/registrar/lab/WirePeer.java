package org.pinwise.registrar.lab;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.pinwise.rules.model.Access;

/**
 * The active end of an RC connection, in a process of its own ({@code wire-peer.c}, which documents
 * what they say to each other). Registered memory is this process's; the peer reads, writes and
 * swaps it over the device.
 */
final class WirePeer implements AutoCloseable {

  /** {@code enum ibv_wc_status}. */
  static final int SUCCESS = 0;

  static final int REMOTE_ACCESS_ERROR = 10;

  /**
   * How the device completed an operation: {@code ibv_wc_status}, and the bytes that it fetched
   * (none unless it succeeded).
   */
  record Completion(int status, byte[] bytes) {}

  private final Process process;
  private final Writer commands;
  private final BufferedReader answers;

  WirePeer(Path program, String device) {
    try {
      process =
          new ProcessBuilder(program.toString(), device)
              .redirectError(ProcessBuilder.Redirect.INHERIT)
              .start();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    commands = process.outputWriter();
    answers = process.inputReader();
  }

  /**
   * Connects the peer to a new queue pair of this process, has it do one operation, and takes the
   * connection down again.
   */
  Completion through(
      MemorySegment context, MemorySegment domain, Function<WirePeer, Completion> operation) {
    try (PassiveQp passive = new PassiveQp(context, domain)) {
      passive.connect(QpAddress.parse(expect("qp ", ask("open"))));
      expect("ok", ask("connect " + passive.address()));
      return operation.apply(this);
    }
  }

  /** RDMA WRITE of the bytes. */
  Completion write(long address, int rkey, byte[] bytes) {
    return completion("write " + at(address, rkey) + HexFormat.of().formatHex(bytes));
  }

  /** RDMA READ of that many bytes. */
  Completion read(long address, int rkey, int length) {
    return completion("read " + at(address, rkey) + length);
  }

  /** Atomic compare and swap of 64 bits; the completion's bytes are the old ones. */
  Completion swap(long address, int rkey, long expected, long replacement) {
    return completion(
        "swap "
            + at(address, rkey)
            + Long.toUnsignedString(expected)
            + " "
            + Long.toUnsignedString(replacement));
  }

  /**
   * What came of a window.
   *
   * @param allocated the errno of {@code ibv_alloc_mw}; the others are -1 where it is not 0
   * @param returned what {@code ibv_bind_mw} returned
   * @param status the bind's {@code ibv_wc_status}; -1 where it was not posted
   */
  record Bind(int allocated, int returned, int status) {}

  /** Binds a window of type 1 to a new region of a page of the peer's own, and takes both down. */
  Bind bind(Access region, Access window, long length) {
    String own = ask("open");
    if (own.startsWith("qp ")) { // a device that has no windows may have no GID, too
      expect("ok", ask("connect " + own.substring(3)));
    }
    String answer = ask("bind 0x%x 0x%x %d".formatted(region.bits(), window.bits(), length));
    List<String> words = List.of(expect("bind ", answer).split(" ", -1));
    return new Bind(
        Integer.parseInt(words.get(0)),
        Integer.parseInt(words.get(1)),
        Integer.parseInt(words.get(2)));
  }

  /** Ends the peer; it must have released all it had. */
  @Override
  public void close() {
    try {
      if (process.isAlive()) {
        commands.write("quit\n");
        commands.flush();
      }
      if (!process.waitFor(30, TimeUnit.SECONDS) || process.exitValue() != 0) {
        throw new IllegalStateException("the wire peer did not end cleanly");
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    } finally {
      process.destroyForcibly();
    }
  }

  private static String at(long address, int rkey) {
    return "0x" + Long.toHexString(address) + " 0x" + Integer.toHexString(rkey) + " ";
  }

  private Completion completion(String command) {
    List<String> words = List.of(expect("wc ", ask(command)).split(" ", 3));
    String bytes = words.get(1).equals("-") ? "" : words.get(1);
    return new Completion(Integer.parseInt(words.get(0)), HexFormat.of().parseHex(bytes));
  }

  private String ask(String command) {
    try {
      commands.write(command + "\n");
      commands.flush();
      String answer = answers.readLine();
      return answer == null ? "nothing" : answer;
    } catch (IOException e) {
      throw new UncheckedIOException("the wire peer is gone", e);
    }
  }

  private static String expect(String start, String answer) {
    if (!answer.startsWith(start)) {
      throw new IllegalStateException("the wire peer answered: " + answer);
    }
    return answer.substring(start.length());
  }
}
