package dev.loadgen.operator.run;

import static org.assertj.core.api.Assertions.assertThat;

import dev.loadgen.api.v1alpha1.BenchmarkRun;
import dev.loadgen.api.v1alpha1.NameRules;
import dev.loadgen.desired.Fixtures;
import dev.loadgen.desired.RunBackends;
import dev.loadgen.desired.RunnerObjects;
import dev.loadgen.operator.CrdRules;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class RunSpecProblemsTest {
  private static final String OFFLINE =
      """
      benchmark: llama3.1-8b
      scenario: Offline
      backendRef: {name: llm}
      dataset: {configMapName: d, path: p}
      """;
  private static final String SERVER =
      """
      benchmark: llama3.1-8b
      scenario: Server
      backendRef: {name: llm}
      dataset: {configMapName: d, path: p}
      """;
  private static final String CUSTOM =
      """
      benchmark: custom
      scenario: Server
      backendRef: {name: llm}
      dataset: {configMapName: d, path: p}
      """;
  private static final String BARE =
      """
      benchmark: llama3.1-8b
      scenario: Offline
      backendRef: {name: llm}
      """;

  static Stream<Arguments> wrong() {
    return Stream.of(
        // Backend
        of(
            OFFLINE + "backend: {engine: vllm, model: {name: m}}",
            "spec: give exactly one of backendRef and backend"),
        // Sampling
        of(
            OFFLINE + "sampling: {performance: {minP: 1.5}}",
            "spec.sampling.performance.minP: must be from 0 to 1, not 1.5"),
        of(
            OFFLINE + "sampling: {accuracy: {presencePenalty: -3}}",
            "spec.sampling.accuracy.presencePenalty: must be from -2 to 2, not -3.0"),
        of(
            OFFLINE + "sampling: {performance: {frequencyPenalty: 2.1}}",
            "spec.sampling.performance.frequencyPenalty: must be from -2 to 2, not 2.1"),
        of(
            OFFLINE + "sampling: {performance: {repetitionPenalty: 0}}",
            "spec.sampling.performance.repetitionPenalty: must be above 0, not 0.0"),
        of(
            OFFLINE + "sampling: {performance: {stop: [a, '']}}",
            "spec.sampling.performance.stop: an empty text would end every answer; remove it"),
        of(
            OFFLINE + "sampling: {performance: {stopTokenIds: [1, -5]}}",
            "spec.sampling.performance.stopTokenIds: must be token ids, 0 or more, not [1, -5]"),
        of(
            OFFLINE + "sampling: {generationConfig: {name: c}}",
            "spec.sampling.generationConfig.key: is missing"),
        of(
            OFFLINE + "sampling: {guidedDecoding: {}}",
            "spec.sampling.guidedDecoding.jsonSchema: llama3.1-8b has no schema of its own; give one"),
        of(
            OFFLINE + "sampling: {guidedDecoding: {jsonSchema: '[]'}}",
            "spec.sampling.guidedDecoding.jsonSchema: must be a JSON object, as in {\"type\": ...}"),
        of(OFFLINE + "client: {retries: -1}", "spec.client.retries: must be at least 0, not -1"),
        of(
            OFFLINE + "ruleset: v6.1\nclient: {retries: 1}",
            "spec.client.retries: v6.1 counts a failed request as failed; remove it"),
        // Compliance
        of(
            OFFLINE + "compliance: TEST07",
            "spec.compliance: TEST07 is not a compliance test of llama3.1-8b in none; it has TEST06"),
        of(
            OFFLINE + "compliance: test6",
            "spec.compliance: test6 is not a compliance test of llama3.1-8b in none; it has TEST06"),
        of(
            CUSTOM + "load: {targetQps: 1, limits: {latency: 1s}}\ncompliance: TEST06",
            "spec.compliance: TEST06 is not a compliance test of custom in none, which has none"),
        of(
            OFFLINE + "ruleset: v5.1\ncompliance: TEST09",
            "spec.compliance: TEST09 is not a compliance test of llama3.1-8b in v5.1; it has TEST06"),
        of(
            OFFLINE.replace("llama3.1-8b", "gpt-oss-120b")
                + "compliance: TEST07\naccuracy: {evaluate: false}",
            "spec.accuracy.evaluate: TEST07 is about the score of the answers; remove it"),
        of(
            OFFLINE.replace("llama3.1-8b", "gpt-oss-120b")
                + "compliance: TEST09\nload: {performanceSampleCount: 64}",
            "spec.load.performanceSampleCount: TEST09 is run on its own 6396 samples; remove it"),
        // The twins of the CRD's rules
        of(
            OFFLINE + "compliance: TEST06\nmode: Accuracy",
            "spec.compliance: a compliance test is a Performance run with settings of its own; remove mode or set it to Performance"),
        of(
            SERVER.replace("Server", "SingleStream") + "load: {targetQps: 1}",
            "spec.load.targetQps: SingleStream sends one query after another; remove it"),
        of(
            BARE + "dataset: {path: p}",
            "spec.dataset: give exactly one of claimName, configMapName and url"),
        of(
            BARE + "dataset: {path: p, configMapName: a, claimName: b}",
            "spec.dataset: give exactly one of claimName, configMapName and url"),
        of(
            BARE + "dataset: {configMapName: a}",
            "spec.dataset.path: the file's path in the claim or its key in the ConfigMap; not with url"),
        of(
            BARE + "dataset: {url: \"http://a/b\", path: p}",
            "spec.dataset.path: the file's path in the claim or its key in the ConfigMap; not with url"),
        // Schema rules of the CRD
        of(BARE, "spec.dataset: is missing"),
        of(
            BARE + "dataset: {url: \"ftp://a/b\"}",
            "spec.dataset.url: must begin with http:// or https://, not ftp://a/b"),
        of(
            BARE + "dataset: {url: \"s3://bucket/b?sig=5EC4E7\"}",
            "spec.dataset.url: must begin with http:// or https://, not s3://bucket/b?..."),
        of(
            BARE + "dataset: {url: \"http://user:5EC4E7@a/b\"}",
            "spec.dataset.url: holds a user or a password; remove them, and use a claim, or a URL"
                + " that needs none"),
        of(
            BARE + "dataset: {url: \"http://a/b\", sha256: ABC}",
            "spec.dataset.sha256: must be 64 hexadecimal digits in lower case, not ABC"),
        of(SERVER + "load: {targetQps: 0}", "spec.load.targetQps: must be above 0, not 0.0"),
        of(
            OFFLINE + "load: {minDuration: soon}",
            "spec.load.minDuration: \"soon\" is not a valid duration; write it like 90s, 10m, 1h30m"
                + " or 250ms"),
        of(
            OFFLINE + "load: {minQueryCount: 0}",
            "spec.load.minQueryCount: must be at least 1, not 0"),
        of(
            OFFLINE + "load: {performanceSampleCount: 0}",
            "spec.load.performanceSampleCount: must be at least 1, not 0"),
        of(
            OFFLINE + "sampling: {performance: {topP: 1.5}}",
            "spec.sampling.performance.topP: must be above 0 and at most 1, not 1.5"),
        of(
            OFFLINE + "sampling: {accuracy: {temperature: -1}}",
            "spec.sampling.accuracy.temperature: must be at least 0, not -1.0"),
        of(
            OFFLINE + "timeouts: {run: 0s}",
            "spec.timeouts.run: 0s rounds to zero; give a longer time"),
        of(
            OFFLINE + "queueName: GPU queue",
            "spec.queueName: must be the name of a LocalQueue: at most 63 lower-case letters, digits,"
                + " dots and dashes, not GPU queue"),
        of(
            OFFLINE + "runner: {scheduling: {queueName: gpu}}",
            "spec.runner.scheduling.queueName is of servers: name the runner's queue by spec.queueName"),
        of(
            OFFLINE + "ttlAfterFinished: 0s",
            "spec.ttlAfterFinished: 0s rounds to zero; give a longer time"),
        // What the CRD does not say
        of(
            BARE + "dataset: {claimName: c, path: a/../../b}",
            "spec.dataset.path: must be relative and stay below the root of the volume, not a/../../b"),
        of(
            BARE + "dataset: {claimName: c, path: /etc/passwd}",
            "spec.dataset.path: must be relative and stay below the root of the volume, not /etc/passwd"),
        of(
            BARE + "dataset: {claimName: c, path: p}\naccuracy: {tokenizerPath: ../t.json}",
            "spec.accuracy.tokenizerPath: must be relative and stay below the root of the volume, not ../t.json"),
        of(
            BARE + "dataset: {url: \"http://a/b\"}\n" + "accuracy: {tokenizerPath: tokenizer.json}",
            "spec.accuracy.tokenizerPath: is a path in the dataset's claim; set spec.dataset.claimName"),
        of(
            OFFLINE + "metrics: {interval: 0s}",
            "spec.metrics.interval: 0s rounds to zero; give a longer time"),
        of(OFFLINE + "mlflow: {experiment: e}", "spec.mlflow.url: is missing"),
        of(
            OFFLINE + "mlflow: {url: \"mlflow:5000\", experiment: e}",
            "spec.mlflow.url: must begin with http:// or https://, not mlflow:5000"),
        of(
            OFFLINE + "mlflow: {url: \"http://u:p@mlflow:5000\", experiment: e}",
            "spec.mlflow.url: holds a user or a password; remove them and set tokenSecretRef"),
        of(
            OFFLINE + "mlflow: {url: \"http://mlflow:5000\", experiment: \" \"}",
            "spec.mlflow.experiment: is missing"),
        of(
            OFFLINE
                + "mlflow: {url: \"http://mlflow:5000/a@b\", experiment: e, tokenSecretRef: {key: k}}",
            "spec.mlflow.tokenSecretRef.name: is missing"),
        of(
            SERVER,
            "spec.load.targetQps: Server issues queries at a rate; give the rate in queries a second"),
        of(
            SERVER + "load: {userConf: \"# *.Server.target_qps = 3\"}",
            "spec.load.targetQps: Server issues queries at a rate; give the rate in queries a second"),
        of(
            OFFLINE + "load: {minQueryCount: 5, maxQueryCount: 4}",
            "spec.load.maxQueryCount: must not be below spec.load.minQueryCount"),
        of(
            OFFLINE + "ruleset: v9.9",
            "spec.ruleset: v9.9 is not known; known are none, v5.1, v6.0, v6.1"),
        of(
            CUSTOM + "ruleset: v6.1\nload: {targetQps: 1}",
            "spec.ruleset: custom models are not part of an MLPerf round; use ruleset none"),
        of(
            OFFLINE.replace("Offline", "SingleStream") + "ruleset: v6.1",
            "spec.ruleset: llama3.1-8b has no scenario SingleStream in v6.1; it has Offline, Server, Interactive"),
        of(
            OFFLINE + "load: {limits: {ttft: 1s}}",
            "spec.load.limits: Offline is not judged by latency; remove it"),
        of(
            CUSTOM + "load: {targetQps: 1}",
            "spec.load.limits: custom has no limits of its own for Server; give ttft and tpot, or give latency"),
        of(
            CUSTOM + "load: {targetQps: 1, limits: {ttft: 1s}}",
            "spec.load.limits: ttft and tpot are judged together; give both"),
        of(
            CUSTOM + "load: {targetQps: 1, limits: {ttft: 1s, tpot: 50ms, latency: 9s}}",
            "spec.load.limits: LoadGen judges tokens or whole queries; give ttft and tpot, or give latency"),
        of(
            SERVER + "load: {targetQps: 1, limits: {latency: 9s}}",
            "spec.load.limits.latency: llama3.1-8b is judged by token latencies; set ttft and tpot instead"),
        of(
            SERVER + "load: {targetQps: 1}\nclient: {streaming: false}",
            "spec.client.streaming: time to first token cannot be measured without it; remove it or set it to true"),
        of(
            SERVER.replace("Server", "SingleStream") + "client: {maxConcurrency: 2}",
            "spec.client.maxConcurrency: SingleStream has one query in flight; remove it"));
  }

  private static Arguments of(String spec, String problem) {
    return Arguments.of(spec, problem);
  }

  @ParameterizedTest
  @MethodSource("wrong")
  void aProblemNamesFieldAndCure(String spec, String problem) {
    assertThat(RunSpecProblems.of(Fixtures.run("r", spec))).containsExactly(problem);
  }

  /**
   * Rules without a twin: what a run says against them changes nothing, or the runner refuses it.
   */
  private static final Set<String> WITHOUT_TWIN =
      Set.of(
          "spec.backend.lifecycle: servers of the run's own are always OnDemand; remove lifecycle and idleTimeout",
          "spec.client.batchSize: only Offline sends batches; remove it",
          "spec.client.batchSize: a batch is not streamed; remove batchSize or set streaming to false",
          "spec.results: claimName names an existing claim; remove it, or remove size, storageClassName, accessModes and retention");

  @Test
  void everyRuleOfTheCrdHasATwinOrNeedsNone() {
    List<String> tested = wrong().map(a -> (String) a.get()[1]).toList();

    Set<String> rules = CrdRules.messages("benchmarkruns.yaml");

    // Of the embedded spec.backend, which BackendSpecProblemsTest holds to its rules.
    rules.removeAll(CrdRules.messages("inferencebackends.yaml"));

    // Of names: see below.
    assertThat(rules.remove(NameRules.RUN_WORDS)).isTrue();

    assertThat(rules).hasSizeGreaterThan(4).containsAll(WITHOUT_TWIN);
    // Those of a change, which only the API server sees.
    assertThat(
            rules.stream()
                .filter(m -> !m.startsWith("spec cannot change") && !m.contains(" can be ")))
        .allSatisfy(
            message ->
                assertThat(tested.contains(message) ^ WITHOUT_TWIN.contains(message)).isTrue());
  }

  @Test
  void serversOfTheRunsOwnAreOnDemandWhateverItSays() {
    String own =
        OFFLINE.replace("backendRef: {name: llm}\n", "")
            + "backend: {engine: vllm, model: {name: m}%s}";
    BenchmarkRun run = Fixtures.run("r", own.formatted(", lifecycle: OnDemand, idleTimeout: 5m"));

    assertThat(RunSpecProblems.of(run)).isEmpty();
    assertThat(RunBackends.described(run).getSpec())
        .isEqualTo(RunBackends.described(Fixtures.run("r", own.formatted(""))).getSpec());
  }

  @ParameterizedTest
  @ValueSource(strings = {"size: 1Gi", "accessModes: [ReadWriteMany]", "retention: Delete"})
  void ofAClaimThatIsNamedNothingIsMade(String more) {
    BenchmarkRun run = Fixtures.run("r", OFFLINE + "results: {claimName: c, " + more + "}");

    assertThat(RunSpecProblems.of(run)).isEmpty();
    assertThat(RunnerObjects.makesResultsClaim(run)).isFalse();
    assertThat(RunnerObjects.resultsClaimName(run)).isEqualTo("c");
  }

  @Test
  void allProblemsAreToldAtOnce() {
    BenchmarkRun run =
        Fixtures.run("r", SERVER + "client: {batchSize: -2, requestTimeout: x}\nruleset: v9.9");

    assertThat(RunSpecProblems.of(run)).hasSize(4);
  }

  @Test
  void aRateInUserConfIsARate() {
    assertThat(
            RunSpecProblems.of(
                Fixtures.run("r", SERVER + "load: {userConf: \"*.Server.target_qps = 3\"}")))
        .isEmpty();
  }

  @Test
  void aNameTooLongForAJobIsAProblem() {
    assertThat(RunSpecProblems.of(Fixtures.run("r".repeat(56)))).isEmpty();
    assertThat(RunSpecProblems.of(Fixtures.run("r".repeat(56)))).isEmpty();
    assertThat(RunSpecProblems.of(Fixtures.run("r".repeat(57))))
        .containsExactly(NameRules.RUN_WORDS);
  }

  private static final String SGLANG = "engine: sglang\nmodel: {name: m}\n";
  private static final String VLLM = "engine: vllm\nmodel: {name: m}\n";
  private static final String OPENAI =
      "engine: openai\nmodel: {name: m}\nexternal: {urls: [\"http://a:1/v1\"]}\n";

  static Stream<Arguments> wrongTogether() {
    String guided = "sampling: {guidedDecoding: {jsonSchema: '{}', field: StructuredOutputs}}";
    return Stream.of(
        Arguments.of(OFFLINE + guided, SGLANG, "spec.sampling.guidedDecoding.field", VLLM),
        Arguments.of(
            OFFLINE + "client: {batchSize: 2}",
            VLLM + "endpointType: chat_completions",
            "spec.client.batchSize: chat_completions of InferenceBackend llm",
            VLLM),
        Arguments.of(
            OFFLINE + "client: {batchSize: 2}",
            SGLANG + "endpointType: completions",
            "spec.client.batchSize: completions of sglang",
            SGLANG),
        Arguments.of(
            OFFLINE + "mode: Accuracy",
            SGLANG + "endpointType: completions",
            "spec.mode: the accuracy log of llama3.1-8b holds token ids",
            SGLANG),
        Arguments.of(
            OFFLINE + "mode: Accuracy\nsampling: {accuracy: {minTokens: 0}}",
            OPENAI,
            "spec.mode: the accuracy log of llama3.1-8b holds token ids, and chat_completions of"
                + " openai gives none; use servers of vllm or sglang",
            VLLM),
        Arguments.of(
            OFFLINE + "client: {batchSize: 2}\nsampling: {performance: {minTokens: 0}}",
            OPENAI + "endpointType: completions",
            "spec.client.batchSize: completions of openai gives one token count for a whole batch;"
                + " remove it",
            VLLM),
        Arguments.of(
            OFFLINE + "sampling: {guidedDecoding: {jsonSchema: '{}'}, performance: {minTokens: 0}}",
            OPENAI + "endpointType: completions",
            "spec.sampling.guidedDecoding: completions of openai takes no schema; set"
                + " spec.endpointType of InferenceBackend llm to chat_completions",
            OPENAI),
        Arguments.of(
            OFFLINE + "metrics: {series: [a]}\nsampling: {performance: {minTokens: 0}}",
            OPENAI,
            "spec.metrics.series: InferenceBackend llm is openai",
            VLLM),
        Arguments.of(
            OFFLINE + "sampling: {performance: {temperature: 0.5, ignoreEos: true}}",
            OPENAI,
            "spec.sampling: InferenceBackend llm is openai, and OpenAI's API cannot say topK,"
                + " minTokens, ignoreEos; remove them",
            VLLM));
  }

  /** Temperature 0 says what a top-k of 1 says; what has no effect need not be said. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "{performance: {minTokens: 0}}",
        "{performance: {preset: Server, topK: -1, minP: 0, repetitionPenalty: 1, ignoreEos: false}}",
        "{performance: {preset: Server, temperature: 0.7, topP: 0.8, seed: 1, stop: [a, b, c, d]}}",
      })
  void whatOpenAisApiCanSayFitsIt(String sampling) {
    BenchmarkRun run = Fixtures.run("r", OFFLINE + "sampling: " + sampling);

    assertThat(RunSpecProblems.on(run, Fixtures.backend(OPENAI))).isEmpty();
  }

  @ParameterizedTest
  @MethodSource("wrongTogether")
  void runAndBackendHaveToFit(String spec, String backend, String problem, String fitting) {
    BenchmarkRun run = Fixtures.run("r", spec);
    assertThat(RunSpecProblems.of(run)).isEmpty();

    assertThat(RunSpecProblems.on(run, Fixtures.backend(backend)))
        .singleElement()
        .asString()
        .startsWith(problem);
    assertThat(RunSpecProblems.on(run, Fixtures.backend(fitting))).isEmpty();
  }

  @Test
  void aSchemaThatIsNoJsonIsAProblem() {
    assertThat(
            RunSpecProblems.of(
                Fixtures.run("r", OFFLINE + "sampling: {guidedDecoding: {jsonSchema: '{'}}")))
        .singleElement()
        .asString()
        .startsWith("spec.sampling.guidedDecoding.jsonSchema: is not valid JSON at line 1: ");
  }
}
