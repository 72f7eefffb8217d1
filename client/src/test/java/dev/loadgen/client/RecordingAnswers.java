package dev.loadgen.client;

import static org.assertj.core.api.Assertions.assertThat;

import dev.loadgen.contract.RequestFailure;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** Writes down what becomes of each prompt, and refuses to hear of one twice. */
final class RecordingAnswers implements AnswerSink {
  private final int prompts;
  private final CountDownLatch open;
  private final Map<Integer, Long> firstTokens = new TreeMap<>();
  private final Map<Integer, Integer> firstTokenIds = new TreeMap<>();
  private final Map<Integer, Answer> answers = new TreeMap<>();
  private final Map<Integer, Long> completedAt = new TreeMap<>();
  private final Map<Integer, RequestFailure> failures = new TreeMap<>();
  private final List<String> breaches = new ArrayList<>();
  private final List<List<Long>> ways = new ArrayList<>();

  RecordingAnswers(int prompts) {
    this.prompts = prompts;
    this.open = new CountDownLatch(prompts);
  }

  @Override
  public synchronized void timed(long taken, long connected, long sent, long firstByte) {
    ways.add(List.of(taken, connected, sent, firstByte));
  }

  @Override
  public synchronized void firstToken(int prompt, int token, long nanoTime) {
    firstTokenIds.put(prompt, token);
    if (firstTokens.put(prompt, nanoTime) != null) {
      breaches.add("second first token of " + prompt);
    }
    if (answers.containsKey(prompt) || failures.containsKey(prompt)) {
      breaches.add("first token of " + prompt + " after its end");
    }
  }

  @Override
  public synchronized void completed(int prompt, Answer answer, long nanoTime) {
    settle(prompt);
    int[] ids = answer.tokenIds();
    Integer told = firstTokenIds.get(prompt);
    // Servers that say ids at all say them as they go.
    if (ids != null && told != null && told != UNKNOWN_TOKEN && told != ids[0]) {
      breaches.add("first token of " + prompt + " was " + told + ", the answer's is " + ids[0]);
    }
    answers.put(prompt, answer);
    completedAt.put(prompt, nanoTime);
    Long first = firstTokens.get(prompt);
    if (first != null && nanoTime < first) {
      breaches.add("completion of " + prompt + " before its first token");
    }
    open.countDown();
  }

  @Override
  public synchronized void failed(int prompt, RequestFailure failure, long nanoTime) {
    settle(prompt);
    failures.put(prompt, failure);
    open.countDown();
  }

  private void settle(int prompt) {
    if (prompt < 0 || prompt >= prompts) {
      breaches.add("no such prompt: " + prompt);
    }
    if (answers.containsKey(prompt) || failures.containsKey(prompt)) {
      breaches.add("prompt " + prompt + " is reported twice");
    }
  }

  /** Until every prompt is reported. */
  RecordingAnswers await() throws InterruptedException {
    assertThat(open.await(20, TimeUnit.SECONDS)).as("every prompt reported").isTrue();
    return this;
  }

  private synchronized void check() {
    assertThat(breaches).isEmpty();
    assertThat(answers.size() + failures.size()).as("prompts reported").isEqualTo(prompts);
  }

  Answer answer(int prompt) {
    check();
    assertThat(answers).as("failures: %s", failures).containsKey(prompt);
    return Objects.requireNonNull(answers.get(prompt));
  }

  RequestFailure failure(int prompt) {
    check();
    assertThat(failures).as("answers: %s", answers).containsKey(prompt);
    return Objects.requireNonNull(failures.get(prompt));
  }

  /** The times of the request's way, each time that it was told. */
  synchronized List<List<Long>> ways() {
    return List.copyOf(ways);
  }

  synchronized Map<Integer, Long> firstTokens() {
    return Map.copyOf(firstTokens);
  }

  synchronized Map<Integer, Long> completedAt() {
    return Map.copyOf(completedAt);
  }

  /** All of it in words, also of a server that takes back the first token that it has sent. */
  synchronized String outcome() {
    breaches.removeIf(breach -> breach.startsWith("first token of") && breach.contains(" was "));
    check();
    StringBuilder words = new StringBuilder();
    answers.forEach(
        (prompt, answer) ->
            words
                .append("completed ")
                .append(prompt)
                .append(' ')
                .append(answer.text())
                .append(Arrays.toString(answer.tokenIds()))
                .append(answer.tokenCount())
                .append(answer.finishReason()));
    failures.forEach((prompt, failure) -> words.append("failed ").append(prompt).append(failure));
    return words.append(firstTokens.keySet()).toString();
  }

  synchronized boolean nothingReported() {
    return answers.isEmpty() && failures.isEmpty();
  }
}
