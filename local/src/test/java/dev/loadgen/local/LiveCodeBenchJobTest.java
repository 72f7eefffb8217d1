package dev.loadgen.local;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.MappingIterator;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import dev.loadgen.runner.accuracy.ProgramResults;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The Job that executes programs: its script against a stand-in for the reference's evaluator,
 * which cannot be installed here, and the limits that its manifest sets.
 */
class LiveCodeBenchJobTest {
  private static final Path SOURCES =
      Path.of(System.getProperty("repository.root"), "hack/livecodebench");

  private final Path folder;

  LiveCodeBenchJobTest(@TempDir Path folder) throws IOException {
    this.folder = folder;
    Files.writeString(
        folder.resolve("eval_accuracy.py"),
        """
        def load_lcb_benchmark():
            return {"q1": 1, "q2": 2, "broken": 3}

        def evaluate_livecodebench_worker(item):
            code, question = item
            if question == "broken":
                return question, False, "Evaluation error: no disk"
            return question, code == "right", "Passed"
        """);
  }

  @Test
  void resultsAreWhatEvaluateReads() throws Exception {
    assertThat(
            run(
                "{\"sample\": 7, \"questionId\": \"q1\", \"code\": \"right\"}",
                "{\"sample\": 9, \"questionId\": \"q2\", \"code\": \"wrong\"}"))
        .isZero();

    assertThat(ProgramResults.read(folder.resolve("results.jsonl")))
        .isEqualTo(Map.of(7, true, 9, false));
  }

  @Test
  void aBrokenSetUpIsNoWrongAnswer() throws Exception {
    assertThat(run("{\"sample\": 7, \"questionId\": \"broken\", \"code\": \"right\"}")).isNotZero();
    assertThat(Files.readString(folder.resolve("printed"))).contains("Evaluation error: no disk");

    assertThat(run("{\"sample\": 7, \"questionId\": \"q9\", \"code\": \"right\"}")).isNotZero();
    assertThat(Files.readString(folder.resolve("printed"))).contains("has no question q9");
  }

  @Test
  void theJobCanDoNoHarm() throws IOException {
    try (MappingIterator<JsonNode> documents =
        new YAMLMapper()
            .readerFor(JsonNode.class)
            .readValues(Files.readString(SOURCES.resolve("job.yaml")))) {
      JsonNode policy = documents.next();
      JsonNode job = documents.next().path("spec");
      JsonNode pod = job.path("template");

      assertThat(policy.path("spec").path("policyTypes"))
          .extracting(JsonNode::asText)
          .containsExactly("Ingress", "Egress");
      assertThat(policy.path("spec").has("egress")).isFalse();
      assertThat(policy.path("spec").path("podSelector").path("matchLabels"))
          .isNotEmpty()
          .isEqualTo(pod.path("metadata").path("labels"));
      assertThat(job.path("activeDeadlineSeconds").asInt()).isPositive();
      JsonNode spec = pod.path("spec");
      assertThat(spec.path("automountServiceAccountToken").asBoolean(true)).isFalse();
      assertThat(spec.path("securityContext").path("runAsNonRoot").asBoolean()).isTrue();
      JsonNode container = spec.path("containers").path(0);
      assertThat(container.path("securityContext").path("readOnlyRootFilesystem").asBoolean())
          .isTrue();
      assertThat(
              container.path("securityContext").path("capabilities").path("drop").path(0).asText())
          .isEqualTo("ALL");
      assertThat(container.path("securityContext").path("allowPrivilegeEscalation").asBoolean(true))
          .isFalse();
      assertThat(container.path("resources").path("limits"))
          .isNotEmpty()
          .isEqualTo(container.path("resources").path("requests"));
    }
  }

  private int run(String... programs) throws Exception {
    Files.write(folder.resolve("programs.jsonl"), List.of(programs));
    Process process =
        new ProcessBuilder(
                "python3",
                SOURCES.resolve("run.py").toString(),
                "programs.jsonl",
                "results.jsonl",
                "--reference=" + folder,
                "--workers=1")
            .directory(folder.toFile())
            .redirectErrorStream(true)
            .redirectOutput(folder.resolve("printed").toFile())
            .start();
    assertThat(process.waitFor(2, TimeUnit.MINUTES)).isTrue();
    return process.exitValue();
  }
}
