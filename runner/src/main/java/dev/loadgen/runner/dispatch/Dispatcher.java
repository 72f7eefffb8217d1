package dev.loadgen.runner.dispatch;

import dev.loadgen.client.Answer;
import dev.loadgen.client.AnswerSink;
import dev.loadgen.client.EngineClient;
import dev.loadgen.contract.RequestFailure;
import dev.loadgen.datasets.payload.Payload;
import dev.loadgen.mlperf.QuerySample;
import dev.loadgen.results.Concurrency;
import dev.loadgen.results.SampleRecord;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Turns query samples into requests and answers into completions. A sample that fails is completed
 * empty with no tokens, so that it shows in LoadGen's own log. It is sent again only if the run
 * asks for that, at once and to the replica whose turn it is, and never after a first token, which
 * LoadGen has been told of by then.
 *
 * <p>{@link #issue} only hands over: it neither waits for a server nor for a free place.
 * Completions are reported on threads of the transport.
 */
public final class Dispatcher {
  /** Requests that are queued before those that have a place are sent. */
  private static final int QUEUED_AT_ONCE = 1024;

  private static final String NOT_SENT = "the test ended before it was sent";
  private static final String NO_SERVER = "every server was taken out of the test";

  private final EngineClient client;
  private final Balancer balancer;
  private final EncodedSamples bodies;
  private final CompletionEncoding encoding;
  private final Completions completions;
  private final SampleListener listener;
  private final LongSupplier nanoTime;
  private final int batchSize;
  private final int retries;
  private final Places places;
  private final LongAdder sentAgain = new LongAdder();
  private final Queue<Request> waiting = new ConcurrentLinkedQueue<>();
  private final Queue<SampleRecord> records = new ConcurrentLinkedQueue<>();
  private volatile boolean aborted;

  /**
   * An idle dispatcher.
   *
   * @param batchSize most samples of one request
   * @param maxConcurrency most requests in flight
   * @param retries times that a failed request is sent again
   * @param nanoTime {@link System#nanoTime} in a run
   */
  public Dispatcher(
      EngineClient client,
      Balancer balancer,
      EncodedSamples bodies,
      CompletionEncoding encoding,
      Completions completions,
      SampleListener listener,
      int batchSize,
      int maxConcurrency,
      int retries,
      LongSupplier nanoTime) {
    this.client = client;
    this.balancer = balancer;
    this.bodies = bodies;
    this.encoding = encoding;
    this.completions = completions;
    this.listener = listener;
    this.batchSize = batchSize;
    this.places = new Places(maxConcurrency);
    this.retries = retries;
    this.nanoTime = nanoTime;
  }

  /** Takes a query's samples and returns at once. */
  public void issue(List<QuerySample> samples) {
    long now = nanoTime.getAsLong();
    listener.issued(samples.size());
    int queued = 0;
    for (int from = 0; from < samples.size(); from += batchSize) {
      int to = Math.min(from + batchSize, samples.size());
      List<SampleRecord> batch = new ArrayList<>(to - from);
      for (QuerySample sample : samples.subList(from, to)) {
        batch.add(new SampleRecord(sample.id(), sample.index(), now));
      }
      take(batch);
      // LoadGen's clock runs, and of a million samples the last are queued seconds later.
      if (++queued % QUEUED_AT_ONCE == 0) {
        startWaiting();
      }
    }
    startWaiting();
  }

  /** Takes a query of one sample and returns at once. */
  public void issue(long id, int index) {
    listener.issued(1);
    take(List.of(new SampleRecord(id, index, nanoTime.getAsLong())));
    startWaiting();
  }

  private void take(List<SampleRecord> samples) {
    Request request = new Request(samples, 0);
    if (aborted) {
      // LoadGen goes on to issue while the results are written: its samples end before they show.
      request.failAll(new RequestFailure(RequestFailure.Kind.ABORTED, NOT_SENT));
      records.addAll(samples);
      return;
    }
    records.addAll(samples);
    request.heldUp = places.queue();
    waiting.add(request);
  }

  /**
   * Fails every sample that waits, and every one that is issued from now on. What is in flight goes
   * on.
   */
  public void abort() {
    aborted = true;
    failWaiting();
  }

  private void failWaiting() {
    for (Request request = waiting.poll(); request != null; request = waiting.poll()) {
      places.leaveQueue();
      request.failAll(new RequestFailure(RequestFailure.Kind.ABORTED, NOT_SENT));
    }
  }

  /** All samples so far, in the order of issue. Complete once the test has ended. */
  public List<SampleRecord> records() {
    return List.copyOf(records);
  }

  /** How full the client was so far. */
  public Concurrency concurrency() {
    return places.seen();
  }

  /** Requests that were sent again after a failure. */
  public long sentAgain() {
    return sentAgain.sum();
  }

  private void startWaiting() {
    if (aborted) {
      failWaiting();
    }
    while (places.take()) {
      Request request = waiting.poll();
      if (request != null) {
        places.leaveQueue();
        request.start();
        continue;
      }
      places.giveBack();
      if (waiting.isEmpty()) {
        return;
      }
    }
  }

  private final class Request implements AnswerSink {
    private final List<SampleRecord> samples;
    private final int earlierTries;
    private final AtomicInteger open;
    private final List<SampleRecord> again = new ArrayList<>(0);
    private boolean answered;

    /** Whether no byte of an answer has come. */
    private boolean silent = true;

    /** When it was sent; its samples may have been sent before. */
    private long begun;

    /** Whether there was no free place for it when it was issued. */
    private boolean heldUp;

    private @Nullable RequestFailure lost;
    private volatile Replica replica;
    private volatile @Nullable Thread sender;

    @SuppressWarnings("NullAway.Init") // the replica is chosen before the request is sent
    Request(List<SampleRecord> samples, int earlierTries) {
      this.earlierTries = earlierTries;
      this.samples = samples;
      this.open = new AtomicInteger(samples.size());
    }

    void start() {
      if (aborted) {
        failAll(new RequestFailure(RequestFailure.Kind.ABORTED, NOT_SENT));
        places.giveBack();
        return;
      }
      Payload body;
      try {
        body = bodies.of(samples);
      } catch (IllegalArgumentException e) {
        failAll(
            new RequestFailure(RequestFailure.Kind.MALFORMED, "cannot be sent: " + e.getMessage()));
        places.giveBack();
        return;
      }
      Replica chosen = balancer.next();
      if (chosen == null) {
        failAll(new RequestFailure(RequestFailure.Kind.NO_SERVER, NO_SERVER));
        places.giveBack();
        return;
      }
      replica = chosen;
      replica.began();
      begun = nanoTime.getAsLong();
      if (heldUp) {
        places.waited(begun - samples.getFirst().issued());
      }
      for (SampleRecord sample : samples) {
        sample.sentTo(replica.index());
      }
      sender = Thread.currentThread();
      try {
        client.send(replica.url(), body, samples.size(), this);
      } catch (RuntimeException e) {
        failAll(new RequestFailure(RequestFailure.Kind.CONNECT, "cannot be sent: " + e));
        if (open.getAndSet(0) > 0) {
          replica.ended();
          places.giveBack();
        }
      } finally {
        sender = null;
      }
    }

    void failAll(RequestFailure failure) {
      long now = nanoTime.getAsLong();
      for (SampleRecord sample : samples) {
        if (sample.ended() == 0) {
          endFailed(sample, failure, now);
        }
      }
    }

    @Override
    public void timed(long taken, long connected, long sent, long firstByte) {
      silent = firstByte == 0;
      for (SampleRecord sample : samples) {
        sample.timed(taken, connected, sent, firstByte);
      }
    }

    @Override
    public void firstToken(int prompt, int token, long nanoTime) {
      SampleRecord sample = samples.get(prompt);
      completions.firstToken(sample.id(), encoding.encodeFirst(token));
      sample.firstToken(nanoTime);
      replica.heard(nanoTime);
    }

    @Override
    public void completed(int prompt, Answer answer, long nanoTime) {
      answered = true;
      SampleRecord sample = samples.get(prompt);
      Optional<byte[]> data = encoding.encode(answer);
      if (data.isEmpty()) {
        failed(
            prompt,
            new RequestFailure(
                RequestFailure.Kind.MALFORMED,
                "the accuracy log needs token ids, and the server sends none on this route"),
            nanoTime);
        return;
      }
      // The record is written first, since LoadGen may end the test within the call.
      sample.completed(
          answer.tokenCount(), answer.tokenCountSource(), answer.finishReason(), nanoTime);
      completions.complete(sample.id(), data.get(), answer.tokenCount());
      listener.completed(sample);
      promptEnded(nanoTime);
    }

    @Override
    public void failed(int prompt, RequestFailure failure, long nanoTime) {
      SampleRecord sample = samples.get(prompt);
      switch (failure.kind()) {
        case CONNECT, BROKEN -> lost = failure;
        case CLIENT_LIMIT, TIMEOUT, ABORTED, NO_SERVER -> {}
        case HTTP_STATUS, ERROR_IN_STREAM, INCOMPLETE, MALFORMED, NO_TOKENS -> answered = true;
      }
      if (mayTryAgain(sample, failure)) {
        again.add(sample);
      } else {
        endFailed(sample, failure, nanoTime);
      }
      promptEnded(nanoTime);
    }

    private boolean mayTryAgain(SampleRecord sample, RequestFailure failure) {
      return earlierTries < retries
          && failure.kind().retryable()
          && sample.firstToken() == 0
          && !aborted;
    }

    private void endFailed(SampleRecord sample, RequestFailure failure, long nanoTime) {
      sample.failed(failure, nanoTime);
      completions.complete(sample.id(), CompletionEncoding.EMPTY, 0);
      listener.failed();
    }

    private void promptEnded(long nanoTime) {
      if (open.decrementAndGet() == 0) {
        replica.ended();
        if (answered) {
          replica.answered(nanoTime);
        } else if (lost != null) {
          replica.lost(lost, silent, begun);
        }
        if (!again.isEmpty()) {
          sentAgain.increment();
          // It keeps this request's place, unless it has ended already.
          new Request(again, earlierTries + 1).start();
        } else {
          places.giveBack();
        }
        // An answer from within send() comes back to the loop that sent the request; to start the
        // next one here would nest as deep as there are requests.
        if (sender != Thread.currentThread()) {
          startWaiting();
        }
      }
    }
  }
}
