package dev.loadgen.runner;

import static org.assertj.core.api.Assertions.assertThat;

import dev.loadgen.contract.PlanBuilder;
import dev.loadgen.contract.RunPlan.CompletionData;
import dev.loadgen.contract.RunnerExit;
import dev.loadgen.contract.Verdict;
import dev.loadgen.results.report.StoredVerdict;
import dev.loadgen.rules.check.Finding;
import dev.loadgen.rules.log.DetailLog;
import dev.loadgen.rules.ruleset.Ruleset;
import dev.loadgen.runner.ForkedRunner.Ended;
import dev.loadgen.simulator.SimulatedEngine;
import dev.loadgen.simulator.Simulator;
import dev.loadgen.simulator.TokenRange;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Results volumes that are too small, fill up during the test, or take no more of a file. A volume
 * of a size is a tmpfs in a mount namespace of the runner's own, for which the tests need what the
 * Kubernetes of other tests needs: root, or user namespaces for everybody.
 */
@Timeout(300)
class FullDiskIT {
  private static final int SAMPLES = 200;

  private final Path folder;
  private final Path results;

  FullDiskIT(@TempDir Path folder) throws IOException {
    this.folder = folder;
    this.results = Files.createDirectories(folder.resolve("results"));
    ForkedRunner.prompts(folder, SAMPLES);
  }

  private static Simulator slow(int tokens) {
    return Servers.start(
        Servers.options(SimulatedEngine.VLLM)
            .ttft(Duration.ofMillis(50))
            .tpot(Duration.ZERO)
            .outputTokens(new TokenRange(tokens, tokens)));
  }

  /**
   * What gives a command a results volume.
   *
   * @param mebibytes its size
   * @param meanwhile a script that runs beside the command; it gives up as soon as that has ended
   */
  private static List<String> onVolume(int mebibytes, String meanwhile) {
    List<String> command = new ArrayList<>(List.of("unshare", "--mount"));
    if (!System.getProperty("user.name").equals("root")) {
      command.add("--map-root-user");
    }
    String script =
        "mount -t tmpfs -o size=%dm none results; { %s; } & exec \"$@\""
            .formatted(mebibytes, meanwhile);
    command.addAll(List.of("sh", "-e", "-c", script, "sh"));
    return command;
  }

  private Ended run(PlanBuilder plan, List<String> by) {
    try (ForkedRunner runner = ForkedRunner.start(folder, plan, by)) {
      return runner.await();
    }
  }

  @Test
  void tooLittleSpaceIsToldBeforeTheTest() {
    try (Simulator server = Servers.vllm()) {
      run(new PlanBuilder().replica(server.url()), onVolume(12, "true"))
          .refused(
              RunnerExit.RESULTS_VOLUME_TOO_SMALL,
              "results folder " + results.resolve("run/uid-1") + ": its volume has ",
              " of 12 MiB free",
              "the test needs about 20 MiB: 4 MiB for 64 samples",
              "16 MiB to spare",
              "spec.results.size");

      assertThat(server.counters().requests()).isZero();
    }
  }

  @Test
  void aSmallTestHasRoomOnASmallVolume() {
    try (Simulator server = Servers.vllm()) {
      Ended run = run(new PlanBuilder().replica(server.url()), onVolume(32, "true"));

      assertThat(run.exitCode()).as(run.output()).isZero();
      assertThat(run.terminationMessage().verdict())
          .isIn(Verdict.Valid, Verdict.Inconclusive); // on a busy machine
    }
  }

  /** What another run in the same claim does, for example. */
  enum Kind {
    PERFORMANCE,
    ACCURACY;

    PlanBuilder plan() {
      PlanBuilder plan = new PlanBuilder().offline(100_000);
      return this == ACCURACY ? plan.accuracy(CompletionData.TOKEN_IDS) : plan;
    }
  }

  @ParameterizedTest
  @EnumSource
  void aVolumeThatFillsUpEndsTheTest(Kind kind) {
    String fill =
        "until [ -s results/run/.uid-1.partial/mlperf_log_detail.txt ]; do"
            + " kill -0 $$ || exit; sleep 0.02; done;"
            + " cat /dev/zero >results/of-another-run || true";
    ForkedRunner.prompts(folder, 20_000); // so many that it is the full volume that ends the test
    try (Simulator server = slow(4)) {
      run(kind.plan().replica(server.url()), onVolume(64, fill))
          .refused(
              RunnerExit.RESULTS_NOT_WRITTEN,
              "results folder " + results.resolve("run/uid-1"),
              "its volume has 0 MiB of 64 MiB free",
              "spec.results.size");

      assertThat(server.counters().requests()).isLessThan(20_000);
    }
  }

  /** LoadGen does not notice, and everything else is written as ever. */
  @Test
  void aLogThatWasCutIsNoResult() throws Exception {
    int most = 500_000;
    try (Simulator server = slow(400);
        ForkedRunner runner =
            ForkedRunner.start(
                folder,
                new PlanBuilder()
                    .accuracy(CompletionData.TOKEN_IDS)
                    .maxNewTokens(400)
                    .replica(server.url()))) {
      runner.progress(); // LoadGen's library is unpacked by now
      assertThat(
              new ProcessBuilder("prlimit", "--pid=" + runner.process().pid(), "--fsize=" + most)
                  .inheritIO()
                  .start()
                  .waitFor())
          .isZero();
      Ended run = runner.await();

      assertThat(Files.size(run.results().resolve("mlperf_log_accuracy.json"))).isEqualTo(most);
      assertThat(DetailLog.read(run.results().resolve(DetailLog.FILE_NAME)).complete()).isTrue();
      run.failed(
          RunnerExit.RESULTS_NOT_WRITTEN,
          "results folder " + run.results(),
          "LoadGen's mlperf_log_accuracy.json ends in the middle, after " + most + " bytes",
          "its volume has ",
          "run the test again");
      assertThat(run.output()).doesNotContain("verdict: ");
      // Nor is it one to whoever judges what is there.
      assertThat(
              StoredVerdict.judge(
                      run.results(), run.plan(), run.summary().result(), Ruleset.named("none"))
                  .findings())
          .extracting(Finding::rule)
          .contains("LogIncomplete");
    }
  }
}
