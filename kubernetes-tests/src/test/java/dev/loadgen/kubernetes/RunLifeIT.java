package dev.loadgen.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.loadgen.api.v1alpha1.BenchmarkRun;
import dev.loadgen.api.v1alpha1.Phase;
import dev.loadgen.contract.Verdict;
import io.fabric8.kubernetes.api.model.batch.v1.Job;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.stream.Stream;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;

/** Suspending, resuming and running again on a real API server, as docs/runs.md has it. */
@Order(4)
class RunLifeIT extends LocalNodeTest {
  @Test
  void everyCommandOfThePageDoesWhatItSays() throws IOException, InterruptedException {
    List<String> commands =
        Files.readAllLines(Programs.REPOSITORY.resolve("docs/runs.md")).stream()
            .filter(line -> line.startsWith("    kubectl "))
            .map(String::strip)
            .toList();
    try (OperatorProcess operator = bench().operator()) {
      bench().server("--ttft=200ms", "--max-num-seqs=2"); // 64 samples take about 6 s
      bench().run("nightly");
      bench().await("nightly", BenchmarkNamespace::measures);

      String shown = "";
      @Nullable CompletableFuture<Programs.Answer> waits = null;
      for (String command : commands) {
        String output = shell(command.replace("NAME", "nightly"));
        shown = command.contains("{.status.epoch} ") ? output : shown;
        if (command.startsWith("kubectl annotate ")) {
          waits = waitsAsThePageSays("nightly");
        }
      }

      BenchmarkRun run = bench().get("nightly");
      Verdict verdict = run.getStatus().verdict();
      assertThat(Objects.requireNonNull(waits).join())
          .returns(
              verdict == Verdict.Valid ? 0 : verdict == Verdict.Invalid ? 1 : 4,
              Programs.Answer::exitCode)
          .extracting(Programs.Answer::text, InstanceOfAssertFactories.STRING)
          .contains("waiting for nightly in namespace " + bench().name())
          .containsPattern("run nightly: (Running|Draining) +issued")
          .contains(run.getStatus().resultsPath() + "/report.html in claim results");
      assertThat(shown)
          .isEqualTo(
              run.getStatus().epoch()
                  + " "
                  + run.getStatus().verdict()
                  + " nightly/"
                  + run.getMetadata().getUid()
                  + "-3");
      for (String each : List.of("", "-2", "-3")) {
        assertThat(bench().results().resolve("nightly/" + run.getMetadata().getUid() + each))
            .isDirectoryContaining("glob:**/manifest.json");
      }
      assertThat(operator.log()).doesNotContain("forbidden").doesNotContain("ERROR");
    }
  }

  @Test
  void anOperatorThatIsKilledStartsEachEpochOnce() throws IOException, InterruptedException {
    Random random = new Random(11);
    try (PodLog pods = PodLog.of(bench());
        OperatorProcess operator = bench().operator()) {
      bench().server("--ttft=100ms", "--max-num-seqs=2");
      bench().run("again");
      bench().await("again", BenchmarkNamespace::measures);

      for (int epoch = 2; epoch <= 3; epoch++) {
        shell("kubectl annotate benchmarkrun/again loadgen.dev/rerun=" + epoch + " --overwrite");
        for (int life = 0; life < 4; life++) {
          if (life % 2 == 1) {
            operator.awaitReady();
          }
          Thread.sleep(random.nextInt(1_500));
          operator.kill();
          operator.restart();
        }
        int expected = epoch;
        bench().await("again", run -> run.getStatus().epoch() == expected && measuresOrEnded(run));
      }
      BenchmarkRun run = bench().awaitEnd("again");

      assertThat(run.getStatus().phase()).as("%s", run.getStatus()).isEqualTo(Phase.Completed);
      assertThat(run.getStatus().epoch()).isEqualTo(3);
      assertThat(pods.runners()).isEqualTo(Map.of("1", 1, "2", 1, "3", 1));
    }
  }

