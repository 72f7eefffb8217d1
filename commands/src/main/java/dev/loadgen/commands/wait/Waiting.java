package dev.loadgen.commands.wait;

import dev.loadgen.api.v1alpha1.Phase;
import dev.loadgen.commands.console.Display;
import dev.loadgen.commands.console.ReadableNumbers;
import dev.loadgen.commands.console.ResultTable;
import dev.loadgen.commands.console.RunView;
import dev.loadgen.commands.wait.UnansweredException.Why;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Waits until runs have ended. They are read anew each time, so that nothing is missed while the
 * API server is away, and one run that is read wrongly is read again.
 */
final class Waiting {
  /** Bad arguments, no cluster, or no right to read. */
  static final int UNUSABLE = 2;

  /** As often as the kubelet looks at a pod that it starts; a request takes milliseconds. */
  private static final Duration INTERVAL = Duration.ofSeconds(2);

  /**
   * How long a server may not answer that has never answered: a pod with few resources on a busy
   * node needs longer than a request may take to make its first connection.
   */
  private static final Duration UNTIL_FIRST_ANSWER = Duration.ofMinutes(1);

  /** How long a server may refuse what it has granted before: it may just have restarted. */
  private static final Duration REFUSED = Duration.ofMinutes(1);

  private final RunReader reader;
  private final Time time;
  private final Display display;
  private final PrintWriter out;
  private final PrintWriter err;
  private @Nullable Duration refusedSince;
  private boolean unanswered;

  Waiting(RunReader reader, Time time, boolean terminal, PrintWriter out, PrintWriter err) {
    this.reader = reader;
    this.time = time;
    this.display = new Display(out, terminal);
    this.out = out;
    this.err = err;
  }

  private static final class Awaited {
    private final String name;
    private RunView last;
    private @Nullable Outcome outcome;
    private boolean deleted;
    private boolean toldSuspended;

    private Awaited(RunView first) {
      this.name = first.name();
      this.last = first;
    }

    private boolean ended() {
      return outcome != null;
    }
  }

  /**
   * Waits for all of them.
   *
   * @return the exit code
   */
  int run(List<String> names, Duration timeout) throws InterruptedException {
    Duration patience = timeout.compareTo(UNTIL_FIRST_ANSWER) < 0 ? timeout : UNTIL_FIRST_ANSWER;
    List<Awaited> runs = first(names, patience);
    if (runs.isEmpty()) {
      return UNUSABLE;
    }
    out.printf(
        "waiting for %s in namespace %s of %s, for %s at most%n",
        String.join(", ", names),
        reader.namespace(),
        reader.server(),
        ReadableNumbers.duration(timeout));
    runs.forEach(run -> seen(run, Optional.of(run.last)));
    show(runs);
    while (!runs.stream().allMatch(Awaited::ended)) {
      Duration left = timeout.minus(time.elapsed());
      if (!left.isPositive()) {
        return end(runs, timeout);
      }
      time.pause(left.compareTo(INTERVAL) < 0 ? left : INTERVAL);
      if (!look(runs)) {
        return UNUSABLE;
      }
      show(runs);
    }
    return end(runs, timeout);
  }

  /** The runs as they are; empty, with all problems told, if one of them cannot be waited for. */
  private List<Awaited> first(List<String> names, Duration patience) throws InterruptedException {
    List<Awaited> runs = new ArrayList<>();
    List<String> missing = new ArrayList<>();
    for (String name : names) {
      try {
        Optional<RunView> found = firstAnswer(name, patience);
        if (found.isPresent()) {
          runs.add(new Awaited(found.get()));
        } else {
          missing.add(name);
        }
      } catch (UnansweredException e) {
        complain(String.valueOf(e.getMessage()));
        return List.of();
      }
    }
    for (String name : missing) {
      complain(
          ("there is no BenchmarkRun %s in namespace %s of %s; apply it first, or name its"
                  + " namespace by -n")
              .formatted(name, reader.namespace(), reader.server()));
    }
    return missing.isEmpty() ? runs : List.of();
  }

