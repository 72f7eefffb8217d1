package dev.loadgen.reconcile.pass;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * What a pass does once it is decided, in this order. A status that says what is done comes before
 * what cannot be undone: after a crash in between, the next pass goes on from there.
 *
 * @param <E> what can be done beside the status
 * @param <S> the status of the object
 * @param effects what is done before the status is written
 * @param status what is written; null: nothing is known that could be
 * @param onceStored what is done if the object has the status by now
 * @param afterwards what is done in any case, even where Kubernetes takes no status
 * @param logLine what is logged of the status that was written; empty: nothing
 * @param lookAgainAfter when to look again without an event; empty: never
 */
public record Steps<E, S>(
    List<E> effects,
    @Nullable S status,
    List<E> onceStored,
    List<E> afterwards,
    Function<S, Optional<LogLine>> logLine,
    Optional<Duration> lookAgainAfter) {
  /** Nothing but a status. */
  public static <E, S> Steps<E, S> of(@Nullable S status) {
    return new Steps<>(
        List.of(), status, List.of(), List.of(), stored -> Optional.empty(), Optional.empty());
  }

  /** The same, with more to do before the status is written. */
  public Steps<E, S> doing(List<? extends E> more) {
    return new Steps<>(
        Stream.<E>concat(effects.stream(), more.stream()).toList(),
        status,
        onceStored,
        afterwards,
        logLine,
        lookAgainAfter);
  }

  /** The same, with something to do before the status is written. */
  public Steps<E, S> doing(E more) {
    return doing(List.of(more));
  }

  /** The same, with what is done if the object has the status. */
  public Steps<E, S> onceStored(List<E> then) {
    return new Steps<>(effects, status, then, afterwards, logLine, lookAgainAfter);
  }

  /** The same, with what is done after the status in any case. */
  public Steps<E, S> afterwards(List<E> then) {
    return new Steps<>(effects, status, onceStored, then, logLine, lookAgainAfter);
  }

  /** The same, which logs a line. */
  public Steps<E, S> logging(LogLine line) {
    return logging(stored -> line);
  }

  /** The same, which logs a line about the status. */
  public Steps<E, S> logging(Function<S, LogLine> line) {
    return new Steps<>(
        effects,
        status,
        onceStored,
        afterwards,
        stored -> Optional.of(line.apply(stored)),
        lookAgainAfter);
  }

  /** The same, with another look after a time. */
  public Steps<E, S> lookingAgainAfter(Duration time) {
    return lookingAgainAfter(Optional.of(time));
  }

  /** The same, with another look after a time, or never. */
  public Steps<E, S> lookingAgainAfter(Optional<Duration> time) {
    return new Steps<>(effects, status, onceStored, afterwards, logLine, time);
  }
}
