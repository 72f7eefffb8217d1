package dev.loadgen.reconcile.events;

import dev.loadgen.desired.Labels;
import dev.loadgen.reconcile.metrics.OperatorMetrics;
import dev.loadgen.reconcile.status.Conditions;
import io.fabric8.kubernetes.api.model.Event;
import io.fabric8.kubernetes.api.model.EventBuilder;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.ObjectReference;
import io.fabric8.kubernetes.api.model.ObjectReferenceBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes Events, in order, on a thread of its own: a reconcile neither waits for them nor fails
 * with them. An Event that cannot be written is logged and counted.
 *
 * <p>They are Events of core/v1, since only these may change their message when they are repeated
 * again: whoever reads the Event of a waiting run wants the run that it waits for now.
 */
public final class EventRecorder implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(EventRecorder.class);

  /** The longest message, in bytes: the limit of events.k8s.io/v1, by which they can be read. */
  static final int MESSAGE_BYTES = 1_024;

  /** Leaves room for the rest of an Event's name, which has at most 253 characters. */
  private static final int NAME_LENGTH = 220;

  private static final int QUEUE = 1_000;
  private static final Duration FLUSH = Duration.ofSeconds(2);

  private final KubernetesClient client;
  private final OperatorMetrics metrics;
  private final Clock clock;
  private final EventSeries series = new EventSeries();
  private final ThreadPoolExecutor writer =
      new ThreadPoolExecutor(
          1,
          1,
          0,
          TimeUnit.SECONDS,
          new ArrayBlockingQueue<>(QUEUE),
          Thread.ofVirtual().name("events").factory());
  private long named;

  /** A recorder; {@code client} stays open when it is closed. */
  public EventRecorder(KubernetesClient client, OperatorMetrics metrics, Clock clock) {
    this.client = client;
    this.metrics = metrics;
    this.clock = clock;
  }

  /** Hands over what happened to an object, and returns at once. */
  public void record(HasMetadata regarding, List<ObjectEvent> events) {
    ObjectReference reference = reference(regarding);
    Instant now = clock.instant();
    for (ObjectEvent event : events) {
      try {
        writer.execute(() -> write(reference, event, now));
      } catch (RejectedExecutionException e) {
        lost(reference, event, writer.isShutdown() ? "the operator ends" : "too many wait");
      }
    }
  }

  private void write(ObjectReference regarding, ObjectEvent event, Instant now) {
    EventSeries.Key key = new EventSeries.Key(regarding.getUid(), event.type(), event.reason());
    try {
      switch (series.next(key, now, nameFor(regarding, now))) {
        case EventSeries.Step.Write(String name, int count, Instant first) -> {
          // Applied, since this asks for no right to read, and makes an Event that has expired
          // anew.
          client
              .resource(event(regarding, event, name, count, first, now))
              .fieldManager(Labels.OPERATOR)
              .forceConflicts()
              .serverSideApply();
          metrics.eventWritten();
        }
        case EventSeries.Step.Hold hold -> metrics.eventHeld();
      }
    } catch (RuntimeException e) {
      lost(regarding, event, e.toString());
    }
  }

  private void lost(ObjectReference regarding, ObjectEvent event, String why) {
    metrics.eventLost();
    log.warn(
        "event not written namespace={} kind={} name={} reason={} message={} because={}",
        regarding.getNamespace(),
        regarding.getKind(),
        regarding.getName(),
        event.reason(),
        event.message(),
        why);
  }

  private static Event event(
      ObjectReference regarding,
      ObjectEvent event,
      String name,
      int count,
      Instant first,
      Instant now) {
    return new EventBuilder()
        .withNewMetadata()
        .withName(name)
        .withNamespace(regarding.getNamespace())
        .endMetadata()
        .withInvolvedObject(regarding)
        .withType(event.type().text())
        .withReason(event.reason())
        .withMessage(shortened(event.message()))
        .withCount(count)
        .withFirstTimestamp(Conditions.timestamp(first))
        .withLastTimestamp(Conditions.timestamp(now))
        .withNewSource()
        .withComponent(Labels.OPERATOR)
        .endSource()
        .withReportingComponent(Labels.OPERATOR)
        .build();
  }

  private static ObjectReference reference(HasMetadata object) {
    return new ObjectReferenceBuilder()
        .withApiVersion(object.getApiVersion())
        .withKind(object.getKind())
        .withNamespace(object.getMetadata().getNamespace())
        .withName(object.getMetadata().getName())
        .withUid(object.getMetadata().getUid())
        .withResourceVersion(object.getMetadata().getResourceVersion())
        .build();
  }

  /** As other components name Events: the object's name, and what no other Event has. */
  private String nameFor(ObjectReference regarding, Instant now) {
    String name = regarding.getName();
    String prefix = name.substring(0, Math.min(name.length(), NAME_LENGTH));
    named++;
    return prefix.replaceAll("[^a-z0-9]+$", "")
        + "."
        + Long.toHexString(now.toEpochMilli())
        + String.format("%04x", named & 0xffff);
  }

  static String shortened(String message) {
    if (message.getBytes(StandardCharsets.UTF_8).length <= MESSAGE_BYTES) {
      return message;
    }
    StringBuilder text = new StringBuilder();
    int bytes = "…".getBytes(StandardCharsets.UTF_8).length;
    for (int i = 0; i < message.length(); ) {
      String character = Character.toString(message.codePointAt(i));
      bytes += character.getBytes(StandardCharsets.UTF_8).length;
      if (bytes > MESSAGE_BYTES) {
        break;
      }
      text.append(character);
      i += character.length();
    }
    return text.append('…').toString();
  }

  /** Writes what was handed over, for two seconds at most. */
  @Override
  public void close() {
    writer.shutdown();
    try {
      if (!writer.awaitTermination(FLUSH.toMillis(), TimeUnit.MILLISECONDS)) {
        log.warn(
            "events not written because=the operator ends count={}", writer.shutdownNow().size());
      }
    } catch (InterruptedException e) {
      writer.shutdownNow();
      Thread.currentThread().interrupt();
    }
  }
}
