package dev.loadgen.rules.check;

import dev.loadgen.rules.evidence.RunEvidence;
import dev.loadgen.rules.ruleset.Limits;
import dev.loadgen.rules.text.Wording;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Whether the client, and not the server, set the result. No ruleset of MLPerf asks this of a
 * client; the limits are our own, and all of them are here.
 *
 * <p>Two ideas give the numbers. Results are judged at the 99th percentile, so what happens in less
 * than one of a hundred cases does not move them. And two results that differ by less than a
 * twentieth are seldom told apart, so a twentieth is what the client may add to a limited latency
 * or take from a throughput.
 */
final class ClientRules {
  /** The share of the tightest limit that the client may add to a latency. */
  static final double LAG_SHARE = 0.05;

  /** The lag that is never held against a client: a few periods of an operating system's timer. */
  static final double LAG_FLOOR_MS = 5;

  /**
   * The lag that a client may have where there is no limit: a twentieth of a second, which is the
   * share of the latency of an answer that takes a second.
   */
  static final double LAG_WITHOUT_LIMIT_MS = 50;

  /**
   * Above this share of its processors the client's own work shows in what it measures: with nine
   * tenths in use, what arrives at random waits for nine others on average.
   */
  static final double CPU_SHARE = 0.9;

  /**
   * Above this share of its time an event loop has next to none to spare; the same as of
   * processors. It may not be reached in more than a twentieth of the test, since the loop, and not
   * the server, may have set the throughput meanwhile.
   */
  static final double BUSY_SHARE = 0.9;

  /**
   * The share that waiting for an event loop may have of the time that a request takes, on average.
   * As many requests are in flight in Offline as there may be, and each wait of one keeps its place
   * from the next, so that it takes as much from the throughput.
   */
  static final double LAG_OF_REQUEST_SHARE = 0.05;

  /** The average lag that is never held against a client: what it takes to wake a thread. */
  static final double MEAN_LAG_FLOOR_MS = 1;

  /** The share of the test that may go into garbage collection, which stops all threads. */
  static final double GC_SHARE = 0.05;

  /**
   * The share of periods with the CPU limit used up. Such a period, of 100 ms, stops all threads
   * until it ends, so that with more of them than one in a hundred they are in the 99th percentile.
   */
  static final double THROTTLED_SHARE = 0.01;

  /** The share of CPU time that a hypervisor may take. */
  static final double STEAL_SHARE = 0.05;

  /** The share of samples that may wait for a place among the requests in flight. */
  static final double WAITED_SHARE = 0.01;

  private static final String MORE_CPU =
      "give the runner more CPU in spec.runner.resources, or a node with nothing else to do";

  private ClientRules() {}

  static List<Finding> clientLimited(Subject test) {
    if (test.evidence().accuracy()) {
      return List.of();
    }
    Causes causes = new Causes();
    RunEvidence.Client client = test.evidence().client();
    if (!test.offline()) {
      latency(test, client, causes);
    }
    RunEvidence.Lanes lanes = client.lanes();
    if (lanes != null) {
      lanes(test, lanes, causes);
    }
    causes.share(
        client.cpuShare(), CPU_SHARE, "the runner used %s of its CPU, more than %s", MORE_CPU);
    causes.share(
        client.gcShare(),
        GC_SHARE,
        "the runner collected garbage for %s of the test, more than %s",
        "give the runner more memory in spec.runner.resources");
    causes.share(
        client.throttledShare(),
        THROTTLED_SHARE,
        "the runner had used up its CPU limit in %s of the scheduler's periods, more than %s",
        "raise limits.cpu in spec.runner.resources, or leave it unset");
    causes.share(
        client.stealShare(),
        STEAL_SHARE,
        "the hypervisor gave %s of the machine's CPU to others, more than %s",
        "run it on a machine that is not shared");
    if (client.exhausted() > 0) {
      causes.add(
          Wording.count(client.exhausted(), "sample", "samples")
              + " failed since the runner had no file descriptor or port left, 0 may",
          "raise the open-file limit of the runner's container, or lower"
              + " spec.client.maxConcurrency");
    }
    return causes.finding();
  }

  private static void latency(Subject test, RunEvidence.Client client, Causes causes) {
    double allowed = allowedLagMs(test.limits());
    Double issue = client.issueLagP99Ms();
    if (issue != null && test.evidence().openLoop() && issue > allowed) {
      causes.add(
          "requests left %s after LoadGen issued them (p99), more than %s"
              .formatted(Wording.ms(issue), Wording.ms(allowed)),
          MORE_CPU + ", or raise spec.client.maxConcurrency");
    }
    Double stamp = client.stampLagP99Ms();
    if (stamp != null && stamp > allowed) {
      causes.add(
          "the runner's threads ran %s late (p99), more than %s"
              .formatted(Wording.ms(stamp), Wording.ms(allowed)),
          MORE_CPU);
    }
    RunEvidence.Samples samples = test.evidence().samples();
    long issued = samples == null ? 0 : samples.issued();
    if (test.evidence().openLoop() && client.waitedAtCap() > WAITED_SHARE * issued) {
      causes.add(
          "%s of %s waited since the runner could hold no more requests in flight, more than %s"
              .formatted(
                  client.waitedAtCap(),
                  Wording.count(issued, "sample", "samples"),
                  percent(WAITED_SHARE)),
          "raise the open-file limit of the runner's container, or lower spec.load.targetQps to"
              + " what the servers can serve");
    }
  }

