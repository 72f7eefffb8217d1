package dev.loadgen.runner;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonProcessingException;
import dev.loadgen.accuracy.input.UnusableInputException;
import dev.loadgen.client.transport.HostNames;
import dev.loadgen.contract.ContractJson;
import dev.loadgen.contract.GuidedDecodingField;
import dev.loadgen.contract.JsonWords;
import dev.loadgen.contract.PlanBuilder;
import dev.loadgen.contract.RunPlan;
import dev.loadgen.contract.RunSummary;
import dev.loadgen.contract.RunnerExit;
import dev.loadgen.fuzz.Fuzz;
import dev.loadgen.results.TerminationMessage;
import dev.loadgen.results.accuracy.ProgramResults;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Whatever the runner is given to read beside datasets and answers: it is read or refused. */
class PlanFuzzTest {
  private final Path folder;

  PlanFuzzTest(@TempDir Path folder) {
    this.folder = folder;
  }

  @Test
  void plans() {
    String plan =
        ContractJson.write(
            new PlanBuilder()
                .replica("http://server:8000")
                .replica("http://[::1]:8000")
                .streaming(true)
                .tokenLimits(500.0, 30.0)
                .profiling(Duration.ofSeconds(1), Duration.ofSeconds(2))
                .servers(s -> s.draft(new RunPlan.Draft("d", "EAGLE", 3, 1, List.of("x=1"))))
                .generating(
                    g ->
                        g.guided(
                            new RunPlan.Guided(GuidedDecodingField.StructuredOutputs, "s", "{}")))
                .mlflow(new RunPlan.Mlflow("http://m", "e", null, Map.of("a", "b"), true))
                .build());
    Path file = folder.resolve("plan.json");
    Fuzz.of("plan")
        .refusing(RunFailedException.class)
        .run(
            2_500,
            change -> change.json(plan.getBytes(StandardCharsets.UTF_8)),
            input -> {
              Files.write(file, input);
              try {
                RunPlan read = PlanReader.read(file);
                assertThat(ContractJson.read(ContractJson.write(read), RunPlan.class))
                    .isEqualTo(read);
                assertThat(read.withoutCredentials().run().id()).isNotBlank();
                assertThat(read.sampling().furtherSettings()).doesNotContainNull();
                return true;
              } catch (RunFailedException e) {
                assertThat(e.exit()).isEqualTo(RunnerExit.PLAN_INVALID);
                throw e;
              }
            });
  }

  /** A summary of any content fits into what Kubernetes keeps of it. */
  @Test
  void terminationMessages() {
    String summary =
        """
        {"version":1,"failure":{"reason":"R","message":"m"},"verdict":"Invalid",
         "verdictReasons":[{"rule":"Ttft","message":"m","fix":"f"},{"rule":"Tpot","message":"m","fix":"f"}],
         "result":{"metric":"m","value":1.5,"unit":"u","latency":{"mean":1.0},"accuracy":[{"name":"n","value":1.0}],
         "replicas":[{"name":"server-0","completed":1}]},"resultsPath":"r/uid","startedAt":"s","finishedAt":"f",
         "mlflow":{"url":"u","problem":"p"}}""";
    Fuzz.of("termination-message")
        .run(
            1_500,
            change -> change.json(summary).getBytes(StandardCharsets.UTF_8),
            input -> {
              Optional<RunSummary> read = read(new String(input, StandardCharsets.UTF_8));
              read.filter(known -> known.lacking().isEmpty())
                  .ifPresent(
                      known ->
                          assertThat(TerminationMessage.of(known).getBytes(StandardCharsets.UTF_8))
                              .isNotEmpty());
              return read.isPresent();
            });
  }

  private static Optional<RunSummary> read(String json) {
    try {
      return Optional.ofNullable(ContractJson.readSummary(json, new ArrayList<>()));
    } catch (JsonProcessingException e) {
      assertThat(JsonWords.of(e)).doesNotContain("java", "loadgen");
      return Optional.empty();
    }
  }

  @Test
  void hostNames() {
    Fuzz.of("loadgen-resolve")
        .refusing(IllegalArgumentException.class)
        .run(
            3_000,
            change ->
                change
                    .text("a.example:443:10.0.0.1,b:80:[fd00::1],c:8000:::1")
                    .getBytes(StandardCharsets.UTF_8),
            input -> {
              assertThat(HostNames.parse(new String(input, StandardCharsets.UTF_8))).isNotNull();
              return true;
            });
  }

  @Test
  void programResults() {
    Path file = folder.resolve("results.jsonl");
    String lines = "{\"sample\": 1, \"passed\": true}\n{\"sample\": 2, \"passed\": false}\n";
    Fuzz.of("program-results")
        .refusing(UnusableInputException.class)
        .run(
            1_000,
            change ->
                (change.oneIn(2) ? change.lines(lines) : change.json(lines))
                    .getBytes(StandardCharsets.UTF_8),
            input -> {
              Files.write(file, input);
              assertThat(ProgramResults.read(file)).isNotNull();
              return true;
            });
  }
}
