package dev.loadgen.local;

import static org.assertj.core.api.Assertions.assertThat;

import dev.loadgen.api.v1alpha1.BenchmarkRun;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.util.concurrent.CompletableFuture;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code loadgen wait} against an API server, from its arguments to its exit status. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Timeout(60)
class WaitCommandTest {
  private EmbeddedCluster cluster;
  private Path folder;
  private Path kubeconfig;

  @BeforeAll
  void start(@TempDir Path temporary) throws IOException {
    folder = temporary;
    cluster = EmbeddedCluster.start(Clock.systemUTC());
    kubeconfig =
        Files.writeString(
            folder.resolve("kubeconfig"),
            """
            apiVersion: v1
            kind: Config
            current-context: here
            clusters: [{name: here, cluster: {server: "%s"}}]
            users: [{name: me, user: {token: secret}}]
            contexts:
            - {name: here, context: {cluster: here, user: me}}
            - {name: team, context: {cluster: here, user: me, namespace: team}}
            """
                .formatted(cluster.url()));
  }

  @AfterAll
  void stop() {
    cluster.close();
  }

  private void run(String name, String status) {
    cluster
        .client()
        .resource(
            """
            apiVersion: loadgen.dev/v1alpha1
            kind: BenchmarkRun
            metadata: {name: %s}
            spec:
              benchmark: llama3.1-8b
              scenario: Offline
              backendRef: {name: b}
              dataset: {configMapName: prompts, path: p.json}
            """
                .formatted(name))
        .inNamespace("default")
        .create();
    status(name, status);
  }

  private void status(String name, String status) {
    cluster
        .client()
        .resources(BenchmarkRun.class)
        .inNamespace("default")
        .withName(name)
        .subresource("status")
        .patch(PatchContext.of(PatchType.JSON_MERGE), "{\"status\": {%s}}".formatted(status));
  }

  private static String ended(String phase, String reason) {
    return """
    "phase": "%s", "observedGeneration": 1, "resultsClaim": "r", "resultsPath": "n/u",
    "conditions": [{"type": "Finished", "status": "True", "reason": "%s", "message": "m",
                    "lastTransitionTime": "2026-01-01T00:00:00Z"}]
    """
        .formatted(phase, reason);
  }

  private TestTerminal terminal() {
    return new TestTerminal(folder);
  }

  private String[] wait(String... words) {
    String[] all = new String[words.length + 3];
    all[0] = "wait";
    all[1] = "--kubeconfig";
    all[2] = kubeconfig.toString();
    System.arraycopy(words, 0, all, 3, words.length);
    return all;
  }

  @ParameterizedTest
  @CsvSource({
    "valid,        Completed, Valid,        0",
    "invalid,      Completed, Invalid,      1",
    "failed,       Failed,    Failed,       1",
    "inconclusive, Completed, Inconclusive, 4"
  })
  void theVerdictIsTheExitCode(String name, String phase, String reason, int code) {
    run(name, ended(phase, reason));
    TestTerminal terminal = terminal();

    assertThat(terminal.loadgen(wait("br/" + name))).as(terminal.toString()).isEqualTo(code);

    assertThat(terminal.out())
        .contains("waiting for " + name + " in namespace default of http://127.0.0.1:")
        .contains("report   n/u/report.html in claim r");
    assertThat(terminal.err()).isEmpty();
  }

  @Test
  void waitsWhileTheRunGoesOn() {
    run("slow", "\"phase\": \"Running\"");
    TestTerminal terminal = terminal();
    CompletableFuture<Integer> status =
        CompletableFuture.supplyAsync(
            () -> terminal.loadgen(wait("benchmarkrun/slow", "-n", "default")),
            // HTTP clients need the common pool, which two processors have one thread of.
            task -> Thread.ofVirtual().start(task));
    Awaitility.await().until(() -> terminal.out().contains("run slow: Starting"));

    status("slow", ended("Completed", "Valid"));

    assertThat(status.join()).as(terminal.toString()).isZero();
    assertThat(terminal.out()).contains("run slow: Completed");
  }

  /** As the operator's own constant has it, which the command cannot use. */
  @Test
  void anAnnotationThatTheOperatorHasNotSeenIsANewTest() {
    run("again", ended("Completed", "Valid"));
    cluster
        .client()
        .resources(BenchmarkRun.class)
        .inNamespace("default")
        .withName("again")
        .patch(
            PatchContext.of(PatchType.JSON_MERGE),
            "{\"metadata\": {\"annotations\": {\"%s\": \"2\"}}}".formatted(BenchmarkRun.RERUN));
    TestTerminal terminal = terminal();

    assertThat(terminal.loadgen(wait("again", "--timeout", "100ms"))).isEqualTo(3);

    assertThat(terminal.err()).contains("--timeout of 0 s passed", "again (Completed)");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "br/absent                | there is no BenchmarkRun absent in namespace default of http://",
        "br/x --context team      | there is no BenchmarkRun x in namespace team of http://",
        "br/x --context other     | has no context other; name one by --context: here, team",
        "ib/server                | \"ib/server\" does not name a run; write br/NAME",
        "br/Big                   | \"br/Big\" does not name a run",
        "br/x -n A                | -n: \"A\" is not a valid namespace name",
        "br/x --timeout soon      | --timeout: \"soon\" is not a valid duration"
      })
  void whatCannotBeWaitedForIsNamedAndNothingIsPrinted(String words, String problem) {
    TestTerminal terminal = terminal();

    assertThat(terminal.loadgen(wait(words.split(" ", -1)))).isEqualTo(2);

    assertThat(terminal.err()).startsWith("loadgen: ").contains(problem);
    assertThat(terminal.out()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "not: [yaml", "kind: Config"})
  void aKubeconfigThatCannotBeUsedIsNamed(String content) throws IOException {
    Path file = Files.writeString(folder.resolve("broken"), content);
    TestTerminal terminal = terminal();

    assertThat(terminal.loadgen("wait", "br/x", "--kubeconfig", file.toString())).isEqualTo(2);

    assertThat(terminal.err()).contains("kubeconfig " + file).doesNotContain("\tat ");
  }

  @Test
  void withoutAnyClusterItSaysWhatIsMissing() {
    TestTerminal terminal = terminal();

    assertThat(terminal.loadgen("wait", "br/x")).isEqualTo(2);
    assertThat(terminal.err()).contains("no cluster", "--kubeconfig", "~/.kube/config");

    terminal.clear();
    assertThat(terminal.loadgen("wait", "br/x", "--kubeconfig", "/nowhere")).isEqualTo(2);
    assertThat(terminal.err()).contains("--kubeconfig /nowhere: does not exist");
  }
}
