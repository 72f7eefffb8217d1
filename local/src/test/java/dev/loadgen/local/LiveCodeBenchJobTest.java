package dev.loadgen.local;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.MappingIterator;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import dev.loadgen.results.accuracy.ProgramResults;
import dev.loadgen.results.accuracy.Scores;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
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
        import concurrent.futures, datasets, pathlib, time

        def result(future, timeout=None):
            assert timeout is None, "time in the queue would count"
            return original(future)

        original = concurrent.futures.Future.result
        concurrent.futures.Future.result = result

        def load_lcb_benchmark():
            return {question: 1 for question in datasets.load_dataset("livecodebench/code_generation_lite")}

        def evaluate_livecodebench_worker(item):
            code, question = item
            with pathlib.Path("evaluated").open("a") as evaluated:
                evaluated.write(question + "\\n")
            if question.startswith("broken"):
                return question, False, code + ": no disk"
            if code == "slow":
                time.sleep(0.05)
            return question, code == "right", "Passed"
        """);
    Files.writeString(
        folder.resolve("datasets.py"),
        """
        def load_dataset(name):
            raise OSError("no network, and the cache takes locks")

        def load_from_disk(folder):
            return folder.split(",")
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
    for (String problem :
        List.of("Evaluation error", "Error evaluating broken", "Failed to load benchmark")) {
      assertThat(
              run(
                  "{\"sample\": 7, \"questionId\": \"broken\", \"code\": \"%s\"}"
                      .formatted(problem)))
          .isNotZero();
      assertThat(Files.readString(folder.resolve("printed"))).contains(problem + ": no disk");
    }

    assertThat(run("{\"sample\": 7, \"questionId\": \"q9\", \"code\": \"right\"}")).isNotZero();
    assertThat(Files.readString(folder.resolve("printed"))).contains("has no question q9");
  }

  @Test
  void nothingMoreIsExecutedWhenTheSetUpIsBroken() throws Exception {
    List<String> programs = new ArrayList<>();
    programs.add("{\"sample\": 0, \"questionId\": \"broken\", \"code\": \"Evaluation error\"}");
    for (int sample = 1; sample < 200; sample++) {
      programs.add(
          "{\"sample\": %d, \"questionId\": \"q1\", \"code\": \"slow\"}".formatted(sample));
    }

    assertThat(run(programs.toArray(String[]::new))).isNotZero();

    assertThat(Files.readAllLines(folder.resolve("evaluated"))).hasSizeLessThan(100);
  }

  @Test
  void theJobReadsWhatTheRunLeaves() throws IOException {
    assertThat(Files.readString(SOURCES.resolve("job.yaml")))
        .contains("- /programs/" + Scores.PROGRAMS_FILE_NAME + "\n");
    String image = Files.readString(SOURCES.resolve("Dockerfile"));
    assertThat(image).contains(".save_to_disk('/questions')", "\"--questions=/questions\"");
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
                "--questions=q1,q2,broken",
                "--workers=1")
            .directory(folder.toFile())
            .redirectErrorStream(true)
            .redirectOutput(folder.resolve("printed").toFile())
            .start();
    assertThat(process.waitFor(2, TimeUnit.MINUTES)).isTrue();
    return process.exitValue();
  }
}
