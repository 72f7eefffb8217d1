package dev.loadgen.local.faults;

import static org.assertj.core.api.Assertions.assertThat;

import dev.loadgen.contract.Reasons;
import dev.loadgen.local.faults.OperatorLife.Patience;
import dev.loadgen.local.faults.Trial.Course;
import dev.loadgen.local.faults.Trial.End;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Each call that an operator makes for a run, from apply to give-back, fails once in each way.
 * Every run has a namespace of its own, and one call of it fails.
 */
@Order(1)
class ApiFaultsIT {
  private static final int AT_ONCE = 12;

  /** Of so many trials, one is done; {@code -Dloadgen.faults.every=1} does all. */
  private static final int EVERY = Integer.getInteger("loadgen.faults.every", 11);

  /** Runs without a fault, which tell what calls there are: not each of them is always made. */
  private static final int WITHOUT = 4;

  private static final List<Fate> OF_READS =
      List.of(
          Fate.CONFLICT,
          Fate.GONE,
          Fate.INVALID,
          Fate.TOO_MANY_REQUESTS,
          Fate.INTERNAL_ERROR,
          Fate.SLOW,
          Fate.CUT_BEFORE);

  private static final List<Fate> OF_WRITES =
      Stream.concat(OF_READS.stream(), Stream.of(Fate.CUT_AFTER, Fate.LATE)).toList();

  private static final List<Fate> OF_WATCHES = List.of(Fate.CUT_WATCHES, Fate.EXPIRE_WATCHES);

  /** What becomes of the request by which a watch begins. */
  private static final List<Fate> OF_REQUESTS_TO_WATCH =
      List.of(
          Fate.GONE,
          Fate.TOO_MANY_REQUESTS,
          Fate.INTERNAL_ERROR,
          Fate.SLOW,
          Fate.CUT_BEFORE,
          Fate.EXPIRE_WATCHES);

  /** What the client meets by asking again. */
  private static final Set<Fate> REPEATED =
      Set.of(
          Fate.TOO_MANY_REQUESTS, Fate.INTERNAL_ERROR, Fate.CUT_BEFORE, Fate.CUT_AFTER, Fate.LATE);

  /** What a refusal of a write makes of the run; of others, it is tried again. */
  private static final Map<String, String> REFUSED =
      Map.of(
          "create inferencebackends",
          Reasons.INVALID_SPEC,
          "get statefulsets/run",
          Reasons.BACKEND_FAILED,
          "patch statefulsets/run",
          Reasons.BACKEND_FAILED,
          "get services/run",
          Reasons.BACKEND_FAILED,
          "patch services/run",
          Reasons.BACKEND_FAILED,
          "create poddisruptionbudgets",
          Reasons.RUNNER_NOT_STARTED,
          "create configmaps",
          Reasons.RUNNER_NOT_STARTED,
          "create persistentvolumeclaims",
          Reasons.RUNNER_NOT_STARTED,
          "create jobs",
          Reasons.RUNNER_NOT_STARTED,
          "patch benchmarkruns/run/status",
          Reasons.STATUS_REFUSED);

  private ScriptedCluster cluster;

  @BeforeEach
  void start(@TempDir Path folder) throws IOException {
    cluster = ScriptedCluster.start(folder, Trial::work);
  }

  @AfterEach
  void stop() {
    cluster.close();
  }

  /** The client gives up at once, so that each fault gets to the operator. */
  @Test
  void theOperatorCopesWithEachFaultOfEachCall() throws InterruptedException {
    each("operator", Patience.NONE, Set.copyOf(OF_WRITES));
  }

  /** As in a cluster: what the client asks again may have been done the first time. */
  @Test
  void theClientCopesWithEachFaultThatPasses() throws InterruptedException {
    each("client", Patience.USUAL, REPEATED);
  }

  /**
   * All watches end as a proxy ends them, or by 410 as those of a version that was compacted, just
   * before a write: what others do meanwhile is missed, unless it is listed again.
   */
  @Test
  void theOperatorCopesWithWatchesThatEndAtAnyWrite() throws InterruptedException {
    each("watches", Patience.USUAL, Set.copyOf(OF_WATCHES));
  }

