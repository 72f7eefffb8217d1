package dev.loadgen.runner.logs;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpHandler;
import dev.loadgen.contract.ContractJson;
import dev.loadgen.contract.Excerpt;
import dev.loadgen.contract.RunnerInterface;
import dev.loadgen.contract.ServerLogs;
import dev.loadgen.contract.ServerLogs.Source;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.MessageDigest;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.LongSupplier;
import java.util.function.UnaryOperator;
import java.util.zip.GZIPOutputStream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Takes the servers' logs over HTTP into the results folder, as {@link ServerLogs} says, while
 * {@link #await} waits for them. A log is kept when all of it has come, compressed, under its final
 * name; of anything less, nothing is left. Thread-safe.
 */
public final class ServerLogInbox implements HttpHandler {
  /** Of a longer log, the newest bytes are kept. */
  public static final long LIMIT = 64L * 1024 * 1024;

  private static final Logger LOG = LoggerFactory.getLogger(ServerLogInbox.class);
  private static final int CHUNK = 64 * 1024;
  private static final int LONGEST_END = 64 * 1024;
  private static final int LONGEST_PROBLEM = 500;
  private static final String BEARER = "Bearer ";

  private final Set<String> replicas;
  private final byte[] authorization;
  private final Path results;
  private final UnaryOperator<String> redact;
  private final long limit;
  private final LongSupplier nanoTime;

  // Guarded by this.
  private State state = State.NOT_YET;
  private final Set<String> kept = new TreeSet<>();
  private final Set<HttpExchange> receiving = new HashSet<>();
  private List<String> problems = List.of();
  private boolean ended;
  private long lastSign;

  private enum State {
    NOT_YET,
    OPEN,
    CLOSED
  }

  /**
   * An inbox that takes nothing yet.
   *
   * @param replicas names of the servers, which are those of their pods
   * @param token what a sender has to show
   * @param results the folder of the run
   * @param redact a line without the secrets that the runner knows
   * @param limit the most bytes of a log that are kept
   */
  public ServerLogInbox(
      Set<String> replicas,
      String token,
      Path results,
      UnaryOperator<String> redact,
      long limit,
      LongSupplier nanoTime) {
    this.replicas = Set.copyOf(replicas);
    this.authorization = (BEARER + token).getBytes(StandardCharsets.UTF_8);
    this.results = results;
    this.redact = redact;
    this.limit = limit;
    this.nanoTime = nanoTime;
  }

  /** Logs are taken from now on. */
  public synchronized void open() {
    if (state == State.NOT_YET) {
      state = State.OPEN;
      sign();
    }
  }

  /**
   * Waits until the sender says that there are no more logs, and not longer than {@code most}, nor
   * than {@code quiet} without a sign of a sender; an interruption ends it, too. Nothing is taken
   * afterwards.
   *
   * @return which logs are missing, and why; null: none
   */
  public @Nullable String await(Duration quiet, Duration most) {
    long begin = nanoTime.getAsLong();
    boolean interrupted = false;
    synchronized (this) {
      while (state == State.OPEN && !ended) {
        long now = nanoTime.getAsLong();
        long left = Math.min(most.toNanos() - (now - begin), quiet.toNanos() - (now - lastSign));
        if (left <= 0) {
          break;
        }
        try {
          wait(left / 1_000_000 + 1);
        } catch (InterruptedException e) {
          interrupted = true;
          break;
        }
      }
      close();
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
    return missing(Duration.ofNanos(nanoTime.getAsLong() - begin));
  }

  /** Ends the waiting; what has not come in full is dropped. */
  public synchronized void close() {
    state = State.CLOSED;
    receiving.forEach(HttpExchange::close);
    receiving.clear();
    notifyAll();
  }

  private synchronized @Nullable String missing(Duration waited) {
    Set<String> without = new TreeSet<>(replicas);
    kept.forEach(path -> without.remove(path.substring(0, path.indexOf('/'))));
    if (!ended) {
      return (kept.isEmpty()
              ? "not delivered: the operator sent none within "
              : "not complete: the operator did not come to an end within ")
          + Math.max(1, waited.toSeconds())
          + " s"
          + (kept.isEmpty() || without.isEmpty() ? "" : "; none of " + String.join(", ", without));
    }
    if (!problems.isEmpty()) {
      return "not complete: " + String.join("; ", problems);
    }
    return without.isEmpty() ? null : "not complete: none of " + String.join(", ", without);
  }

  // HTTP

  /** Answers on a thread of its own: a sender that stalls holds up nobody else. */
  @Override
  public void handle(HttpExchange exchange) {
    Thread.ofVirtual()
        .name("server-log")
        .start(
            () -> {
              try (exchange) {
                route(exchange);
              } catch (IOException | RuntimeException e) {
                // The sender has gone, or nobody waits any more: either knows by itself.
                LOG.debug("{} was not received: {}", exchange.getRequestURI(), e.toString());
              }
            });
  }

  private void route(HttpExchange exchange) throws IOException {
    String given = exchange.getRequestHeaders().getFirst("Authorization");
    String path = exchange.getRequestURI().getRawPath();
    String method = exchange.getRequestMethod();
    if (given == null
        || !MessageDigest.isEqual(given.getBytes(StandardCharsets.UTF_8), authorization)) {
      answer(exchange, 401, "show the run's id as bearer token");
    } else if (method.equals("PUT")) {
      put(exchange, path);
    } else if (!path.equals(RunnerInterface.SERVER_LOGS_PATH)) {
      answer(exchange, 404, "there is no " + path);
    } else if (!sign()) {
      answer(exchange, 409, "logs are taken in stage " + ServerLogs.STAGE + " alone");
    } else if (method.equals("GET")) {
      answer(exchange, 200, ContractJson.write(new ServerLogs.Kept(paths())));
    } else if (method.equals("POST")) {
      end(exchange);
    } else {
      answer(exchange, 405, "GET, PUT and POST are understood");
    }
  }

  private void end(HttpExchange exchange) throws IOException {
    byte[] body = exchange.getRequestBody().readNBytes(LONGEST_END);
    ServerLogs.End end;
    try {
      end = ContractJson.read(new String(body, StandardCharsets.UTF_8), ServerLogs.End.class);
    } catch (JsonProcessingException e) {
      answer(exchange, 400, "no end of a delivery: " + e.getOriginalMessage());
      return;
    }
    List<String> told = end == null || end.problems() == null ? List.of() : end.problems();
    answer(exchange, 204, "");
    synchronized (this) {
      problems = told.stream().map(redact).map(text -> Excerpt.of(text, LONGEST_PROBLEM)).toList();
      ended = true;
      notifyAll();
    }
  }

  private void put(HttpExchange exchange, String path) throws IOException {
    String below = RunnerInterface.SERVER_LOGS_PATH + "/";
    Source source =
        path.startsWith(below) ? Source.ofPath(path.substring(below.length())).orElse(null) : null;
    if (source == null) {
      answer(
          exchange,
          400,
          "a log is POD/CONTAINER, POD/CONTAINER/previous or POD/CONTAINER/beginning");
      return;
    }
    if (replicas.stream().noneMatch(source::isOf)) {
      answer(exchange, 404, "there is no server " + source.pod() + " in the plan");
      return;
    }
    if (!begin(source, exchange)) {
      answer(exchange, 409, "the log is stored already, or logs are not accepted now");
      return;
    }
    // Not in the results folder, which may be published any time that the test does not wait.
    Path folder = Files.createTempDirectory("server-log");
    try {
      boolean first = receive(source, exchange, folder);
      answer(exchange, first ? 201 : 409, first ? "" : "the log is stored already");
    } finally {
      synchronized (this) {
        receiving.remove(exchange);
      }
      delete(folder);
    }
  }

  private boolean receive(Source source, HttpExchange exchange, Path folder) throws IOException {
    Path packed = folder.resolve("packed");
    try (NewestBytes newest = new NewestBytes(folder.resolve("newest"), limit)) {
      InputStream body = exchange.getRequestBody();
      byte[] chunk = new byte[CHUNK];
      for (int length = body.read(chunk); length >= 0; length = body.read(chunk)) {
        newest.write(chunk, 0, length);
        sign();
      }
      pack(newest, packed);
    }
    return keep(source, packed);
  }

  private void pack(NewestBytes newest, Path packed) throws IOException {
    try (OutputStream out = new GZIPOutputStream(Files.newOutputStream(packed), CHUNK)) {
      if (newest.lost() > 0) {
        String notice =
            "[loadgen: the log is longer; of it, the newest %d bytes are kept]%n".formatted(limit);
        out.write(notice.getBytes(StandardCharsets.UTF_8));
      }
      LogLines.copy(newest.read(), out, redact, newest.lost() > 0, this::sign);
    }
  }

  /** Whether a log is wanted. */
  private synchronized boolean begin(Source source, HttpExchange exchange) {
    boolean wanted = sign() && !kept.contains(source.path());
    if (wanted) {
      receiving.add(exchange);
    }
    return wanted;
  }

  /** Puts a log into the results folder, unless another of its name is there, or it is too late. */
  private synchronized boolean keep(Source source, Path packed) throws IOException {
    if (state != State.OPEN || kept.contains(source.path())) {
      return false;
    }
    Path file = results.resolve(source.file());
    Path written = file.resolveSibling("." + file.getFileName() + ".tmp");
    Files.createDirectories(file.getParent());
    try {
      Files.copy(packed, written, StandardCopyOption.REPLACE_EXISTING);
      Files.move(written, file, StandardCopyOption.ATOMIC_MOVE);
    } finally {
      Files.deleteIfExists(written);
    }
    kept.add(source.path());
    return true;
  }

  /** Whether logs are taken now; that somebody sends them is noted. */
  private synchronized boolean sign() {
    lastSign = nanoTime.getAsLong();
    return state == State.OPEN && !ended;
  }

  private synchronized List<String> paths() {
    return List.copyOf(kept);
  }

  private static void delete(Path folder) {
    try {
      for (String file : List.of("newest", "packed", "")) {
        Files.deleteIfExists(folder.resolve(file));
      }
    } catch (IOException e) {
      LOG.warn("{} cannot be removed: {}", folder, e.toString());
    }
  }

  private static void answer(HttpExchange exchange, int status, String body) throws IOException {
    byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
    try (exchange) {
      exchange.sendResponseHeaders(status, bytes.length == 0 ? -1 : bytes.length);
      exchange.getResponseBody().write(bytes);
    }
  }
}
