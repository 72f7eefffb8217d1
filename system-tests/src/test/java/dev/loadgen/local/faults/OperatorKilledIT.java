package dev.loadgen.local.faults;

import static org.assertj.core.api.Assertions.assertThat;

import dev.loadgen.local.faults.OperatorLife.Patience;
import dev.loadgen.local.faults.Trial.Course;
import dev.loadgen.local.faults.Trial.End;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Operators that end at the worst moments, as by SIGKILL: from one moment on nothing of them
 * reaches the API server, and another operator takes over. They are of this JVM, which costs a
 * tenth of a process; {@link SigkillIT} kills processes.
 */
@Order(1)
class OperatorKilledIT {
  /** A run in a namespace of its own, with an operator of its own: so many at once. */
  private static final int AT_ONCE = 8;

  /** So many times at random; {@code -Dloadgen.kills.random=1000} for more. */
  private static final int RANDOM_KILLS = Integer.getInteger("loadgen.kills.random", 24);

  /** In one run at most, so that it ends. */
  private static final int OF_ONE_RUN = 8;

  /** Longer than most runs take from apply to give-back. */
  private static final Duration LONGEST_LIFE = Duration.ofSeconds(2);

  private ScriptedCluster cluster;

  @BeforeEach
  void start(@TempDir Path folder) throws IOException {
    cluster = ScriptedCluster.start(folder, Trial::work);
  }

  @AfterEach
  void stop() {
    cluster.close();
  }

  @Test
  void beforeAndAfterEachWriteOfARun() throws InterruptedException {
    aroundEachWrite(Course.WHOLE);
  }

  @Test
  void beforeAndAfterEachWriteOfARunThatIsSuspendedAndResumed() throws InterruptedException {
    aroundEachWrite(Course.SUSPENDED);
  }

  @Test
  void atRandomTimesOverManyRuns() throws InterruptedException {
    long seed = Long.getLong("loadgen.kills.seed", System.nanoTime());
    List<Course> courses = List.of(Course.values());
    Map<Course, End> usual = new EnumMap<>(Course.class);
    for (Course course : courses) {
      String namespace = Trial.namespace(course, "without");
      try (OperatorLife _ =
          OperatorLife.start(cluster, Set.of(namespace), Patience.USUAL, call -> Fate.PASS)) {
        usual.put(course, new Trial(cluster, namespace, course).go());
      }
    }
    Tally tally = new Tally("operator killed at random times, seed " + seed);
    AtomicInteger kills = new AtomicInteger();
    AtomicInteger runs = new AtomicInteger();
    Callable<Void> manyRuns =
        () -> {
          while (kills.get() < RANDOM_KILLS) {
            int number = runs.getAndIncrement();
            Course course = courses.get(number % courses.size());
            atRandomTimes(
                course,
                number,
                seed + number,
                Objects.requireNonNull(usual.get(course)),
                kills,
                tally);
          }
          return null;
        };
    tally.run(AT_ONCE, Collections.nCopies(AT_ONCE, manyRuns));
    System.out.printf("%s  %d kills, %d runs%n", tally, kills.get(), runs.get());

    assertThat(tally.wrongs()).isEmpty();
    assertThat(kills).hasValueGreaterThanOrEqualTo(RANDOM_KILLS);
  }

  private void atRandomTimes(
      Course course, int number, long seed, End usual, AtomicInteger kills, Tally tally)
      throws InterruptedException {
    String namespace = Trial.namespace(course, "random" + number);
    try (ShortLives _ = new ShortLives(namespace, new SplittableRandom(seed), kills)) {
      End end = new Trial(cluster, namespace, course).go();
      if (end.isLike(usual)) {
        tally.same(course.name(), end);
      } else {
        tally.wrong(namespace + ": " + end.differenceFrom(usual));
      }
    } catch (AssertionError | RuntimeException e) {
      tally.wrong(namespace + ": " + e);
    }
  }

