package dev.loadgen.reconcile.background;

import static org.assertj.core.api.Assertions.assertThat;

import dev.loadgen.api.v1alpha1.InferenceBackend;
import dev.loadgen.desired.Fixtures;
import io.javaoperatorsdk.operator.processing.event.Event;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class BackgroundAnswersTest {
  private static final Duration MINUTE = Duration.ofMinutes(1);

  private volatile Instant now = Instant.EPOCH;
  private final FairExecutor executor = new FairExecutor(4, 4);
  private final InferenceBackend backend =
      Fixtures.backend("engine: vllm\nmodel: {name: m}\nexternal: {urls: [\"http://a:1\"]}");
  private final List<Event> woken = new CopyOnWriteArrayList<>();
  private final AtomicInteger asked = new AtomicInteger();
  private volatile String answer = "well";
  private final BackgroundAnswers<InferenceBackend, String> answers = answers();

  private BackgroundAnswers<InferenceBackend, String> answers() {
    BackgroundAnswers<InferenceBackend, String> made =
        new BackgroundAnswers<>("test", executor, clock(), "well"::equals);
    made.setEventHandler(woken::add);
    made.start();
    return made;
  }

  /** A clock that is moved by hand. */
  private Clock clock() {
    InstantSource time = () -> now;
    return time.withZone(ZoneOffset.UTC);
  }

  @AfterEach
  void stop() {
    executor.close();
  }

  @Test
  void theFirstAnswerWakesTheObjectAndIsKeptAsLongAsItIsNew() {
    assertThat(latest("question")).isEmpty();
    awaitAsked(1);

    assertThat(latest("question")).hasValue("well");
    assertThat(woken).hasSize(1);
    now = now.plus(MINUTE.minusMillis(1));
    assertThat(latest("question")).hasValue("well");
    assertThat(asked).hasValue(1);

    now = now.plusMillis(1);
    assertThat(latest("question")).hasValue("well");
    awaitAsked(2);
    assertThat(woken).as("no news").hasSize(1);
  }

  @Test
  void newsWakeTheObject() {
    latest("question");
    awaitAsked(1);
    answer = "ill";
    now = now.plus(MINUTE);
    latest("question");
    awaitAsked(2);

    assertThat(latest("question")).hasValue("ill");
    assertThat(woken).hasSize(2);
  }

  @Test
  void anAnswerToAnotherQuestionDoesNotCount() {
    latest("question");
    awaitAsked(1);

    assertThat(latest("another")).isEmpty();
    awaitAsked(2);
    assertThat(latest("another")).hasValue("well");
  }

  @Test
  void nothingIsAskedTwiceAtATimeAndWhoeverAsksIsNotKeptWaiting() throws InterruptedException {
    CountDownLatch end = new CountDownLatch(1);
    for (int i = 0; i < 10; i++) {
      assertThat(
              answers.latest(
                  backend,
                  "key",
                  "question",
                  last -> MINUTE,
                  () -> {
                    asked.incrementAndGet();
                    try {
                      end.await();
                    } catch (InterruptedException e) {
                      Thread.currentThread().interrupt();
                    }
                    return "well";
                  }))
          .isEmpty();
    }
    Awaitility.await().until(() -> asked.get() == 1);
    assertThat(answers.untilOld(backend, "key", last -> MINUTE)).isEmpty();
    end.countDown();

    Awaitility.await().until(() -> woken.size() == 1);
    assertThat(asked).hasValue(1);
    assertThat(answers.untilOld(backend, "key", last -> MINUTE)).hasValue(MINUTE);
  }

  @Test
  void failuresInARowAreCountedAndAskedEverMoreSeldom() {
    answer = "ill";
    for (int failures = 1; failures <= 3; failures++) {
      latest("question");
      awaitAsked(failures);
      now = now.plus(MINUTE);
    }
    Duration shortest = Duration.ofSeconds(2);
    BackgroundAnswers.Answer<String> last =
        answers
            .latest(backend, "key", "question", seen -> Duration.ofDays(1), this::ask)
            .orElseThrow();

    assertThat(last.failures()).isEqualTo(3);
    assertThat(last.backOff(shortest)).isEqualTo(Duration.ofSeconds(8));
    assertThat(new BackgroundAnswers.Answer<>("ill", Instant.EPOCH, 1).backOff(shortest))
        .isEqualTo(shortest);
    assertThat(new BackgroundAnswers.Answer<>("ill", Instant.EPOCH, 6).backOff(shortest))
        .isEqualTo(Duration.ofSeconds(60));
    assertThat(
            new BackgroundAnswers.Answer<>("ill", Instant.EPOCH, Integer.MAX_VALUE)
                .backOff(shortest))
        .isEqualTo(Duration.ofSeconds(60));
  }

  @Test
  void anExceptionIsToldAndAskedAgainEverMoreSeldom() {
    for (int times = 1; times <= 3; times++) {
      askAndThrow("on purpose");
      int expected = times;
      Awaitility.await().until(() -> asked.get() == expected && fault() != null);
      assertThat(woken).as("the same is no news").hasSize(1);
      now = now.plusSeconds(1L << (times - 1)).minusMillis(1);
      askAndThrow("on purpose");
      assertThat(asked).hasValue(times);
      now = now.plusMillis(1);
    }
    assertThat(fault()).isInstanceOf(IllegalStateException.class).hasMessage("on purpose");

    assertThat(latest("question")).isEmpty();
    awaitAsked(4);
    assertThat(latest("question")).hasValue("well");
    assertThat(fault()).isNull();
    assertThat(woken).hasSize(2);
  }

  @Test
  void anExceptionTakesNothingFromTheLastAnswer() {
    latest("question");
    awaitAsked(1);
    now = now.plus(MINUTE);
    askAndThrow("on purpose");
    Awaitility.await().until(() -> fault() != null);

    assertThat(latest("question")).hasValue("well");
    answers.keepOnly(backend, Set.of());
    assertThat(fault()).isNull();
  }

  @Test
  void anAnswerThatIsAlikeWakesNobodyAndIsThereWhenTheObjectIsLookedAt() {
    BackgroundAnswers<InferenceBackend, String> alike =
        new BackgroundAnswers<>(
            "alike", executor, clock(), "well"::equals, (one, other) -> other.startsWith("w"));
    alike.setEventHandler(woken::add);
    alike.start();
    for (String next : List.of("well", "web", "ill")) {
      answer = next;
      alike.latest(backend, "key", "question", last -> MINUTE, this::ask);
      Awaitility.await()
          .until(
              () ->
                  alike
                      .latest(backend, "key", "question", last -> Duration.ofDays(9), this::ask)
                      .map(BackgroundAnswers.Answer::value)
                      .filter(next::equals)
                      .isPresent());
      now = now.plus(MINUTE);
    }

    Awaitility.await().until(() -> woken.size() == 2);
  }

  private void askAndThrow(String message) {
    Optional<?> unused =
        answers.latest(
            backend,
            "key",
            "question",
            last -> MINUTE,
            () -> {
              asked.incrementAndGet();
              throw new IllegalStateException(message);
            });
  }

  private @Nullable Throwable fault() {
    return answers.fault(backend).orElse(null);
  }

  @Test
  void whatIsDeletedOrNotAskedForAnyMoreIsForgotten() {
    latest("question");
    awaitAsked(1);
    answers.keepOnly(backend, Set.of("key"));
    assertThat(latest("question")).hasValue("well");

    answers.keepOnly(backend, Set.of("another"));
    assertThat(latest("question")).isEmpty();
    awaitAsked(2);

    answers.onResourceDeleted(backend);
    assertThat(latest("question")).isEmpty();
  }

  private Optional<String> latest(String question) {
    return answers
        .latest(backend, "key", question, last -> MINUTE, this::ask)
        .map(BackgroundAnswers.Answer::value);
  }

  private String ask() {
    asked.incrementAndGet();
    return answer;
  }

  /** And until nothing is being asked. */
  private void awaitAsked(int times) {
    Awaitility.await()
        .atMost(MINUTE)
        .until(
            () ->
                asked.get() == times
                    && answers.untilOld(backend, "key", last -> MINUTE).isPresent());
  }
}
