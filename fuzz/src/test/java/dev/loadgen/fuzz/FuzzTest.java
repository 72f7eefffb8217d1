package dev.loadgen.fuzz;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

/** A fuzzer that finds nothing proves nothing: each kind of defect is found and named. */
class FuzzTest {
  private static final byte[] JSON =
      "{\"name\": \"x\", \"list\": [1, 2.5, null], \"deep\": {\"a\": true}}"
          .getBytes(StandardCharsets.UTF_8);

  private static Fuzz fuzz() {
    return Fuzz.of("self").refusing(IOException.class).apart(5);
  }

  private static void finds(Fuzz.Reader reader, String... words) {
    assertThatThrownBy(() -> fuzz().run(50, change -> change.json(JSON), reader))
        .isInstanceOf(AssertionError.class)
        .hasMessageContainingAll(words);
  }

  @Test
  void anExceptionThatIsNotDeclaredIsADefect() throws IOException {
    List<byte[]> seen = new ArrayList<>();
    finds(
        input -> {
          seen.add(input);
          if (seen.size() > 3) {
            throw new IllegalStateException("odd");
          }
          return true;
        },
        "47 times, at first case 3 of seed 5",
        "java.lang.IllegalStateException dev.loadgen.fuzz.FuzzTest",
        "-Dfuzz.seed=5 -Dfuzz.case=NUMBER");
    assertThat(Files.readAllBytes(Path.of("target/fuzz/self-5-3"))).isEqualTo(seen.get(3));
  }

  @Test
  void anErrorIsADefect() {
    finds(
        input -> {
          throw new StackOverflowError();
        },
        "StackOverflowError");
  }

  @Test
  void aMessageThatShowsJavaIsADefect() {
    for (String message :
        List.of(
            "",
            "cannot be read: java.io.IOException: no",
            "org.apache.parquet.io.LocalInputFile",
            "Struct: Footer@42a48628",
            "Cannot invoke \"X.y()\"")) {
      finds(
          input -> {
            throw new IOException(message);
          },
          "a refusal in words of Java: " + message);
    }
  }

  @Test
  void memoryIsBounded() {
    finds(input -> new byte[70 << 20].length > input.length, "50 times", "70 MiB for an input of");
  }

  @Test
  void timeIsBounded() {
    assertThatThrownBy(
            () -> fuzz().millis(5).run(1, change -> change.json(JSON), input -> spins(20)))
        .hasMessageContaining("ms of processor time");
  }

  @Test
  void aReaderThatDoesNotEndIsTold() {
    AtomicBoolean ended = new AtomicBoolean();
    assertThatThrownBy(
            () ->
                fuzz()
                    .millis(5)
                    .run(
                        1,
                        change -> change.json(JSON),
                        input -> {
                          while (!ended.get()) {
                            Thread.onSpinWait();
                          }
                          return true;
                        }))
        .hasMessageContaining("does not end")
        .hasMessageContaining("case 0 of seed 5; its input is target/fuzz/self-5-0");
    ended.set(true);
  }

  /** Until the thread has used so many milliseconds of its processor. */
  private static boolean spins(long millis) {
    ThreadMXBean threads = ManagementFactory.getThreadMXBean();
    long end = threads.getCurrentThreadCpuTime() + millis * 1_000_000;
    while (threads.getCurrentThreadCpuTime() < end) {
      Thread.onSpinWait();
    }
    return true;
  }

  @Test
  void aReaderThatRefusesAllShowsNothing() {
    assertThatThrownBy(() -> fuzz().run(300, change -> change.json(JSON), input -> false))
        .hasMessageContaining("of 300 cases 0 were read and 300 refused");
  }

  @Test
  void theSameSeedGivesTheSameCases() {
    assertThat(cases(5)).isEqualTo(cases(5)).isNotEqualTo(cases(6));
  }

  private static List<String> cases(long seed) {
    List<String> cases = new ArrayList<>();
    Fuzz.of("self")
        .refusing(IOException.class)
        .apart(seed)
        .run(
            100,
            change -> change.bytes(change.json(JSON)),
            input -> {
              cases.add(new String(input, StandardCharsets.ISO_8859_1));
              return cases.size() % 2 == 0;
            });
    return cases;
  }

  /** Else half of the changes would be of the kind that every parser refuses at once. */
  @Test
  void manyChangesOfJsonLeaveItsBracketsInPairs() {
    Set<String> documents = new HashSet<>();
    int[] paired = {0};
    Fuzz.of("self-json")
        .apart(1)
        .run(
            2_000,
            change -> change.json(JSON),
            input -> {
              String text = new String(input, StandardCharsets.UTF_8);
              documents.add(text);
              long opened = text.chars().filter(c -> c == '{' || c == '[').count();
              long closed = text.chars().filter(c -> c == '}' || c == ']').count();
              paired[0] += opened == closed ? 1 : 0;
              return true;
            });
    assertThat(documents.size()).isGreaterThan(1_200);
    assertThat(paired[0]).isGreaterThan(1_000);
  }

  @Test
  void inputsStayShort() {
    Fuzz.of("self-length")
        .apart(1)
        .run(
            2_000,
            change ->
                change.oneIn(2)
                    ? change.bytes(JSON)
                    : change.lines("a\nb: c\n  d\n").getBytes(StandardCharsets.UTF_8),
            input -> {
              assertThat(input.length).isLessThan(600_000);
              return true;
            });
  }
}