  private static void lanes(Subject test, RunEvidence.Lanes lanes, Causes causes) {
    full(lanes, causes);
    if (test.offline()) {
      late(lanes, causes);
      return;
    }
    double allowed = allowedLagMs(test.limits());
    lanes.all().stream()
        .max(Comparator.comparingDouble(RunEvidence.Lane::lagP99Ms))
        .filter(lane -> lane.lagP99Ms() > allowed)
        .ifPresent(
            lane ->
                causes.add(
                    "requests and answers waited %s for %s (p99), more than %s"
                        .formatted(Wording.ms(lane.lagP99Ms()), lane.name(), Wording.ms(allowed)),
                    MORE_CPU));
  }

  /** Event loops that had no time to spare. */
  private static void full(RunEvidence.Lanes lanes, Causes causes) {
    List<RunEvidence.Lane> full =
        lanes.all().stream()
            .filter(lane -> busy(lane) > BUSY_SHARE)
            .sorted(Comparator.comparingDouble(ClientRules::busy).reversed())
            .toList();
    if (full.isEmpty()) {
      return;
    }
    RunEvidence.Lane fullest = full.getFirst();
    int loops = lanes.all().size();
    causes.add(
        full.size()
            + " of "
            + Wording.count(loops, "event loop", "event loops")
            + " had no spare time: "
            + fullest.name()
            + " was busy for "
            + percent(busy(fullest))
            + " of its time or more in a twentieth of the test, more than "
            + percent(BUSY_SHARE),
        "raise cpu in spec.runner.resources: of "
            + Wording.count(lanes.processors(), "processor", "processors")
            + " the runner has "
            + Wording.count(loops, "event loop", "event loops")
            + ", and one more for each two more"
            + (lanes.processors() > loops
                ? "; or set more, up to one for each processor, by -Dloadgen.eventLoops in"
                    + " JAVA_TOOL_OPTIONS of spec.runner.podTemplate"
                : ""));
  }

  /** Whoever does not know how busy it was is not called busy. */
  private static double busy(RunEvidence.Lane lane) {
    Double share = lane.busyP95();
    return share == null ? 0 : share;
  }

  private static void late(RunEvidence.Lanes lanes, Causes causes) {
    Double request = lanes.requestMs();
    if (request == null) {
      return;
    }
    double allowed = Math.max(MEAN_LAG_FLOOR_MS, LAG_OF_REQUEST_SHARE * request);
    lanes.all().stream()
        .max(Comparator.comparingDouble(RunEvidence.Lane::lagMeanMs))
        .filter(lane -> lane.lagMeanMs() > allowed)
        .ifPresent(
            lane ->
                causes.add(
                    ("requests and answers waited %s for %s on average, more than %s, where an answer"
                            + " took %s")
                        .formatted(
                            Wording.ms(lane.lagMeanMs()),
                            lane.name(),
                            Wording.ms(allowed),
                            Wording.ms(request)),
                    MORE_CPU));
  }

  private static double allowedLagMs(Limits limits) {
    Double limit = limits.ttftMs() != null ? limits.ttftMs() : limits.latencyMs();
    return limit == null ? LAG_WITHOUT_LIMIT_MS : Math.max(LAG_FLOOR_MS, LAG_SHARE * limit);
  }

  private static String percent(double share) {
    return String.format(Locale.ROOT, "%.1f", 100 * share).replaceFirst("\\.0$", "") + " %";
  }

  /** What was found, and what to do about it; a fix that cures two causes is given once. */
  private static final class Causes {
    private final List<String> causes = new ArrayList<>();
    private final Set<String> fixes = new LinkedHashSet<>();

    void add(String cause, String fix) {
      causes.add(cause);
      fixes.add(fix);
    }

    void share(@Nullable Double share, double limit, String cause, String fix) {
      if (share != null && share > limit) {
        add(String.format(Locale.ROOT, cause, percent(share), percent(limit)), fix);
      }
    }

    List<Finding> finding() {
      if (causes.isEmpty()) {
        return List.of();
      }
      String fix = String.join("; ", fixes);
      return List.of(
          new Finding(
              "ClientLimited",
              "The client, not the server, may have set the result: "
                  + String.join("; ", causes)
                  + ".",
              Character.toUpperCase(fix.charAt(0)) + fix.substring(1) + "."));
    }
  }
}