  /** As after a consolidation of nodes that took the operator, and then what is left of the run. */
  @Test
  void aResultWhosePodWentWhileTheOperatorWasAwayIsReadFromTheClaimOnce()
      throws IOException, InterruptedException {
    Random random = new Random(7);
    try (PodLog pods = PodLog.of(bench());
        OperatorProcess operator = bench().operator()) {
      bench().server("--ttft=100ms", "--max-num-seqs=2");
      bench().run("unseen");
      bench().await("unseen", BenchmarkNamespace::measures);
      operator.kill();
      // It waits a minute for an operator that looks at what was measured.
      Awaitility.await("the runner has ended")
          .atMost(Duration.ofMinutes(3))
          .until(() -> succeeded(job("unseen-runner")));
      shell("kubectl delete job/unseen-runner --cascade=foreground --timeout=1m");
      assertThat(holders()).as("nobody was there to give the backend back").contains("unseen");

      operator.restart();
      Awaitility.await("a reader")
          .atMost(Duration.ofMinutes(1))
          .pollInterval(Duration.ofMillis(50))
          .until(() -> job("unseen-reader") != null);
      assertThat(holders()).as("reading holds no backend").doesNotContain("unseen");
      for (int life = 0; life < 3; life++) {
        Thread.sleep(random.nextInt(1_500));
        operator.kill();
        operator.restart();
      }
      BenchmarkRun run = bench().awaitEnd("unseen");

      assertThat(run.getStatus().phase()).as("%s", run.getStatus()).isEqualTo(Phase.Completed);
      JsonNode summary =
          new ObjectMapper()
              .readTree(
                  bench()
                      .results()
                      .resolve("unseen/" + run.getMetadata().getUid() + "/summary.json")
                      .toFile());
      assertThat(run.getStatus().verdict()).hasToString(summary.path("verdict").asText());
      assertThat(run.getStatus().result().completed())
          .isEqualTo(summary.at("/result/completed").asLong());
      assertThat(run.getStatus().resultsPath()).isEqualTo(summary.path("resultsPath").asText());
      assertThat(pods.readers()).isOne();
      assertThat(pods.runners()).isEqualTo(Map.of("1", 1));
      assertThat(operator.log()).doesNotContain("forbidden").doesNotContain("ERROR");
    }
  }

  private @Nullable Job job(String name) {
    return bench().client().batch().v1().jobs().inNamespace(bench().name()).withName(name).get();
  }

  private static boolean succeeded(@Nullable Job job) {
    return job != null
        && job.getStatus().getSucceeded() != null
        && job.getStatus().getSucceeded() == 1;
  }

  private List<String> holders() {
    return bench().client().leases().inNamespace(bench().name()).list().getItems().stream()
        .map(lease -> lease.getMetadata().getLabels().get("loadgen.dev/run"))
        .toList();
  }

  @Test
  void aRunIsDeletedAfterItsTimeAndItsResultsAreNot() throws IOException, InterruptedException {
    try (OperatorProcess operator = bench().operator()) {
      bench().server();
      bench().run("brief", "ttlAfterFinished: 5s");
      BenchmarkRun run = bench().awaitEnd("brief");

      Awaitility.await("deletion")
          .atMost(Duration.ofSeconds(40))
          .until(() -> bench().get("brief") == null);

      assertThat(bench().results().resolve(run.getStatus().resultsPath()))
          .isDirectoryContaining("glob:**/manifest.json");
      assertThat(operator.log()).doesNotContain("forbidden").doesNotContain("ERROR");
    }
  }

  @Test
  void whatChangesDuringATestAndAfterItHolds() throws IOException, InterruptedException {
    try (OperatorProcess operator = bench().operator()) {
      bench().server("--ttft=200ms", "--max-num-seqs=2"); // 64 samples take about 6 s
      bench().run("changed", "dryRun: true\ntimeouts: {run: 2h}\nttlAfterFinished: 1000h");
      bench().await("changed", run -> run.getStatus().phase() == Phase.Planned);
      assertThat(bench().client().leases().inNamespace(bench().name()).list().getItems()).isEmpty();

      shell("kubectl patch benchmarkrun/changed --type=merge -p '{\"spec\":{\"dryRun\":false}}'");
      bench().await("changed", BenchmarkNamespace::measures);
      shell(
          "kubectl patch benchmarkrun/changed --type=merge"
              + " -p '{\"spec\":{\"timeouts\":{\"run\":\"3h\"}}}'");
      BenchmarkRun run = bench().awaitEnd("changed");

      assertThat(run.getStatus().phase()).as("%s", run.getStatus()).isEqualTo(Phase.Completed);
      assertThat(
              bench()
                  .client()
                  .batch()
                  .v1()
                  .jobs()
                  .inNamespace(bench().name())
                  .withName("changed-runner")
                  .get()
                  .getSpec()
                  .getActiveDeadlineSeconds())
          .isEqualTo(Duration.ofHours(3).plusMinutes(2).toSeconds());
      Path results = bench().results().resolve(run.getStatus().resultsPath());
      assertThat(Files.readString(results.resolve("environment.json")))
          .contains("\"runTimeoutRaisedToMs\" : " + Duration.ofHours(3).toMillis());
      assertThat(run.getStatus().observedGeneration()).isEqualTo(3);

      shell(
          "kubectl patch benchmarkrun/changed --type=merge"
              + " -p '{\"spec\":{\"ttlAfterFinished\":\"1s\"}}'");
      Awaitility.await("deletion")
          .atMost(Duration.ofSeconds(40))
          .until(() -> bench().get("changed") == null);
      assertThat(operator.log()).doesNotContain("forbidden").doesNotContain("ERROR");
    }
  }

