package dev.loadgen.reconcile.background;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.javaoperatorsdk.operator.processing.event.Event;
import io.javaoperatorsdk.operator.processing.event.ResourceID;
import io.javaoperatorsdk.operator.processing.event.source.AbstractEventSource;
import io.javaoperatorsdk.operator.processing.event.source.ResourceEventAware;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BiPredicate;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Answers of what may be slow or silent. A reconcile is given the last answer at once; where it is
 * old a new one is asked for on another thread, and one that differs wakes the object. An object's
 * answers are forgotten when it is deleted.
 *
 * @param <P> what is reconciled
 * @param <A> an answer, whose {@code equals} tells whether it is news
 */
public final class BackgroundAnswers<P extends HasMetadata, A> extends AbstractEventSource<Void, P>
    implements ResourceEventAware<P> {
  private static final Logger log = LoggerFactory.getLogger(BackgroundAnswers.class);

  /** A failure that is repeated is tried again after this time at the latest. */
  private static final Duration LONGEST_BACK_OFF = Duration.ofSeconds(60);

  /** After a first exception. */
  private static final Duration AFTER_FAULT = Duration.ofSeconds(1);

  private final FairExecutor executor;
  private final Clock clock;
  private final Predicate<A> good;
  private final BiPredicate<A, A> alike;
  private final Map<ResourceID, Map<String, Entry<A>>> entries = new ConcurrentHashMap<>();

  /**
   * An event source.
   *
   * @param name of no other event source of the controller
   * @param executor its tenants are namespaces
   * @param good which answers are no failure
   */
  public BackgroundAnswers(String name, FairExecutor executor, Clock clock, Predicate<A> good) {
    this(name, executor, clock, good, Object::equals);
  }

  /**
   * An event source.
   *
   * @param name of no other event source of the controller
   * @param executor its tenants are namespaces
   * @param good which answers are no failure
   * @param alike whether of two answers in a row the second is no news: the object is not woken,
   *     and has it when it is looked at next
   */
  public BackgroundAnswers(
      String name, FairExecutor executor, Clock clock, Predicate<A> good, BiPredicate<A, A> alike) {
    super(Void.class, name);
    this.executor = executor;
    this.clock = clock;
    this.good = good;
    this.alike = alike;
  }

  /**
   * An answer.
   *
   * @param asked when it was asked for
   * @param failures how many answers in a row, this one included, were no good ones
   */
  public record Answer<A>(A value, Instant asked, int failures) {
    /** A time that doubles with each failure, from {@code shortest} to a minute. */
    public Duration backOff(Duration shortest) {
      return doubled(shortest, failures);
    }
  }

  private static Duration doubled(Duration shortest, int times) {
    Duration doubled = shortest.multipliedBy(1L << Math.clamp(times - 1L, 0, 16));
    return doubled.compareTo(LONGEST_BACK_OFF) < 0 ? doubled : LONGEST_BACK_OFF;
  }

  /**
   * An exception instead of an answer.
   *
   * @param times how often in a row
   */
  private record Fault(Throwable thrown, Instant asked, int times) {
    boolean isOver(Instant now) {
      return !now.isBefore(asked.plus(doubled(AFTER_FAULT, times)));
    }

    boolean isNews(@Nullable Fault before) {
      return before == null || !before.thrown().toString().equals(thrown.toString());
    }
  }

  /** One thing that is asked for. Its own lock is held for moments only. */
  private static final class Entry<A> {
    private final Object question;
    private @Nullable Answer<A> last;
    private @Nullable Fault fault;
    private boolean asking;

    Entry(Object question) {
      this.question = question;
    }
  }

  /**
   * The last answer; empty until there is one. Asks again if it is older than {@code interval}
   * says, and where there is none.
   *
   * @param key of no other question about the object
   * @param question what is asked; answers to another one do not count
   * @param interval how long an answer is new enough
   * @param ask asks; may block, but not for ever
   */
  public Optional<Answer<A>> latest(
      P object,
      String key,
      Object question,
      Function<Answer<A>, Duration> interval,
      Supplier<A> ask) {
    ResourceID id = ResourceID.fromResource(object);
    Entry<A> entry =
        Objects.requireNonNull(
            entries
                .computeIfAbsent(id, i -> new ConcurrentHashMap<>())
                .compute(
                    key,
                    (k, there) ->
                        there != null && there.question.equals(question)
                            ? there
                            : new Entry<>(question)));
    synchronized (entry) {
      Instant now = clock.instant();
      Answer<A> last = entry.last;
      boolean old = last == null || !now.isBefore(last.asked().plus(interval.apply(last)));
      if (old && !entry.asking && (entry.fault == null || entry.fault.isOver(now))) {
        entry.asking = true;
        executor.execute(object.getMetadata().getNamespace(), () -> ask(id, entry, ask));
      }
      return Optional.ofNullable(last);
    }
  }

  private void ask(ResourceID id, Entry<A> entry, Supplier<A> ask) {
    @Nullable A answer = null;
    @Nullable Throwable thrown = null;
    Instant begun = clock.instant();
    try {
      answer = ask.get();
    } catch (RuntimeException | Error e) {
      log.error("no answer event-source={} object={}", name(), id, e);
      thrown = e;
    }
    boolean news;
    synchronized (entry) {
      entry.asking = false;
      Fault fault = entry.fault;
      if (answer == null) {
        Throwable why = thrown == null ? new NullPointerException("no answer") : thrown;
        Fault next = new Fault(why, begun, fault == null ? 1 : fault.times() + 1);
        entry.fault = next;
        news = next.isNews(fault);
      } else {
        Answer<A> before = entry.last;
        int failures = good.test(answer) ? 0 : before == null ? 1 : before.failures() + 1;
        entry.last = new Answer<>(answer, begun, failures);
        entry.fault = null;
        news = fault != null || before == null || !alike.test(before.value(), answer);
      }
    }
    if (news && isRunning()) {
      getEventHandler().handleEvent(new Event(id));
    }
  }

  /**
   * The exception that one of an object's questions ended with, when it was asked last; empty:
   * none. It is asked again after a time, and then wakes the object if it has an answer.
   */
  public Optional<Throwable> fault(P object) {
    Map<String, Entry<A>> of = entries.get(ResourceID.fromResource(object));
    if (of == null) {
      return Optional.empty();
    }
    for (Entry<A> entry : of.values()) {
      synchronized (entry) {
        if (entry.fault != null) {
          return Optional.of(entry.fault.thrown());
        }
      }
    }
    return Optional.empty();
  }

  /**
   * How long the answer to a question is new enough; zero: a new one is due. Empty where it is
   * being asked for, or has never been.
   */
  public Optional<Duration> untilOld(P object, String key, Function<Answer<A>, Duration> interval) {
    Map<String, Entry<A>> of = entries.get(ResourceID.fromResource(object));
    Entry<A> entry = of == null ? null : of.get(key);
    if (entry == null) {
      return Optional.empty();
    }
    synchronized (entry) {
      Answer<A> last = entry.last;
      if (last == null || entry.asking) {
        return Optional.empty();
      }
      Duration left = Duration.between(clock.instant(), last.asked().plus(interval.apply(last)));
      return Optional.of(left.isNegative() ? Duration.ZERO : left);
    }
  }

  /** Forgets all that was asked about an object but for what has these keys. */
  public void keepOnly(P object, Set<String> keys) {
    Map<String, Entry<A>> of = entries.get(ResourceID.fromResource(object));
    if (of != null) {
      of.keySet().retainAll(keys);
    }
  }

  @Override
  public void onResourceDeleted(P object) {
    entries.remove(ResourceID.fromResource(object));
  }

  /** None: answers are asked for by {@link #latest}. */
  @Override
  public Set<Void> getSecondaryResources(P object) {
    return Set.of();
  }
}