  /** The request fails by which a watch begins, as the operator starts. */
  @Test
  void theOperatorCopesWithWatchesThatDoNotBegin() throws InterruptedException {
    Set<Occurrence> watches = ConcurrentHashMap.newKeySet();
    String first = Trial.namespace(Course.WHOLE, "without");
    Occurrence.Counter counter = new Occurrence.Counter();
    End usual;
    try (OperatorLife _ =
        OperatorLife.start(
            cluster,
            Set.of(first),
            Patience.USUAL,
            call -> {
              if (call.isWatch()) {
                watches.add(counter.next(call));
              }
              return Fate.PASS;
            })) {
      usual = new Trial(cluster, first, Course.WHOLE).go();
    }
    Tally tally = new Tally("watches that do not begin");
    AtomicInteger restarts = new AtomicInteger();
    List<Callable<Void>> trials = new ArrayList<>();
    int number = 0;
    for (Occurrence watch : new TreeSet<>(watches)) {
      for (Fate fate : OF_REQUESTS_TO_WATCH) {
        if (isChosen(number++)) {
          Case one = new Case(watch, fate, new AtomicBoolean());
          String namespace = Trial.namespace(Course.WHOLE, "watch" + number);
          trials.add(
              () -> {
                withAWatchThatFails(one, namespace, usual, tally, restarts);
                return null;
              });
        }
      }
    }
    tally.run(AT_ONCE, trials);
    System.out.printf("%s  %d operators had to start again%n", tally, restarts.get());

    assertThat(tally.wrongs()).isEmpty();
    assertThat(watches).hasSizeGreaterThan(5);
    assertThat(trials).isNotEmpty();
  }

  private void withAWatchThatFails(
      Case one, String namespace, End usual, Tally tally, AtomicInteger restarts)
      throws InterruptedException {
    Occurrence.Counter counter = new Occurrence.Counter();
    Line.Script script =
        call ->
            call.isWatch()
                    && counter.next(call).equals(one.at())
                    && one.struck().compareAndSet(false, true)
                ? one.fate()
                : Fate.PASS;
    try (OperatorLife _ = started(namespace, script, restarts)) {
      judge(one, usual, new Trial(cluster, namespace, Course.WHOLE), tally);
      assertThat(one.struck()).as("%s", one).isTrue();
    }
  }

  /** An operator that cannot start ends, and its pod starts it again. */
  private OperatorLife started(String namespace, Line.Script script, AtomicInteger restarts) {
    try {
      return OperatorLife.start(cluster, Set.of(namespace), Patience.USUAL, script);
    } catch (CompletionException e) {
      restarts.incrementAndGet();
      return OperatorLife.start(cluster, Set.of(namespace), Patience.USUAL, script);
    }
  }

  private void each(String who, Patience patience, Set<Fate> fates) throws InterruptedException {
    Cases cases = new Cases();
    try (OperatorLife _ = OperatorLife.start(cluster, Set.of(), patience, cases)) {
      End usual = cases.without();
      Tally tally = new Tally(who);
      List<Callable<Void>> trials = new ArrayList<>();
      List<Case> all = new ArrayList<>();
      int number = 0;
      for (Occurrence at : cases.seen()) {
        for (Fate fate : fates(at)) {
          if (fates.contains(fate) && isChosen(number++)) {
            Case one = new Case(at, fate, new AtomicBoolean());
            all.add(one);
            String namespace = Trial.namespace(Course.WHOLE, who + all.size());
            trials.add(
                () -> {
                  cases.add(namespace, one);
                  judge(one, usual, new Trial(cluster, namespace, Course.WHOLE), tally);
                  return null;
                });
          }
        }
      }
      tally.run(AT_ONCE, trials);
      System.out.println(tally);
      List<Case> missed = all.stream().filter(one -> !one.struck().get()).toList();
      System.out.printf(
          "%d calls, %d of them writes; %d runs, %d without a fault: %s%n",
          cases.seen().size(),
          cases.seen().stream().filter(Occurrence::isWrite).count(),
          all.size(),
          missed.size(),
          missed);
      System.out.println(cases.seen());

      assertThat(tally.wrongs()).isEmpty();
      // How often something is looked at differs from run to run, but each call is made once.
      assertThat(missed).noneMatch(one -> one.at().number() == 1 && cases.always(one.at()));
    }
  }