  /** A spec waits for the end of the test; what somebody does to a server itself nobody stops. */
  @Test
  void aServerThatIsChangedDuringATestIsNotAttested() throws IOException, InterruptedException {
    try (OperatorProcess operator = bench().operator()) {
      bench().server("--ttft=200ms", "--max-num-seqs=2"); // 64 samples take about 6 s
      bench().run("planned");
      bench().await("planned", BenchmarkNamespace::measures);
      shell(
          "kubectl patch inferencebackend/server --type=merge"
              + " -p '{\"spec\":{\"args\":[\"--ttft=1ms\"]}}'");
      shell("kubectl set image pod/server-0 server=mine.example/vllm:7");
      BenchmarkRun run = bench().awaitEnd("planned");

      assertThat(run.getStatus().phase()).as("%s", run.getStatus()).isEqualTo(Phase.Completed);
      assertThat(run.getStatus().verdict()).isNotEqualTo(Verdict.Valid);
      assertThat(run.getStatus().verdictReasons())
          .filteredOn(reason -> reason.rule().equals("NotAttested"))
          .singleElement()
          .satisfies(
              reason ->
                  assertThat(reason.message())
                      .startsWith(
                          "Pod server-0 had at the end of the test a different image,"
                              + " mine.example/vllm:7 and not ghcr.io/")
                      .doesNotContain("arguments"));
      assertThat(run.getStatus().provenance().backendGeneration()).isEqualTo(1);
      assertThat(run.getStatus().provenance().servers().getFirst().args()).contains("--ttft=200ms");
      assertThat(operator.log()).doesNotContain("forbidden").doesNotContain("ERROR");
    }
  }

  /** The test has been asked for anew, and the status may still be that of the last one. */
  private CompletableFuture<Programs.Answer> waitsAsThePageSays(String run) throws IOException {
    List<String> lines =
        Files.readAllLines(Programs.REPOSITORY.resolve("docs/runs.md")).stream()
            .filter(line -> line.startsWith("    bin/loadgen wait "))
            .toList();
    assertThat(lines).hasSize(1);
    List<String> command =
        Stream.concat(
                Stream.of(lines.getFirst().strip().replace("NAME", run).split(" ", -1)),
                Stream.of("--kubeconfig", cluster().kubeconfig().toString(), "-n", bench().name()))
            .toList();
    return CompletableFuture.supplyAsync(
        () -> {
          try {
            return Programs.run(
                Stream.concat(
                        Stream.of(Programs.REPOSITORY.resolve(command.getFirst()).toString()),
                        command.stream().skip(1))
                    .toList(),
                Map.of(
                    "LOADGEN_SKIP_BUILD",
                    "1",
                    "LOADGEN_JAVA_HOME",
                    System.getProperty("java.home")),
                "");
          } catch (IOException e) {
            throw new UncheckedIOException(e);
          } catch (InterruptedException e) {
            throw new CompletionException(e);
          }
        },
        // HTTP clients need the common pool, which two processors have one thread of.
        task -> Thread.ofVirtual().start(task));
  }

  private String shell(String command) throws IOException, InterruptedException {
    assertThat(command).startsWith("kubectl ");
    Programs.Answer answer =
        Programs.run(
            List.of(
                "bash",
                "-c",
                cluster().kubectlCommand(bench().name()) + command.substring("kubectl".length())),
            Map.of(),
            "");
    assertThat(answer.exitCode()).as("%s%n%s", command, answer.text()).isZero();
    return answer.text();
  }

  private static boolean measuresOrEnded(BenchmarkRun run) {
    return BenchmarkNamespace.measures(run) || BenchmarkNamespace.isOver(run);
  }
}
