package dev.loadgen.fuzz;

import com.sun.management.ThreadMXBean;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Puts one reader under mutated inputs. Each of them must be read or refused: by an exception that
 * the reader declares, with a message that shows no Java, within five seconds of processor time and
 * within a bound of memory.
 *
 * <p>Each case is made of the seed, the reader's name and the case's number alone, so that any of
 * them can be made again. System properties:
 *
 * <ul>
 *   <li>{@code fuzz.reader}: this reader alone
 *   <li>{@code fuzz.seed}: another seed, and so other cases
 *   <li>{@code fuzz.case}: this case alone
 *   <li>{@code fuzz.seconds}: so many seconds of processor time, instead of the number of cases
 *       that the test asks for
 *   <li>{@code fuzz.percent}: so much of the number of cases
 * </ul>
 *
 * <p>{@code target/fuzz} gets a line of figures for each reader, and the input of each defect: the
 * reader, the seed, cases, how many of them were refused and read, kinds of defects, and seconds of
 * processor time.
 */
public final class Fuzz {
  private static final long SEED = Long.getLong("fuzz.seed", 20_261_123);
  private static final String READER = System.getProperty("fuzz.reader", "");
  private static final long ONLY = Long.getLong("fuzz.case", -1);
  private static final long SECONDS = Long.getLong("fuzz.seconds", 0);
  private static final int PERCENT = Integer.getInteger("fuzz.percent", 100);

  private static final long CASE_MILLIS = 5_000;
  private static final long LOOK_MILLIS = 100;
  private static final int KINDS_OF_DEFECTS = 20;
  private static final int SHOWN = 200;

  /** Cases after which both outcomes must have been seen. */
  private static final int ENOUGH = 200;

  /** Words that only a programmer understands. */
  private static final Pattern INSIDES =
      Pattern.compile(
          "\\b(?:java|javax|jdk|org\\.apache|com\\.fasterxml|org\\.yaml|dev\\.loadgen)\\.[a-z]"
              + "|[a-z]{3}@[0-9a-f]{7,8}\\b|Cannot invoke|cannot be cast|JsonToken|StreamRead|REDACTED");

  private static final Path FOLDER = Path.of("target", "fuzz");
  private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

  private final String reader;
  private final List<Class<? extends Exception>> refusals = new ArrayList<>();
  private long seed = SEED;
  private boolean apart;
  private final Map<String, Defect> defects = new LinkedHashMap<>();
  private long caseNanos = CASE_MILLIS * 1_000_000;
  private long most = 64L << 20;
  private long refused;
  private long read;
  private long usedNanos;

  /** Where the worker is; written by it alone. */
  private volatile long number;

  private volatile long began;
  private volatile byte[] input = {};

  /** Makes the inputs of a reader. */
  @FunctionalInterface
  public interface Inputs {
    /** One input, by chance of {@code change} alone. */
    byte[] next(Mutations change) throws Exception;
  }

  /** What is put to the test. */
  @FunctionalInterface
  public interface Reader {
    /**
     * Reads an input, or throws one of the declared exceptions.
     *
     * @return false if the input is refused by other means than an exception
     */
    boolean read(byte[] input) throws Exception;
  }

  private record Defect(Throwable what, long number, long times) {}

  private Fuzz(String reader) {
    this.reader = reader;
  }

  /**
   * A reader.
   *
   * @param name in lower case, for files and figures
   */
  public static Fuzz of(String name) {
    return new Fuzz(name);
  }

  /** What it throws of an input that it cannot read; without one it must read anything. */
  public Fuzz refusing(Class<? extends Exception> kind) {
    refusals.add(kind);
    return this;
  }

  /** Another seed and all cases, whatever the properties say. */
  Fuzz apart(long other) {
    seed = other;
    apart = true;
    return this;
  }

  /** Less time for a case. */
  Fuzz millis(long millis) {
    caseNanos = millis * 1_000_000;
    return this;
  }

  /** Allows so many MiB of allocations for a case; 64 without this. */
  public Fuzz mebibytes(int mebibytes) {
    most = (long) mebibytes << 20;
    return this;
  }