  private Optional<RunView> firstAnswer(String name, Duration patience)
      throws UnansweredException, InterruptedException {
    while (true) {
      try {
        Optional<RunView> found = reader.read(name);
        answered();
        return found;
      } catch (UnansweredException e) {
        if (e.why() != Why.NO_ANSWER || time.elapsed().compareTo(patience) >= 0) {
          throw e;
        }
        triedAgain(e);
        time.pause(INTERVAL);
      }
    }
  }

  /** Reads what has not ended; false: there is no use in going on. */
  private boolean look(List<Awaited> runs) throws InterruptedException {
    for (Awaited run : runs) {
      if (run.ended()) {
        continue;
      }
      try {
        seen(run, reader.read(run.name));
        answered();
      } catch (UnansweredException e) {
        return unanswered(e);
      }
    }
    return true;
  }

  private void answered() {
    refusedSince = null;
    if (unanswered) {
      unanswered = false;
      complain("the API server " + reader.server() + " answers again");
    }
  }

  private boolean unanswered(UnansweredException e) {
    Duration now = time.elapsed();
    if (e.why() != Why.REFUSED) {
      refusedSince = null;
    } else if (refusedSince == null) {
      refusedSince = now;
    } else if (now.minus(refusedSince).compareTo(REFUSED) >= 0) {
      complain(String.valueOf(e.getMessage()));
      return false;
    }
    triedAgain(e);
    return true;
  }

  /** Tells it once, until there is an answer. */
  private void triedAgain(UnansweredException e) {
    if (!unanswered) {
      unanswered = true;
      complain(e.getMessage() + "; trying again");
    }
  }

  private void seen(Awaited run, Optional<RunView> found) {
    if (found.isEmpty() || !found.get().uid().equals(run.last.uid())) {
      run.outcome = Outcome.NOT_VALID;
      run.deleted = true;
      complain(
          "run "
              + run.name
              + " was deleted before it had ended, and has no verdict"
              + (found.isEmpty() ? "" : "; a new run has its name now, and is not waited for"));
      return;
    }
    run.last = found.get();
    run.outcome = Outcome.of(run.last).orElse(null);
    boolean suspended = run.last.phase() == Phase.Suspended && !run.ended();
    if (suspended && !run.toldSuspended) {
      display.done();
      out.println(
          "run "
              + run.name
              + " is suspended; still waiting. To resume it: kubectl patch"
              + " benchmarkrun/"
              + run.name
              + " -n "
              + reader.namespace()
              + " --type=merge -p '{\"spec\":{\"suspend\":false}}'");
      out.flush();
    }
    run.toldSuspended = suspended;
  }

  private void show(List<Awaited> runs) {
    display.show(
        List.of(),
        runs.stream().filter(run -> !run.deleted).map(run -> run.last).toList(),
        time.elapsed());
  }

  private int end(List<Awaited> runs, Duration timeout) {
    display.done();
    List<RunView> ended =
        runs.stream().filter(run -> run.ended() && !run.deleted).map(run -> run.last).toList();
    if (!ended.isEmpty()) {
      out.println();
      ResultTable.print(out, ended, Waiting::report);
    }
    List<Awaited> unfinished = runs.stream().filter(run -> !run.ended()).toList();
    if (!unfinished.isEmpty()) {
      complain(
          "--timeout of "
              + ReadableNumbers.duration(timeout)
              + " passed, and these runs have not ended; they go on: "
              + unfinished.stream()
                  .map(run -> run.name + " (" + Objects.requireNonNullElse(phase(run), "?") + ")")
                  .collect(Collectors.joining(", ")));
    }
    return Outcome.worst(
            runs.stream()
                .map(run -> Objects.requireNonNullElse(run.outcome, Outcome.UNFINISHED))
                .toList())
        .exitCode();
  }

  private static @Nullable String phase(Awaited run) {
    return run.last.phase() == null ? "Pending" : run.last.phase().name();
  }

  private static Optional<String> report(RunView run) {
    return run.resultsPath() == null
        ? Optional.empty()
        : Optional.of(
            run.resultsPath()
                + "/report.html"
                + (run.resultsClaim() == null ? "" : " in claim " + run.resultsClaim()));
  }

  private void complain(String message) {
    display.done();
    out.flush();
    err.println("loadgen: " + message);
    err.flush();
  }
}