  /** Whether a trial of so many is done by this build. */
  static boolean isChosen(int number) {
    return number % EVERY == 0;
  }

  private static List<Fate> fates(Occurrence at) {
    return at.isWrite()
        ? Stream.concat(OF_WRITES.stream(), OF_WATCHES.stream()).toList()
        : OF_READS;
  }

  private static void judge(Case one, End usual, Trial trial, Tally tally)
      throws InterruptedException {
    End end;
    try {
      end = trial.go();
    } catch (AssertionError | RuntimeException e) {
      throw new AssertionError(one.toString(), e);
    }
    Optional<String> refusal = one.refusal();
    if (end.isLike(usual)) {
      tally.same(one.fate().name(), end);
    } else if (refusal.isPresent() && end.failures().containsValue(refusal.get())) {
      tally.failed(one.fate().name(), end);
    } else {
      tally.wrong(one + ": " + end.differenceFrom(usual));
    }
  }

  /** A call that fails, and how. */
  private record Case(Occurrence at, Fate fate, AtomicBoolean struck) {
    /** Why the run fails, where it may; empty: it must not. */
    Optional<String> refusal() {
      return fate == Fate.INVALID ? Optional.ofNullable(REFUSED.get(at.call())) : Optional.empty();
    }

    @Override
    public String toString() {
      return fate + " at " + at;
    }
  }

  /** Which call of which namespace fails, and what calls there are. */
  private final class Cases implements Line.Script {
    private final Occurrence.Counter counter = new Occurrence.Counter();
    private final Map<String, Case> cases = new ConcurrentHashMap<>();
    private final Map<String, Set<Occurrence>> without = new ConcurrentHashMap<>();

    void add(String namespace, Case one) {
      cases.put(namespace, one);
    }

    @Override
    public Fate fateOf(ApiCall call) {
      if (call.namespace().isEmpty()) {
        return Fate.PASS;
      }
      Occurrence now = counter.next(call);
      Case one = cases.get(call.namespace());
      if (one == null) {
        without.computeIfAbsent(call.namespace(), made -> ConcurrentHashMap.newKeySet()).add(now);
        return Fate.PASS;
      }
      return now.equals(one.at()) && one.struck().compareAndSet(false, true)
          ? one.fate()
          : Fate.PASS;
    }

    /** How a run ends without a fault. */
    End without() throws InterruptedException {
      AtomicReference<@Nullable End> first = new AtomicReference<>();
      Tally tally = new Tally("without faults");
      List<Callable<Void>> trials = new ArrayList<>();
      for (int i = 0; i < WITHOUT; i++) {
        Trial trial =
            new Trial(cluster, Trial.namespace(Course.WHOLE, "without" + i), Course.WHOLE);
        trials.add(
            () -> {
              End end = trial.go();
              End usual =
                  first.compareAndSet(null, end) ? end : Objects.requireNonNull(first.get());
              assertThat(end.failures()).isEmpty();
              assertThat(end.missingLogs()).isEmpty();
              assertThat(end.isLike(usual)).as(end.differenceFrom(usual)).isTrue();
              tally.same("", end);
              return null;
            });
      }
      tally.run(1, trials);
      assertThat(tally.wrongs()).isEmpty();
      System.out.println(first.get());
      return Objects.requireNonNull(first.get());
    }

    /** All calls that a run has made without a fault. */
    Set<Occurrence> seen() {
      Set<Occurrence> all = new TreeSet<>();
      without.values().forEach(all::addAll);
      return all;
    }

    /** Whether every run makes a call. */
    boolean always(Occurrence call) {
      return without.values().stream().allMatch(calls -> calls.contains(call));
    }
  }
}
