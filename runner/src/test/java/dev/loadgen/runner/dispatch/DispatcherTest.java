package dev.loadgen.runner.dispatch;

import static org.assertj.core.api.Assertions.assertThat;

import dev.loadgen.client.Answer;
import dev.loadgen.client.AnswerSink;
import dev.loadgen.client.Prompt;
import dev.loadgen.contract.LoadBalancing;
import dev.loadgen.contract.RequestFailure;
import dev.loadgen.contract.TokenCountSource;
import dev.loadgen.mlperf.QuerySample;
import dev.loadgen.results.Concurrency;
import dev.loadgen.results.SampleRecord;
import java.net.URI;
import java.util.AbstractList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class DispatcherTest {
  private static final int NO_BOUND = Integer.MAX_VALUE;

  private final List<Replica> replicas =
      List.of(
          new Replica(0, "a", URI.create("http://a")), new Replica(1, "b", URI.create("http://b")));
  private final RecordingCompletions completions = new RecordingCompletions();
  private final CountingListener listener = new CountingListener();
  private final AtomicLong clock = new AtomicLong(1);

  private static final class CountingListener implements SampleListener {
    private final AtomicInteger issued = new AtomicInteger();
    private final AtomicInteger completed = new AtomicInteger();
    private final AtomicInteger failed = new AtomicInteger();
    private final AtomicInteger tokens = new AtomicInteger();

    @Override
    public void issued(int samples) {
      issued.addAndGet(samples);
    }

    @Override
    public void completed(SampleRecord sample) {
      completed.incrementAndGet();
      tokens.addAndGet(sample.tokens());
    }

    @Override
    public void failed() {
      failed.incrementAndGet();
    }
  }

  private Dispatcher dispatcher(FakeClient client, int batchSize, int maxConcurrency) {
    return dispatcher(client, batchSize, maxConcurrency, CompletionEncoding.NONE);
  }

  private Dispatcher dispatcher(
      FakeClient client, int batchSize, int maxConcurrency, CompletionEncoding encoding) {
    return dispatcher(client, batchSize, maxConcurrency, encoding, 0);
  }

  private Dispatcher dispatcher(
      FakeClient client,
      int batchSize,
      int maxConcurrency,
      CompletionEncoding encoding,
      int retries) {
    EncodedSamples bodies =
        new EncodedSamples(
            client, index -> new Prompt(null, index == 13 ? "unencodable" : "p" + index), 30_000);
    return new Dispatcher(
        client,
        Balancer.of(LoadBalancing.RoundRobin, replicas, new Random(1)),
        bodies,
        encoding,
        completions,
        listener,
        batchSize,
        maxConcurrency,
        retries,
        clock::get);
  }

  /** Samples with the given indices; ids are 1000 more. */
  private static List<QuerySample> samples(int... indices) {
    return IntStream.of(indices).mapToObj(i -> new QuerySample(1000L + i, i)).toList();
  }

  private static List<QuerySample> range(int from, int to) {
    return samples(IntStream.range(from, to).toArray());
  }

  private static Answer withoutIds() {
    return new Answer("text", null, 5, TokenCountSource.USAGE, "stop");
  }

  @Test
  void sendsAllAtOnceWithoutABound() {
    FakeClient client = new FakeClient();
    dispatcher(client, 1, NO_BOUND).issue(range(0, 5));

    assertThat(client.open())
        .extracting(FakeClient.Sent::body)
        .containsExactly("p0", "p1", "p2", "p3", "p4");
    assertThat(completions.tokens()).isEmpty();
  }

  @Test
  void theFirstSamplesOfALargeQueryAreSentBeforeTheLastAreQueued() {
    FakeClient client = new FakeClient();
    List<QuerySample> samples = range(100, 20_100);
    AtomicInteger sentByTheEnd = new AtomicInteger();
    dispatcher(client, 1, 8)
        .issue(
            new AbstractList<>() {
              @Override
              public QuerySample get(int index) {
                if (index == samples.size() - 1) {
                  sentByTheEnd.set(client.bodies().size());
                }
                return samples.get(index);
              }

              @Override
              public int size() {
                return samples.size();
              }
            });

    assertThat(sentByTheEnd).hasValue(8);
    assertThat(client.bodies()).hasSize(8);
  }

  @Test
  void fillsBatchesInTheOrderOfIssue() {
    FakeClient client = new FakeClient();
    dispatcher(client, 4, NO_BOUND).issue(range(0, 10));

    assertThat(client.bodies()).containsExactly("p0+p1+p2+p3", "p4+p5+p6+p7", "p8+p9");
    client.open().forEach(sent -> sent.answer(3));
    assertThat(completions.tokens()).hasSize(10);
    assertThat(listener.tokens).hasValue(30);
  }

  @Test
  void sampleOfAQueryOfOneIsSentToo() {
    FakeClient client = new FakeClient();
    dispatcher(client, 1, 1).issue(77, 7);
    client.open().getFirst().answer(2);

    assertThat(completions.tokens()).containsOnlyKeys(77L).containsEntry(77L, 2);
    assertThat(listener.issued).hasValue(1);
  }

  @Test
  void keepsExactlyItsConcurrencyWhileWorkWaits() {
    FakeClient client = new FakeClient();
    Dispatcher dispatcher = dispatcher(client, 1, 3);
    Random random = new Random(7);
    dispatcher.issue(range(100, 200));
    for (int left = 100; left > 0; left--) {
      List<FakeClient.Sent> open = client.open();
      assertThat(open).hasSize(Math.min(3, left));
      FakeClient.Sent some = open.get(random.nextInt(open.size()));
      if (random.nextBoolean()) {
        some.answer(1 + random.nextInt(5));
      } else {
        some.fail(FakeClient.REFUSED);
      }
    }

    assertThat(client.open()).isEmpty();
    assertThat(completions.tokens()).hasSize(100);
    assertThat(completions.faults()).isEmpty();
    assertThat(listener.completed.get() + listener.failed.get()).isEqualTo(100);
    assertThat(listener.failed.get()).isBetween(10, 90);
  }

  @Test
  void batchKeepsItsPlaceUntilItsLastSampleEnds() {
    FakeClient client = new FakeClient();
    dispatcher(client, 2, 1).issue(range(0, 4));
    FakeClient.Sent first = client.open().getFirst();

    first.sink().failed(1, FakeClient.BROKEN, 20);
    assertThat(client.bodies()).hasSize(1);
    first.sink().completed(0, withoutIds(), 20);

    assertThat(client.bodies()).containsExactly("p0+p1", "p2+p3");
    assertThat(completions.tokens()).containsEntry(1000L, 5).containsEntry(1001L, 0);
  }

  @Test
  void manyThreadsCompleteEverySampleOnceWithinTheConcurrency() throws Exception {
    AtomicInteger inFlight = new AtomicInteger();
    AtomicInteger peak = new AtomicInteger();
    int threads = 4;
    int each = 2000;
    CountDownLatch done = new CountDownLatch(threads * each);
    FakeClient client =
        new FakeClient(
            sent -> {
              peak.accumulateAndGet(inFlight.incrementAndGet(), Math::max);
              Thread.ofVirtual()
                  .start(
                      () -> {
                        inFlight.decrementAndGet();
                        if (sent.body().endsWith("5")) {
                          sent.fail(FakeClient.REFUSED);
                        } else {
                          sent.answer(1);
                        }
                        done.countDown();
                      });
            });
    Dispatcher dispatcher = dispatcher(client, 1, 8);
    for (int thread = 0; thread < threads; thread++) {
      int from = 100 + thread * each;
      Thread.ofPlatform()
          .start(
              () -> LongStream.range(from, from + each).forEach(i -> dispatcher.issue(i, (int) i)));
    }

    assertThat(done.await(50, TimeUnit.SECONDS)).as("all %s samples end", threads * each).isTrue();
    assertThat(peak.get()).isBetween(1, 8);
    assertThat(completions.tokens()).hasSize(threads * each);
    assertThat(completions.withTokens()).hasSize(threads * each * 9 / 10);
    assertThat(completions.faults()).isEmpty();
    assertThat(dispatcher.records()).hasSize(threads * each);
  }

  @Test
  void answersFromWithinSendDoNotNest() {
    AtomicLong deepest = new AtomicLong();
    FakeClient client =
        new FakeClient(
            sent -> {
              deepest.accumulateAndGet(StackWalker.getInstance().walk(Stream::count), Math::max);
              sent.answer(1);
            });

    dispatcher(client, 1, 2).issue(range(100, 20_100));

    assertThat(completions.tokens()).hasSize(20_000);
    assertThat(deepest.get()).isLessThan(200);
  }

  @Test
  void completionCarriesWhatTheLogNeeds() {
    FakeClient client = new FakeClient();
    dispatcher(client, 1, NO_BOUND, CompletionEncoding.TOKEN_IDS).issue(samples(1));
    client.open().getFirst().answer(3);

    assertThat(completions.data(1001)).hasSize(12);
    assertThat(completions.tokens()).containsEntry(1001L, 3);
    assertThat(completions.firstTokens()).containsExactly(1001L);
    assertThat(completions.firstData(1001)).containsExactly(0, 0, 0, 0);
    assertThat(completions.faults()).isEmpty();
  }

  @Test
  void theFirstTokenIsHandedOnAsTheLogHasIt() {
    FakeClient client = new FakeClient();
    dispatcher(client, 1, NO_BOUND, CompletionEncoding.TOKEN_IDS).issue(samples(1, 2));
    client.open().get(0).sink().firstToken(0, 0x01020304, 10);
    client.open().get(1).sink().firstToken(0, AnswerSink.UNKNOWN_TOKEN, 10);

    assertThat(completions.firstData(1001)).containsExactly(4, 3, 2, 1);
    assertThat(completions.firstData(1002)).isEmpty();
  }

  @Test
  void whatNoLogWantsIsNotHandedOn() {
    FakeClient client = new FakeClient();
    dispatcher(client, 1, NO_BOUND, CompletionEncoding.NONE).issue(samples(1));
    client.open().getFirst().sink().firstToken(0, 7, 10);

    assertThat(completions.firstTokens()).containsExactly(1001L);
    assertThat(completions.firstData(1001)).isEmpty();
  }

  @Test
  void answerWithoutTheIdsThatTheLogNeedsHasFailed() {
    FakeClient client = new FakeClient();
    Dispatcher dispatcher = dispatcher(client, 1, 1, CompletionEncoding.TOKEN_IDS);
    dispatcher.issue(samples(1, 2));
    client.open().getFirst().sink().completed(0, withoutIds(), 20);

    assertThat(completions.tokens()).containsEntry(1001L, 0);
    assertThat(dispatcher.records().getFirst().failure()).asString().contains("token ids");
    assertThat(listener.completed).hasValue(0);
    assertThat(client.bodies()).as("the next sample goes on").containsExactly("p1", "p2");
  }

  @Test
  void failedSampleIsCompletedEmptyAndNeverSentAgain() {
    FakeClient client = new FakeClient();
    Dispatcher dispatcher = dispatcher(client, 1, 1, CompletionEncoding.TEXT);
    dispatcher.issue(samples(1));
    client.open().getFirst().fail(FakeClient.BROKEN);

    assertThat(completions.tokens()).containsEntry(1001L, 0);
    assertThat(completions.data(1001)).isEmpty();
    assertThat(client.bodies()).hasSize(1);
    SampleRecord failed = dispatcher.records().getFirst();
    assertThat(failed.succeeded()).isFalse();
    assertThat(failed.failure()).isEqualTo(FakeClient.BROKEN);
    assertThat(failed.tokens()).isZero();
    assertThat(listener.failed).hasValue(1);
    assertThat(listener.tokens).hasValue(0);
  }

  @Test
  void sampleThatCannotBeEncodedFailsAndTheOthersGoOn() {
    FakeClient client = new FakeClient();
    Dispatcher dispatcher = dispatcher(client, 1, 1);
    dispatcher.issue(samples(12, 13, 14));
    client.open().getFirst().answer(1);

    assertThat(client.bodies()).containsExactly("p12", "p14");
    assertThat(completions.tokens()).containsEntry(1013L, 0);
    assertThat(dispatcher.records().get(1).failure()).asString().contains("no such text");
  }

  @Test
  void requestThatTheClientRefusesFailsAndTheOthersGoOn() {
    FakeClient client =
        new FakeClient(
            sent -> {
              if (sent.body().equals("p2")) {
                throw new IllegalStateException("closed");
              }
            });
    Dispatcher dispatcher = dispatcher(client, 1, 1);
    dispatcher.issue(samples(1, 2, 3));
    client.open().getFirst().answer(1);

    assertThat(client.bodies()).containsExactly("p1", "p2", "p3");
    assertThat(completions.tokens()).containsEntry(1002L, 0);
    assertThat(dispatcher.records().get(1).failure()).asString().contains("closed");
    client.open().getLast().answer(1);
    assertThat(completions.withTokens()).containsExactlyInAnyOrder(1001L, 1003L);
    assertThat(replicas).allSatisfy(replica -> assertThat(replica.inFlight()).isZero());
  }

  @Test
  void abortFailsWhatWaitsAndLeavesWhatIsInFlight() {
    FakeClient client = new FakeClient();
    Dispatcher dispatcher = dispatcher(client, 1, 2);
    dispatcher.issue(range(0, 5));

    dispatcher.abort();

    assertThat(completions.tokens()).containsOnlyKeys(1002L, 1003L, 1004L);
    assertThat(dispatcher.records().get(4).failure())
        .extracting(RequestFailure::kind)
        .isEqualTo(RequestFailure.Kind.ABORTED);
    client.open().forEach(sent -> sent.answer(4));
    assertThat(completions.withTokens()).containsExactlyInAnyOrder(1000L, 1001L);
    assertThat(client.bodies()).hasSize(2);
  }

  @Test
  void samplesIssuedAfterAnAbortFailAtOnce() {
    FakeClient client = new FakeClient();
    Dispatcher dispatcher = dispatcher(client, 1, 1);
    dispatcher.issue(samples(0));
    dispatcher.abort();

    dispatcher.issue(samples(1, 2));
    dispatcher.issue(1003, 3);

    assertThat(completions.tokens()).containsOnlyKeys(1001L, 1002L, 1003L);
    assertThat(dispatcher.records()).hasSize(4);
    assertThat(listener.failed).hasValue(3);
    assertThat(client.bodies()).hasSize(1);
  }

  @Test
  void recordsKeepReplicaAndTimes() {
    FakeClient client = new FakeClient();
    Dispatcher dispatcher = dispatcher(client, 1, 1);
    clock.set(3);
    dispatcher.issue(samples(8, 9));
    clock.set(7);
    client.open().getFirst().taken(5);
    client.open().getFirst().answer(6);
    client.open().getFirst().taken(9);

    SampleRecord first = dispatcher.records().get(0);
    assertThat(first.index()).isEqualTo(8);
    assertThat(first.replica()).isZero();
    assertThat(List.of(first.issued(), first.started(), first.firstToken(), first.ended()))
        .as("it began when the transport had it, not when it was handed over")
        .containsExactly(3L, 5L, 10L, 20L);
    assertThat(first.tokens()).isEqualTo(6);
    assertThat(first.succeeded()).isTrue();
    SampleRecord second = dispatcher.records().get(1);
    assertThat(second.replica()).isEqualTo(1);
    assertThat(second.issued()).isEqualTo(3);
    assertThat(second.started()).as("it waited for a place and its turn").isEqualTo(9);
    assertThat(second.succeeded()).isFalse();
  }

  @Test
  void requestThatTheTransportHasNotTakenHasNotBegun() {
    FakeClient client = new FakeClient();
    Dispatcher dispatcher = dispatcher(client, 1, 1);
    dispatcher.issue(samples(8));

    assertThat(dispatcher.records().getFirst().replica()).isZero();
    assertThat(dispatcher.records().getFirst().started()).isZero();
  }

  private static final RequestFailure REFUSED_CONNECTION =
      new RequestFailure(RequestFailure.Kind.CONNECT, "b refused the connection");

  /** A client of which one replica refuses every connection, and the other answers. */
  private static FakeClient withoutReplica(String host) {
    return new FakeClient(
        sent -> {
          if (sent.replica().equals(host)) {
            sent.fail(REFUSED_CONNECTION);
          } else {
            sent.answer(2);
          }
        });
  }

  @Test
  void deadReplicaIsTakenOutAndTheOtherGoesOn() {
    FakeClient client = withoutReplica("b");
    dispatcher(client, 1, NO_BOUND).issue(range(100, 200));

    assertThat(replicas.get(0).takenOut()).isNull();
    assertThat(replicas.get(1).takenOut())
        .contains(Replica.MOST_LOST + " requests in a row")
        .contains("b refused the connection");
    assertThat(listener.failed).hasValue(Replica.MOST_LOST);
    assertThat(listener.completed).hasValue(100 - Replica.MOST_LOST);
    assertThat(completions.tokens()).hasSize(100);
    assertThat(completions.faults()).isEmpty();
  }

  @Test
  void samplesFailAtOnceWhenEveryReplicaIsTakenOut() {
    FakeClient client = new FakeClient(sent -> sent.fail(REFUSED_CONNECTION));
    Dispatcher dispatcher = dispatcher(client, 1, 2);
    dispatcher.issue(range(100, 5100));

    assertThat(client.bodies()).hasSize(2 * Replica.MOST_LOST);
    assertThat(listener.failed).hasValue(5000);
    assertThat(completions.tokens()).hasSize(5000);
    assertThat(dispatcher.records().getLast().failure())
        .extracting(RequestFailure::kind)
        .isEqualTo(RequestFailure.Kind.NO_SERVER);
  }

  @Test
  void anAnswerInBetweenKeepsAReplica() {
    AtomicInteger requests = new AtomicInteger();
    FakeClient client =
        new FakeClient(
            sent -> {
              // Of each ten requests of a replica four lose their connection, one after the other.
              if (requests.getAndIncrement() / 2 % 10 < 4) {
                sent.fail(FakeClient.BROKEN);
              } else {
                sent.answer(1);
              }
            });
    dispatcher(client, 1, 1).issue(range(100, 1100));

    assertThat(replicas).allSatisfy(replica -> assertThat(replica.takenOut()).isNull());
    assertThat(listener.failed).hasValue(400);
  }

  @Test
  void errorsOfAServerThatAnswersTakeNobodyOut() {
    FakeClient client = new FakeClient(sent -> sent.fail(FakeClient.REFUSED));
    dispatcher(client, 1, 1).issue(range(100, 200));

    assertThat(replicas).allSatisfy(replica -> assertThat(replica.takenOut()).isNull());
    assertThat(client.bodies()).hasSize(100);
  }

  @Test
  void retriesSendAFailedRequestAgainAndCountIt() {
    AtomicInteger sends = new AtomicInteger();
    FakeClient client =
        new FakeClient(
            sent -> {
              sent.taken(6 + sends.get());
              if (sends.getAndIncrement() % 3 < 2) {
                sent.fail(FakeClient.REFUSED);
              } else {
                sent.answer(4);
              }
            });
    Dispatcher dispatcher = dispatcher(client, 1, 1, CompletionEncoding.NONE, 2);
    clock.set(5);
    dispatcher.issue(range(100, 110));

    assertThat(client.bodies()).hasSize(30);
    assertThat(dispatcher.sentAgain()).isEqualTo(20);
    assertThat(completions.withTokens()).hasSize(10);
    assertThat(completions.faults()).isEmpty();
    assertThat(listener.failed).hasValue(0);
    assertThat(dispatcher.records())
        .extracting(SampleRecord::started)
        .as("the first of three tries")
        .startsWith(6L, 9L, 12L);
    assertThat(replicas).allSatisfy(replica -> assertThat(replica.inFlight()).isZero());
  }

  @Test
  void samplesThatAreSentAgainFailAtOnceTooWhenEveryReplicaIsTakenOut() {
    FakeClient client = new FakeClient();
    Dispatcher dispatcher = dispatcher(client, 1, 64, CompletionEncoding.NONE, 2);
    dispatcher.issue(range(100, 1100));

    for (List<FakeClient.Sent> open = client.open(); !open.isEmpty(); open = client.open()) {
      open.getFirst().fail(REFUSED_CONNECTION);
    }

    assertThat(completions.tokens()).hasSize(1000);
    assertThat(dispatcher.records().getLast().failure())
        .extracting(RequestFailure::kind)
        .isEqualTo(RequestFailure.Kind.NO_SERVER);
  }

  @Test
  void samplesGoOnBehindARetryThatCannotBeSent() {
    AtomicInteger sends = new AtomicInteger();
    FakeClient client =
        new FakeClient(
            sent -> {
              if (sends.incrementAndGet() == 2) {
                throw new IllegalStateException("closed");
              }
            });
    dispatcher(client, 1, 1, CompletionEncoding.NONE, 1).issue(samples(1, 2));
    client.open().getFirst().fail(FakeClient.REFUSED);

    assertThat(completions.tokens()).containsOnlyKeys(1001L);
    assertThat(client.bodies()).containsExactly("p1", "p1", "p2");
  }

  @Test
  void retriesEndAndTheSampleHasFailed() {
    FakeClient client = new FakeClient(sent -> sent.fail(FakeClient.REFUSED));
    Dispatcher dispatcher = dispatcher(client, 1, 1, CompletionEncoding.NONE, 3);
    dispatcher.issue(samples(1));

    assertThat(client.bodies()).hasSize(4);
    assertThat(completions.tokens()).containsEntry(1001L, 0);
    assertThat(listener.failed).hasValue(1);
  }

  @Test
  void nothingIsSentAgainAfterItsFirstToken() {
    FakeClient client = new FakeClient();
    Dispatcher dispatcher = dispatcher(client, 1, 1, CompletionEncoding.NONE, 3);
    dispatcher.issue(samples(1));
    FakeClient.Sent sent = client.open().getFirst();
    sent.sink().firstToken(0, 7, 10);
    sent.fail(FakeClient.BROKEN);

    assertThat(client.bodies()).hasSize(1);
    assertThat(completions.tokens()).containsEntry(1001L, 0);
    assertThat(dispatcher.sentAgain()).isZero();
  }

  @Test
  void onlyTheFailedSamplesOfABatchAreSentAgain() {
    FakeClient client = new FakeClient();
    Dispatcher dispatcher = dispatcher(client, 3, 1, CompletionEncoding.NONE, 1);
    dispatcher.issue(range(1, 4));
    FakeClient.Sent first = client.open().getFirst();
    first.sink().completed(0, withoutIds(), 20);
    first.sink().failed(1, FakeClient.BROKEN, 20);
    first.sink().failed(2, new RequestFailure(RequestFailure.Kind.NO_TOKENS, "none"), 20);

    assertThat(client.bodies()).containsExactly("p1+p2+p3", "p2");
    client.open().getLast().answer(2);
    assertThat(completions.tokens())
        .containsEntry(1001L, 5)
        .containsEntry(1002L, 2)
        .containsEntry(1003L, 0);
  }

  @Test
  void aRetryGoesToTheNextReplica() {
    FakeClient client = withoutReplica("a");
    Dispatcher dispatcher = dispatcher(client, 1, 1, CompletionEncoding.NONE, 1);
    dispatcher.issue(samples(1));

    assertThat(listener.completed).hasValue(1);
    assertThat(dispatcher.records().getFirst().replica()).isEqualTo(1);
    assertThat(dispatcher.sentAgain()).isEqualTo(1);
  }

  @Test
  void whatWasHeardOfAServerBeforeARetryDoesNotForgiveIt() {
    FakeClient client =
        new FakeClient(
            sent -> {
              clock.addAndGet(100);
              sent.fail(REFUSED_CONNECTION);
            });
    replicas.forEach(replica -> replica.heard(50));

    dispatcher(client, 1, 1, CompletionEncoding.NONE, 20).issue(samples(1));

    assertThat(client.bodies()).as("all but the first count").hasSize(1 + 2 * Replica.MOST_LOST);
    assertThat(replicas).allSatisfy(replica -> assertThat(replica.takenOut()).isNotNull());
  }

  @Test
  void tellsWhoHadToWaitForAPlace() {
    FakeClient client = new FakeClient();
    Dispatcher dispatcher = dispatcher(client, 1, 2);
    dispatcher.issue(range(0, 2));
    assertThat(dispatcher.concurrency()).isEqualTo(new Concurrency(2, 2, 0, 0, 0));

    dispatcher.issue(102, 2);
    dispatcher.issue(103, 3);
    assertThat(dispatcher.concurrency().heldUp()).isZero();
    clock.addAndGet(100);
    client.open().getFirst().answer(3);
    clock.addAndGet(100);
    client.open().getFirst().answer(3);

    assertThat(dispatcher.concurrency()).isEqualTo(new Concurrency(2, 2, 2, 150, 200));
  }

  @Test
  void peakIsWhatThereWasAtOnce() {
    FakeClient client = new FakeClient();
    Dispatcher dispatcher = dispatcher(client, 1, NO_BOUND);
    dispatcher.issue(range(0, 3));
    client.open().getFirst().answer(3);
    client.open().getFirst().answer(3);
    dispatcher.issue(104, 4);

    assertThat(dispatcher.concurrency()).isEqualTo(new Concurrency(NO_BOUND, 3, 0, 0, 0));
  }
}
