package org.pinwise.engine.json;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.Function;
import org.pinwise.engine.Rejected;
import org.pinwise.engine.Undecided;
import org.pinwise.engine.Verdict;
import org.pinwise.rules.model.MrRequest;

/**
 * Judges a stream of requests: a line of JSON for each ({@link RequestJson}) comes in, a line of
 * JSON with its verdict ({@link VerdictJson}) goes out, in the same order. A line that is no
 * request gives {@code {"schema":"pinwise-error/1","line":3,"error":"..."}}. All cores judge, and
 * no more lines are held than they work on. Whoever writes a line and waits gets its verdict: all
 * that was read is answered before more is waited for.
 *
 * {@snippet :
 * BoundValidator bound = validator.forHost(device, host);
 * RequestStream.Summary summary = RequestStream.judge(System.in, System.out, bound::validate);
 * }
 */
public final class RequestStream {
  private static final int LINES_AT_ONCE = 128;

  /** A longer line is refused, and what is beyond is not kept. */
  private static final int MAX_LINE_BYTES = 1 << 16;

  private final Function<MrRequest, Verdict> judge;

  private RequestStream(Function<MrRequest, Verdict> judge) {
    this.judge = judge;
  }

  /**
   * What came of a stream.
   *
   * @param lines how many lines it had
   * @param rejected how many of the requests were rejected
   * @param undecided how many were undecided
   * @param bad how many lines were no request
   */
  public record Summary(long lines, long rejected, long undecided, long bad) {
    private Summary plus(Summary other) {
      return new Summary(
          lines + other.lines,
          rejected + other.rejected,
          undecided + other.undecided,
          bad + other.bad);
    }
  }

  /** Verdicts on some lines that follow each other, as they are written. */
  private record Chunk(String output, Summary summary) {}

  /** A line as it was read. */
  private record Line(long number, String text, boolean tooLong) {}

  /**
   * Judges all requests of a stream. Neither stream is closed.
   *
   * @param judge says the verdict on a request, from any thread
   * @throws IOException if a stream cannot be read or written
   */
  public static Summary judge(InputStream in, OutputStream out, Function<MrRequest, Verdict> judge)
      throws IOException {
    return new RequestStream(judge).run(new BufferedInputStream(in, 1 << 16), out);
  }

  private Summary run(BufferedInputStream in, OutputStream out) throws IOException {
    int threads = Runtime.getRuntime().availableProcessors();
    ExecutorService workers = Executors.newFixedThreadPool(threads);
    Summary all = new Summary(0, 0, 0, 0);
    try {
      Deque<Future<Chunk>> working = new ArrayDeque<>();
      Lines lines = new Lines(in);
      boolean more = true;
      while (more || !working.isEmpty()) {
        // The oldest is written first, so that order is kept and memory stays flat.
        if (working.size() > 2 * threads || !more || (!working.isEmpty() && lines.wouldWait())) {
          Chunk oldest = get(working.remove());
          out.write(oldest.output().getBytes(StandardCharsets.UTF_8));
          all = all.plus(oldest.summary());
          continue;
        }
        if (lines.wouldWait()) {
          out.flush();
        }
        List<Line> some = lines.next();
        more = !some.isEmpty();
        if (more) {
          working.add(workers.submit(() -> judge(some)));
        }
      }
      out.flush();
      return all;
    } finally {
      workers.shutdownNow();
    }
  }

  private static Chunk get(Future<Chunk> chunk) throws IOException {
    try {
      return chunk.get();
    } catch (ExecutionException e) {
      if (e.getCause() instanceof UncheckedIOException io) {
        throw io.getCause();
      }
      throw new IllegalStateException(e.getCause());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted", e);
    }
  }

  private Chunk judge(List<Line> lines) {
    StringBuilder output = new StringBuilder();
    long rejected = 0;
    long undecided = 0;
    long bad = 0;
    for (Line line : lines) {
      try {
        if (line.tooLong()) {
          throw new IllegalArgumentException(
              "the line has more than %d bytes".formatted(MAX_LINE_BYTES));
        }
        Verdict verdict = judge.apply(RequestJson.parse(line.text()));
        rejected += verdict instanceof Rejected ? 1 : 0;
        undecided += verdict instanceof Undecided ? 1 : 0;
        output.append(VerdictJson.compact(verdict));
      } catch (IllegalArgumentException e) {
        bad++;
        output.append(VerdictJson.error(line.number(), String.valueOf(e.getMessage())));
      }
      output.append('\n');
    }
    return new Chunk(output.toString(), new Summary(lines.size(), rejected, undecided, bad));
  }

  /** Splits a stream into lines, of which the longest is bounded. */
  private static final class Lines {
    private final BufferedInputStream in;
    private final ByteArrayOutputStream line = new ByteArrayOutputStream();
    private long number;

    Lines(BufferedInputStream in) {
      this.in = in;
    }

    /** Returns whether nothing can be read right now. */
    boolean wouldWait() throws IOException {
      return in.available() == 0;
    }

    /** Returns the next lines, of which only the first is waited for; none at the end. */
    List<Line> next() throws IOException {
      List<Line> lines = new ArrayList<>(LINES_AT_ONCE);
      while (lines.isEmpty() || (lines.size() < LINES_AT_ONCE && !wouldWait())) {
        int first = in.read();
        if (first < 0) {
          break;
        }
        lines.add(line(first));
      }
      return lines;
    }

    private Line line(int first) throws IOException {
      line.reset();
      boolean tooLong = false;
      for (int b = first; b >= 0 && b != '\n'; b = in.read()) {
        tooLong |= line.size() >= MAX_LINE_BYTES;
        if (!tooLong) {
          line.write(b);
        }
      }
      return new Line(++number, line.toString(StandardCharsets.UTF_8), tooLong);
    }
  }
}