  /**
   * Puts the reader to the test.
   *
   * @param cases as many as a build can bear; in each module a second's worth or so
   * @throws AssertionError naming each kind of defect with the case that shows it
   */
  public void run(int cases, Inputs inputs, Reader target) {
    if (!apart && !READER.isEmpty() && !READER.equals(reader)) {
      return;
    }
    Thread worker =
        Thread.ofPlatform()
            .daemon()
            .name("fuzz-" + reader)
            .unstarted(() -> work(cases, inputs, target));
    worker.start();
    try {
      while (!worker.join(Duration.ofMillis(LOOK_MILLIS))) {
        endIfHanging(worker);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new AssertionError(reader + " was interrupted at case " + number, e);
    }
    report();
  }

  private void endIfHanging(Thread worker) {
    long at = number;
    long used = THREADS.getThreadCpuTime(worker.threadId()) - began;
    if (used > 4 * caseNanos && at == number) {
      AssertionError hanging =
          new AssertionError(
              "%s does not end: %d ms of processor time over case %d of seed %d; its input is %s"
                  .formatted(reader, used / 1_000_000, at, seed, keep(at, input)));
      hanging.setStackTrace(worker.getStackTrace());
      throw hanging;
    }
  }

  private void work(int cases, Inputs inputs, Reader target) {
    try {
      all(cases, inputs, target);
    } finally {
      usedNanos = cpu();
    }
  }

  private void all(int cases, Inputs inputs, Reader target) {
    if (ONLY >= 0 && !apart) {
      one(ONLY, inputs, target);
      return;
    }
    long wanted = apart ? cases : Math.max(1, (long) cases * PERCENT / 100);
    long nanos = apart ? 0 : SECONDS * 1_000_000_000;
    for (long i = 0; nanos > 0 ? cpu() < nanos : i < wanted; i++) {
      one(i, inputs, target);
      if (defects.size() >= KINDS_OF_DEFECTS) {
        return;
      }
    }
  }

  private void one(long at, Inputs inputs, Reader target) {
    SplittableRandom random =
        new SplittableRandom(seed * 0x9E3779B97F4A7C15L + reader.hashCode() * 31L + at);
    began = cpu();
    number = at;
    byte[] made;
    try {
      made = inputs.next(new Mutations(random));
    } catch (Exception e) {
      defect(at, new byte[0], new AssertionError("no input could be made", e));
      return;
    }
    input = made;
    began = cpu();
    long before = THREADS.getCurrentThreadAllocatedBytes();
    boolean accepted = false;
    try {
      accepted = target.read(made);
    } catch (Throwable e) { // a reader that overflows its stack is what is looked for
      if (refusals.stream().noneMatch(kind -> kind.isInstance(e))) {
        defect(at, made, e);
        return;
      }
      String message = e.getMessage();
      if (message == null || message.isBlank() || INSIDES.matcher(message).find()) {
        defect(at, made, new AssertionError("a refusal in words of Java: " + message, e));
        return;
      }
    }
    long allocated = THREADS.getCurrentThreadAllocatedBytes() - before;
    long nanos = cpu() - began;
    if (allocated > most) {
      defect(
          at,
          made,
          new AssertionError(
              "%d MiB for an input of %d bytes".formatted(allocated >> 20, made.length)));
    } else if (nanos > caseNanos) {
      defect(at, made, new AssertionError("%d ms of processor time".formatted(nanos / 1_000_000)));
    } else if (accepted) {
      read++;
    } else {
      refused++;
    }
  }

  private static long cpu() {
    return THREADS.getCurrentThreadCpuTime();
  }

  private void defect(long at, byte[] made, Throwable what) {
    String kind = kind(what);
    Defect known = defects.get(kind);
    if (known == null) {
      var unused = keep(at, made);
    }
    defects.put(
        kind,
        known == null
            ? new Defect(what, at, 1)
            : new Defect(known.what(), known.number(), known.times() + 1));
  }

  /** What two exceptions have in common that have one cause: their class, and our own code. */
  private static String kind(Throwable what) {
    String place =
        Arrays.stream(what.getStackTrace())
            .filter(frame -> frame.getClassName().startsWith("dev.loadgen."))
            .filter(frame -> !frame.getClassName().equals(Fuzz.class.getName()))
            .limit(1)
            .map(StackTraceElement::toString)
            .collect(Collectors.joining());
    return what instanceof AssertionError && place.isEmpty()
        ? String.valueOf(what.getMessage()).replaceAll("[0-9]+", "N")
        : what.getClass().getName() + " " + place;
  }

  private Path keep(long at, byte[] made) {
    try {
      Files.createDirectories(FOLDER);
      return Files.write(FOLDER.resolve("%s-%d-%d".formatted(reader, seed, at)), made);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void report() {
    long cases = refused + read + defects.values().stream().mapToLong(Defect::times).sum();
    try {
      Files.createDirectories(FOLDER);
      Files.writeString(
          FOLDER.resolve(reader + ".csv"),
          String.format(
              Locale.ROOT,
              "%s,%d,%d,%d,%d,%d,%.1f%n",
              reader,
              seed,
              cases,
              refused,
              read,
              defects.size(),
              usedNanos / 1e9));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    if (!defects.isEmpty()) {
      AssertionError error = new AssertionError(words());
      defects.values().forEach(defect -> error.addSuppressed(defect.what()));
      throw error;
    }
    if (ONLY < 0 && cases >= ENOUGH && (read == 0 || (refused == 0 && !refusals.isEmpty()))) {
      throw new AssertionError(
          "%s: of %d cases %d were read and %d refused, so nothing is shown; change the inputs"
              .formatted(reader, cases, read, refused));
    }
  }

  private String words() {
    StringBuilder words = new StringBuilder(reader).append(':');
    defects.forEach(
        (kind, defect) ->
            words.append(
                "%n  %d times, at first case %d of seed %d (%s): %s%n    %s"
                    .formatted(
                        defect.times(),
                        defect.number(),
                        seed,
                        FOLDER.resolve("%s-%d-%d".formatted(reader, seed, defect.number())),
                        kind,
                        shortened(defect.what()))));
    return words.append("%nAgain: -Dfuzz.seed=%d -Dfuzz.case=NUMBER".formatted(seed)).toString();
  }

  private static String shortened(Throwable what) {
    @Nullable String message = what.getMessage();
    String text = message == null ? what.toString() : message;
    return text.length() <= SHOWN ? text : text.substring(0, SHOWN) + "...";
  }
}
