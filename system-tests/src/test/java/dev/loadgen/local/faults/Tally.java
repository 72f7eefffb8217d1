package dev.loadgen.local.faults;

import dev.loadgen.local.faults.Trial.End;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.Semaphore;

/** Has many trials done, some at once, and counts how they ended. */
final class Tally {
  private final String title;
  private final Map<String, Line> lines = new TreeMap<>();
  private final ConcurrentLinkedQueue<String> wrongs = new ConcurrentLinkedQueue<>();

  /** How trials of a sort ended. */
  private static final class Line {
    int same;
    final Map<String, Integer> failed = new TreeMap<>();
    Duration longest = Duration.ZERO;
  }

  Tally(String title) {
    this.title = title;
  }

  /** Does all of them, so many at once; what they throw is a wrong. */
  void run(int atOnce, List<Callable<Void>> trials) throws InterruptedException {
    Semaphore places = new Semaphore(atOnce);
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      List<Future<Void>> all = new ArrayList<>();
      for (Callable<Void> trial : trials) {
        places.acquire();
        all.add(
            threads.submit(
                () -> {
                  try {
                    return trial.call();
                  } finally {
                    places.release();
                  }
                }));
      }
      for (Future<Void> one : all) {
        try {
          one.get();
        } catch (ExecutionException e) {
          wrong(String.valueOf(e.getCause()));
        }
      }
    }
  }

  /** Counts one that ended as without a fault. */
  synchronized void same(String sort, End end) {
    line(sort, end).same++;
  }

  /** Counts one whose run failed, as it should. */
  synchronized void failed(String sort, End end) {
    line(sort, end).failed.merge(end.failures().toString(), 1, Integer::sum);
  }

  private Line line(String sort, End end) {
    Line line = lines.computeIfAbsent(sort, made -> new Line());
    if (end.took().compareTo(line.longest) > 0) {
      line.longest = end.took();
    }
    return line;
  }

  /** Notes what should not be. */
  void wrong(String what) {
    wrongs.add(what);
  }

  /** What should not be. */
  List<String> wrongs() {
    return List.copyOf(wrongs);
  }

  /** A table of what was counted. */
  @Override
  public synchronized String toString() {
    StringBuilder text = new StringBuilder(title).append('\n');
    lines.forEach(
        (sort, line) ->
            text.append(
                "  %-24s %4d as without, longest %5.1f s, failed %s%n"
                    .formatted(sort, line.same, line.longest.toMillis() / 1e3, line.failed)));
    return text.toString();
  }
}
