package dev.loadgen.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;

import dev.loadgen.api.v1alpha1.BenchmarkRun;
import dev.loadgen.api.v1alpha1.Phase;
import java.io.IOException;
import java.nio.file.Files;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;

/** Suspending, resuming and running again on a real API server, as docs/runs.md has it. */
@Order(3)
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
      for (String command : commands) {
        String output = shell(command.replace("NAME", "nightly"));
        shown = command.contains("{.status.epoch} ") ? output : shown;
      }

      BenchmarkRun run = bench().get("nightly");
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
