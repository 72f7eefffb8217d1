package dev.loadgen.local.faults;

import static org.assertj.core.api.Assertions.assertThat;

import dev.loadgen.api.v1alpha1.Reasons;
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
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
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
          Reasons.RUNNER_NOT_STARTED);

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
    each("operator", Patience.NONE, Set.of(Fate.values()));
  }

  /** As in a cluster: what the client asks again may have been done the first time. */
  @Test
  void theClientCopesWithEachFaultThatPasses() throws InterruptedException {
    each("client", Patience.USUAL, REPEATED);
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
    return at.isWrite() ? OF_WRITES : OF_READS;
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
