package dev.loadgen.local;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.loadgen.api.v1alpha1.BenchmarkRun;
import dev.loadgen.api.v1alpha1.ConditionTypes;
import dev.loadgen.api.v1alpha1.InferenceBackend;
import dev.loadgen.api.v1alpha1.InferenceBackendStatus;
import dev.loadgen.contract.Reasons;
import dev.loadgen.contract.Verdict;
import dev.loadgen.contract.VerdictReason;
import io.fabric8.kubernetes.api.model.Condition;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import java.util.zip.GZIPInputStream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Servers under a profiler, from the backend's field to the files in the claim. */
@Timeout(300)
class ProfilingIT {
  private static final ObjectMapper JSON = new ObjectMapper();

  private TestSystem system;
  private Path claims;

  @BeforeEach
  void start(@TempDir Path folder) throws IOException {
    system = TestSystem.start(folder);
    // Every claim of this system is the folder of the results.
    claims = folder.resolve("results");
    system.apply(
        """
        apiVersion: v1
        kind: PersistentVolumeClaim
        metadata: {name: traces}
        spec:
          accessModes: [ReadWriteMany]
          resources: {requests: {storage: 1Gi}}
        """);
  }

  @AfterEach
  void stop() {
    system.close();
  }

  @Test
  void everyServerWritesATraceOfEveryRun() throws IOException {
    backend(
        "replicas: 2\nprofiling: {tool: Torch, output: {claimName: traces}, after: 200ms, duration: 300ms}");
    system.run("first", "llm", "");
    system.run("second", "llm", "");

    for (String name : List.of("first", "second")) {
      BenchmarkRun run = system.awaitEnd(name);

      assertThat(run.getStatus().verdict()).isEqualTo(Verdict.Inconclusive);
      assertThat(run.getStatus().verdictReasons())
          .filteredOn(reason -> reason.rule().equals("Profiled"))
          .singleElement()
          .extracting(VerdictReason::message)
          .asString()
          .contains("profiler Torch", "claim traces, folder llm");
      Path results = system.completeFolder(run);
      JsonNode recorded = JSON.readTree(results.resolve("summary.json").toFile()).path("profiling");
      assertThat(recorded.path("windows")).hasSize(2);
      for (JsonNode window : recorded.path("windows")) {
        assertThat(window.has("problem")).as("%s", window).isFalse();
        assertThat(window.path("startedMs").asLong()).isBetween(200L, 5_000L);
        assertThat(window.path("stoppedMs").asLong())
            .isGreaterThan(window.path("startedMs").asLong());
        List<Path> traces =
            traces(window.path("replica").asText(), recorded.path("prefix").asText());
        assertThat(traces).hasSize(1);
        assertThat(events(traces.getFirst())).isPositive();
      }
      assertThat(results.resolve("report.html")).content().contains("id=\"profiling\"");
    }
    assertThat(traces("llm-0", "")).hasSize(2);
    assertThat(traces("llm-1", "")).hasSize(2);
  }

  @Test
  void aProfilerThatTheImageDoesNotHaveIsACondition() {
    assumeTrue(
        Stream.of(System.getenv("PATH").split(File.pathSeparator))
            .noneMatch(folder -> Files.exists(Path.of(folder, "rocprofv3"))),
        "this machine has rocprofv3, which the test needs to be missing");

    backend("profiling: {tool: Rocprof, output: {claimName: traces}}");

    InferenceBackendStatus status =
        Awaitility.await()
            .atMost(Duration.ofMinutes(2))
            .until(
                () -> system.find(InferenceBackend.class, "llm").getStatus(),
                seen ->
                    seen != null
                        && seen.conditions() != null
                        && available(seen).getReason().equals(Reasons.SERVER_CRASHED));
    assertThat(available(status).getMessage()).contains("rocprofv3");
  }

  private static Condition available(InferenceBackendStatus status) {
    return status.conditions().stream()
        .filter(condition -> condition.getType().equals(ConditionTypes.AVAILABLE))
        .findFirst()
        .orElseThrow();
  }

  private void backend(String more) {
    system.apply(
        """
        apiVersion: loadgen.dev/v1alpha1
        kind: InferenceBackend
        metadata: {name: llm}
        spec:
          engine: vllm
          model: {name: tiny}
          image: ghcr.io/loadgen-operator/loadgen-simulator:0.1.0
          args: [--ttft=150ms, --tpot=5ms, --output-tokens=4..8, --max-num-seqs=4]
        """
            + more.indent(2));
  }

  private List<Path> traces(String pod, String prefix) throws IOException {
    try (Stream<Path> files = Files.list(claims.resolve("llm").resolve(pod))) {
      return files.filter(file -> String.valueOf(file.getFileName()).startsWith(prefix)).toList();
    }
  }

  private static int events(Path trace) throws IOException {
    try (GZIPInputStream in = new GZIPInputStream(Files.newInputStream(trace))) {
      return JSON.readTree(in).path("traceEvents").size();
    }
  }
}
