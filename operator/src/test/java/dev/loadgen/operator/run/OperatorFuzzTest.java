package dev.loadgen.operator.run;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.loadgen.api.v1alpha1.BenchmarkRun;
import dev.loadgen.api.v1alpha1.InferenceBackend;
import dev.loadgen.contract.Durations;
import dev.loadgen.fuzz.Fuzz;
import dev.loadgen.operator.ApiJson;
import dev.loadgen.operator.backend.BackendSpecProblems;
import dev.loadgen.reconcile.access.ExternalHosts;
import io.fabric8.kubernetes.api.model.ContainerStateTerminatedBuilder;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Whatever a runner leaves, a ConfigMap holds or somebody writes: it is read or refused. */
class OperatorFuzzTest {
  private static final KubernetesSerialization API = ApiJson.serialization();
  private static final ObjectMapper JSON =
      new ObjectMapper().enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS);

  private static final String SUMMARY =
      """
      {"version":1,"failure":null,"verdict":"Invalid","verdictReasons":[{"rule":"Ttft","message":"m","fix":"f"}],
       "result":{"metric":"tokens_per_second","value":5.5,"unit":"tokens/s","completed":4010,"failed":0,"outputTokens":9,
       "tokenCountSource":"usage","tokensPerSecond":2.5,"samplesPerSecond":1.0,"durationSeconds":10.5,
       "latency":{"mean":1.0,"p50":1.5,"p90":1,"p99":2,"p999":3},"ttft":null,"tpot":{"mean":1.0,"p50":1.5,"p90":1,"p99":2,"p999":3},
       "retries":0,"accuracy":[{"name":"ROUGE1","value":38.5}],
       "replicas":[{"name":"server-0","completed":4010,"failed":0,"outputTokens":9}]},
       "resultsPath":"r/uid","startedAt":"2026-01-01T00:00:00Z","finishedAt":"2026-01-01T00:01:00Z"}
      """;
  private static final String FAILURE =
      "{\"version\":1,\"failure\":{\"reason\":\"DatasetInvalid\",\"message\":\"no column\"},\"resultsPath\":\"r/uid\"}";

  @Test
  void summaries() {
    Fuzz.of("runner-end")
        .run(
            2_500,
            change ->
                change.json((change.oneIn(4) ? FAILURE : SUMMARY).getBytes(StandardCharsets.UTF_8)),
            input -> {
              String message = new String(input, StandardCharsets.UTF_8);
              RunDecision decision =
                  RunnerEnd.decide(
                      new ContainerStateTerminatedBuilder()
                          .withExitCode(input.length % 3 == 0 ? 1 : 0)
                          .withMessage(message)
                          .build(),
                      input.length % 7 == 0);
              assertThat(decision)
                  .isInstanceOfAny(RunDecision.Complete.class, RunDecision.Fail.class);
              if (decision instanceof RunDecision.Fail fail) {
                assertThat(fail.reason()).matches("[A-Za-z][A-Za-z0-9_,:]*");
                assertThat(fail.message()).isNotNull();
              }
              return decision instanceof RunDecision.Complete;
            });
  }

  @Test
  void generationConfigs() {
    String config =
        """
        {"bos_token_id": 128000, "do_sample": true, "eos_token_id": [128001, 128008], "temperature": 0.6, "top_p": 0.9,
         "top_k": 50, "min_p": 0.0, "repetition_penalty": 1.05, "max_new_tokens": 256, "transformers_version": "4.46.2"}
        """;
    Fuzz.of("generation-config")
        .refusing(IllegalArgumentException.class)
        .run(
            2_500,
            change -> change.json(config).getBytes(StandardCharsets.UTF_8),
            input -> {
              GenerationConfig read =
                  GenerationConfig.parse(new String(input, StandardCharsets.UTF_8));
              assertThat(read.topP() == null || (read.topP() > 0 && read.topP() <= 1)).isTrue();
              return true;
            });
  }

  @Test
  void durations() {
    Fuzz.of("duration")
        .refusing(IllegalArgumentException.class)
        .run(
            4_000,
            change ->
                change
                    .text(change.oneOf("90s", "1h30m", "250ms", "0.5s", "8760h", "1h1m1s1ms"))
                    .getBytes(StandardCharsets.UTF_8),
            input -> {
              assertThat(Durations.parse("f", new String(input, StandardCharsets.UTF_8)))
                  .isBetween(Duration.ZERO, Durations.LONGEST);
              return true;
            });
  }

  @Test
  void quantities() {
    Fuzz.of("quantity")
        .run(
            1_000,
            change ->
                change
                    .text(change.oneOf("500m", "4", "16Gi", "1e3", "+1.5", "9E", "1n", "0.5Ti"))
                    .getBytes(StandardCharsets.UTF_8),
            input -> {
              String amount = new String(input, StandardCharsets.UTF_8);
              BenchmarkRun run =
                  API.unmarshal(
                      API.asJson(
                          Map.of(
                              "apiVersion",
                              "loadgen.dev/v1alpha1",
                              "kind",
                              "BenchmarkRun",
                              "metadata",
                              Map.of("name", "r"),
                              "spec",
                              Map.of("results", Map.of("size", amount)))),
                      BenchmarkRun.class);
              Quantity size =
                  run.getSpec().results() == null ? null : run.getSpec().results().size();
              assertThat(size == null).isEqualTo(!run.getUnreadable().isEmpty());
              if (size != null) {
                assertThat(Quantity.getAmountInBytes(size)).isNotNull();
              }
              return size != null;
            });
  }

  @Test
  void hostsOfOthers() {
    Fuzz.of("external-hosts")
        .refusing(IllegalArgumentException.class)
        .run(
            3_000,
            change ->
                change
                    .text(
                        change.oneOf(
                            "*",
                            "*.models.svc,llm.example",
                            "*,10.4.0.0/16",
                            "*,!10.0.0.0/8",
                            "fd00::/8",
                            "::ffff:10.0.0.1/100"))
                    .getBytes(StandardCharsets.UTF_8),
            input -> {
              String[] entries = new String(input, StandardCharsets.UTF_8).split(",", -1);
              assertThat(ExternalHosts.of("setting", List.of(entries))).isNotNull();
              return true;
            });
  }

  /** What an API server sends need not be what this version's schema describes. */
  @Test
  void customResources() {
    String run =
        """
        {"benchmark":"llama3.1-8b","ruleset":"v6.1","scenario":"Server","mode":"Performance","backendRef":{"name":"b"},
         "dataset":{"claimName":"d","path":"p.json","columns":{"text":"t"}},
         "load":{"targetQps":1.5,"minDuration":"10s","userConf":"*.Server.target_qps = 2"},
         "sampling":{"performance":{"temperature":0.5,"stopTokenIds":[1,2]}},
         "runner":{"resources":{"cpu":4,"memory":"4Gi"},
          "podTemplate":{"spec":{"containers":[{"name":"runner","env":[{"name":"A","value":"b"}]}]}}},
         "timeouts":{"run":"3h"},"mlflow":{"url":"http://m","experiment":"e"}}""";
    String status =
        """
        {"phase":"Running","startedAt":"2026-01-01T00:00:00Z","conditions":[{"type":"Failed","status":"False",
         "lastTransitionTime":"2026-01-01T00:00:00Z","reason":"R","message":"m"}]}""";
    String backend =
        """
        {"engine":"vllm","image":"vllm/vllm-openai:v0.10.1","model":{"name":"m","claim":{"claimName":"c","path":"p"}},
         "replicas":2,"gpusPerReplica":4,"args":["--max-model-len","4096","--speculative-config={\\"method\\":\\"eagle\\"}"],
         "env":[{"name":"A","value":"b"}],
         "access":{"apiKeySecretRef":{"name":"s","key":"k"}},"resources":{"cpu":4}}""";
    assertThat(
            RunSpecProblems.of(
                API.unmarshal(resource("BenchmarkRun", run, status), BenchmarkRun.class)))
        .isEmpty();
    assertThat(
            BackendSpecProblems.of(
                API.unmarshal(resource("InferenceBackend", backend, "{}"), InferenceBackend.class)))
        .isEmpty();
    Fuzz.of("custom-resource")
        .run(
            1_000,
            change -> {
              boolean ofRun = change.oneIn(2);
              String spec = ofRun ? run : backend;
              return resource(
                      ofRun ? "BenchmarkRun" : "InferenceBackend",
                      change.oneIn(10) ? spec : change.json(spec),
                      ofRun && change.oneIn(3) ? change.json(status) : "{}")
                  .getBytes(StandardCharsets.UTF_8);
            },
            input -> {
              String json = sent(new String(input, StandardCharsets.UTF_8));
              return json != null && (json.contains("BenchmarkRun") ? run(json) : backend(json));
            });
  }

  private static String resource(String kind, String spec, String status) {
    return """
    {"apiVersion":"loadgen.dev/v1alpha1","kind":"%s",
     "metadata":{"name":"r","namespace":"n","uid":"u","generation":1},"spec":%s,"status":%s}
    """
        .formatted(kind, spec, status);
  }

  /** As an API server sends it, which has no halves of characters and no number beyond 64 bits. */
  private static @Nullable String sent(String json) {
    try {
      String written = JSON.readTree(json).toString();
      return StandardCharsets.UTF_8.newEncoder().canEncode(written)
              && !written.matches("(?s).*[0-9]{20}.*")
          ? written
          : null;
    } catch (JsonProcessingException e) {
      return null;
    }
  }

  private static boolean run(String json) {
    BenchmarkRun run = API.unmarshal(json, BenchmarkRun.class);
    List<String> problems = RunSpecProblems.of(run);
    assertThat(problems).doesNotContainNull();
    return problems.isEmpty();
  }

  private static boolean backend(String json) {
    InferenceBackend backend = API.unmarshal(json, InferenceBackend.class);
    List<String> problems = BackendSpecProblems.of(backend);
    assertThat(problems).doesNotContainNull();
    return problems.isEmpty();
  }
}