  private void aroundEachWrite(Course course) throws InterruptedException {
    Set<Occurrence> writes = ConcurrentHashMap.newKeySet();
    String first = Trial.namespace(course, "without");
    Occurrence.Counter counter = new Occurrence.Counter();
    End usual;
    try (OperatorLife _ =
        OperatorLife.start(
            cluster,
            Set.of(first),
            Patience.USUAL,
            call -> {
              if (call.isWrite()) {
                writes.add(counter.next(call));
              }
              return Fate.PASS;
            })) {
      usual = new Trial(cluster, first, course).go();
    }
    assertThat(usual.failures()).isEmpty();
    Tally tally = new Tally("operator killed around each write, " + course);
    List<Callable<Void>> trials = new ArrayList<>();
    int number = 0;
    for (Occurrence write : new TreeSet<>(writes)) {
      for (Fate fate : List.of(Fate.KILL_BEFORE, Fate.KILL_AFTER)) {
        if (!ApiFaultsIT.isChosen(number++)) {
          continue;
        }
        String namespace = Trial.namespace(course, "killed" + trials.size());
        trials.add(
            () -> {
              aroundOneWrite(course, namespace, write, fate, usual, tally);
              return null;
            });
      }
    }
    tally.run(AT_ONCE, trials);
    System.out.println(tally);

    assertThat(tally.wrongs()).isEmpty();
    assertThat(writes).hasSizeGreaterThan(10);
    assertThat(trials).isNotEmpty();
  }

  private void aroundOneWrite(
      Course course, String namespace, Occurrence write, Fate fate, End usual, Tally tally)
      throws InterruptedException {
    Occurrence.Counter counter = new Occurrence.Counter();
    AtomicBoolean struck = new AtomicBoolean();
    Line.Script script =
        call ->
            call.isWrite() && counter.next(call).equals(write) && struck.compareAndSet(false, true)
                ? fate
                : Fate.PASS;
    OperatorLife first = OperatorLife.start(cluster, Set.of(namespace), Patience.USUAL, script);
    try (Successor _ = new Successor(first, namespace)) {
      End end = new Trial(cluster, namespace, course).go();
      if (end.isLike(usual)) {
        tally.same(fate.name(), end);
      } else {
        tally.wrong(fate + " at " + write + ": " + end.differenceFrom(usual));
      }
    } catch (AssertionError | RuntimeException e) {
      throw new AssertionError(fate + " at " + write, e);
    }
  }

  /** Operators of one namespace, one after the other, all but the last killed. */
  private final class ShortLives implements AutoCloseable {
    private final String namespace;
    private final SplittableRandom random;
    private final AtomicInteger kills;
    private final CountDownLatch closed = new CountDownLatch(1);
    private final Thread thread;

    ShortLives(String namespace, SplittableRandom random, AtomicInteger kills) {
      this.namespace = namespace;
      this.random = random;
      this.kills = kills;
      this.thread = Thread.ofVirtual().start(this::live);
    }

    private void live() {
      OperatorLife life = begin();
      try {
        for (int left = OF_ONE_RUN; left > 0; left--) {
          if (closed.await(random.nextLong(LONGEST_LIFE.toMillis()), TimeUnit.MILLISECONDS)) {
            break;
          }
          life.kill();
          kills.incrementAndGet();
          life = begin();
        }
        closed.await();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      } finally {
        life.close();
      }
    }

    private OperatorLife begin() {
      return OperatorLife.begin(cluster, Set.of(namespace), Patience.USUAL, call -> Fate.PASS);
    }

    @Override
    public void close() {
      closed.countDown();
      try {
        thread.join();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }
  }

  /** The operator that comes when one is killed, if it is. */
  private final class Successor implements AutoCloseable {
    private final OperatorLife first;
    private final AtomicInteger state = new AtomicInteger();
    private volatile @Nullable OperatorLife next;

    Successor(OperatorLife first, String namespace) {
      this.first = first;
      first
          .line()
          .whenCut(
              () -> {
                if (state.compareAndSet(0, 1)) {
                  next =
                      OperatorLife.begin(
                          cluster, Set.of(namespace), Patience.USUAL, call -> Fate.PASS);
                }
              });
    }

    @Override
    public void close() {
      state.set(1);
      first.close();
      OperatorLife made = next;
      if (made != null) {
        made.close();
      }
    }
  }
}
