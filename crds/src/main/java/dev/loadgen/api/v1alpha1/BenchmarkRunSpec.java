package dev.loadgen.api.v1alpha1;

import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.loadgen.contract.DatasetFormat;
import dev.loadgen.contract.Durations;
import dev.loadgen.contract.GuidedDecodingField;
import dev.loadgen.contract.LoadBalancing;
import dev.loadgen.contract.Scenario;
import dev.loadgen.contract.TestMode;
import io.fabric8.crd.generator.annotation.PrinterColumn;
import io.fabric8.generator.annotation.Default;
import io.fabric8.generator.annotation.Max;
import io.fabric8.generator.annotation.Min;
import io.fabric8.generator.annotation.Pattern;
import io.fabric8.generator.annotation.Required;
import io.fabric8.generator.annotation.Size;
import io.fabric8.generator.annotation.ValidationRule;
import io.fabric8.kubernetes.api.model.Quantity;
import java.util.List;
import java.util.Map;

/**
 * What a {@link BenchmarkRun} shall do. What it measures is fixed once it is made: another test is
 * another run. When it runs, how long it may take and what becomes of it may change.
 */
@ValidationRule(
    value =
        // CEL cannot leave one field out, so all others are named. Optional types (self.?load)
        // would
        // be shorter, but count as of any size, which exceeds the cost that a rule may have.
        "self.benchmark == oldSelf.benchmark"
            + " && self.scenario == oldSelf.scenario"
            + " && (has(self.backendRef) ? has(oldSelf.backendRef) && self.backendRef == oldSelf.backendRef : !has(oldSelf.backendRef))"
            + " && (has(self.backend) ? has(oldSelf.backend) && self.backend == oldSelf.backend : !has(oldSelf.backend))"
            + " && self.dataset == oldSelf.dataset"
            + " && (has(self.ruleset) ? has(oldSelf.ruleset) && self.ruleset == oldSelf.ruleset : !has(oldSelf.ruleset))"
            + " && (has(self.mode) ? has(oldSelf.mode) && self.mode == oldSelf.mode : !has(oldSelf.mode))"
            + " && (has(self.compliance) ? has(oldSelf.compliance) && self.compliance == oldSelf.compliance : !has(oldSelf.compliance))"
            + " && (has(self.load) ? has(oldSelf.load) && self.load == oldSelf.load : !has(oldSelf.load))"
            + " && (has(self.client) ? has(oldSelf.client) && self.client == oldSelf.client : !has(oldSelf.client))"
            + " && (has(self.sampling) ? has(oldSelf.sampling) && self.sampling == oldSelf.sampling : !has(oldSelf.sampling))"
            + " && (has(self.accuracy) ? has(oldSelf.accuracy) && self.accuracy == oldSelf.accuracy : !has(oldSelf.accuracy))"
            + " && (has(self.metrics) ? has(oldSelf.metrics) && self.metrics == oldSelf.metrics : !has(oldSelf.metrics))"
            + " && (has(self.results) ? has(oldSelf.results) && self.results == oldSelf.results : !has(oldSelf.results))"
            + " && (has(self.mlflow) ? has(oldSelf.mlflow) && self.mlflow == oldSelf.mlflow : !has(oldSelf.mlflow))"
            + " && (has(self.debug) ? has(oldSelf.debug) && self.debug == oldSelf.debug : !has(oldSelf.debug))"
            + " && (has(self.runner) ? has(oldSelf.runner) && self.runner == oldSelf.runner : !has(oldSelf.runner))"
            + " && (has(self.queueName) ? has(oldSelf.queueName) && self.queueName == oldSelf.queueName : !has(oldSelf.queueName))",
    message =
        "spec cannot change but for suspend, dryRun, timeouts, restartPolicy, maxRestarts and ttlAfterFinished, since a result speaks of one spec; delete the run, or apply it under another name")
@ValidationRule(
    value = "!has(self.dryRun) || !self.dryRun || (has(oldSelf.dryRun) && oldSelf.dryRun)",
    message =
        "spec.dryRun can be unset, so that the run goes on, and not set; set spec.suspend if it shall wait")
@ValidationRule(
    value = TimeoutRules.BACKEND_READY,
    message = "spec.timeouts.backendReady can be raised, to at most 8760h, and not lowered")
@ValidationRule(
    value = TimeoutRules.QUEUE,
    message = "spec.timeouts.queue can be raised, to at most 8760h, and not lowered")
@ValidationRule(
    value = TimeoutRules.RUN,
    message = "spec.timeouts.run can be raised, to at most 8760h, and not lowered")
@ValidationRule(
    value = "has(self.backendRef) != has(self.backend)",
    message = "spec: give exactly one of backendRef and backend")
@ValidationRule(
    value =
        "!has(self.backend) || !has(self.backend.lifecycle) || self.backend.lifecycle == 'Always'",
    message =
        "spec.backend.lifecycle: servers of the run's own are always OnDemand; remove lifecycle and idleTimeout")
@ValidationRule(
    value = "!has(self.compliance) || !has(self.mode) || self.mode == 'Performance'",
    message =
        "spec.compliance: a compliance test is a Performance run with settings of its own; remove mode or set it to Performance")
@ValidationRule(
    value = "!has(self.load) || !has(self.load.targetQps) || self.scenario != 'SingleStream'",
    message = "spec.load.targetQps: SingleStream sends one query after another; remove it")
@ValidationRule(
    value = "self.scenario == 'Offline' || !has(self.client) || !has(self.client.batchSize)",
    message = "spec.client.batchSize: only Offline sends batches; remove it")
@ValidationRule(
    value =
        "!(has(self.client) && has(self.client.batchSize) && has(self.client.streaming) && self.client.streaming)",
    message =
        "spec.client.batchSize: a batch is not streamed; remove batchSize or set streaming to false")
public record BenchmarkRunSpec(
    @JsonPropertyDescription(
            "MLPerf benchmark that fixes model key, sample counts and limits; custom for any other model.")
        @Required
        @PrinterColumn(name = "Benchmark")
        Benchmark benchmark,
    @JsonPropertyDescription(
            "Rules of the verdict: an MLPerf round such as v6.1, or none for LoadGen's own settings and shorter runs.")
        @Default("none")
        @Pattern("^(none|v[0-9]+\\.[0-9]+)$")
        String ruleset,
    @JsonPropertyDescription("Offline, Server, Interactive or SingleStream.")
        @Required
        @PrinterColumn(name = "Scenario")
        Scenario scenario,
    @JsonPropertyDescription("Performance or Accuracy.")
        @Default("Performance")
        @PrinterColumn(name = "Mode", priority = 1)
        TestMode mode,
    @JsonPropertyDescription(
            "A compliance test of the round, such as TEST06: a Performance run with the settings of its audit, whose answers are verified. Under ruleset none those of the newest round. Default: none.")
        @Pattern("^TEST[0-9]{2}$")
        String compliance,
    @JsonPropertyDescription("The InferenceBackend to drive, in the same namespace.")
        BackendRef backendRef,
    @JsonPropertyDescription(
            "The spec of a backend of the run's own, instead of backendRef: it has the run's name, its servers exist only while the run has it, and it is deleted with the run.")
        InferenceBackendSpec backend,
    @JsonPropertyDescription("The samples.") @Required Dataset dataset,
    @JsonPropertyDescription("What LoadGen issues. Default: what benchmark and ruleset say.")
        Load load,
    @JsonPropertyDescription("How the runner sends requests.") Client client,
    @JsonPropertyDescription(
            "How the model generates, for each mode. Default: what the benchmark says.")
        Sampling sampling,
    @JsonPropertyDescription("How an Accuracy run is scored.") Accuracy accuracy,
    @JsonPropertyDescription("What is read from the servers' metrics during the test.")
        Metrics metrics,
    @JsonPropertyDescription("Where results are kept.") Results results,
    @JsonPropertyDescription("An MLflow server that gets parameters, metrics and files.")
        Mlflow mlflow,
    @JsonPropertyDescription(
            "Keep token statistics and where each request spent its time. Default: false.")
        Boolean debug,
    @JsonPropertyDescription("The pod that runs LoadGen.") Runner runner,
    @JsonPropertyDescription("How long each phase may take. Each can be raised at any time.")
        Timeouts timeouts,
    @JsonPropertyDescription(
            "A LocalQueue of Kueue in the same namespace, which admits the runner before it starts. Default: none.")
        String queueName,
    @JsonPropertyDescription(
            "How long after its end the run is deleted; its results stay. May change at any time. Default: never.")
        @Pattern(Durations.PATTERN)
        String ttlAfterFinished,
    @JsonPropertyDescription(
            "When a test that was not run to its end starts anew by itself: Never, or OnDisruption, when its runner was preempted or evicted, or its node went or stopped answering. Default: Never.")
        RestartPolicy restartPolicy,
    @JsonPropertyDescription(
            "How often restartPolicy starts the test anew, from 1 to 100. Default: 3.")
        @Min(1)
        @Max(100)
        Integer maxRestarts,
    @JsonPropertyDescription(
            "Only say in status.forecast what the test would be; nothing is started until this is unset. Default: false.")
        Boolean dryRun,
    @JsonPropertyDescription(
            "Whether the run holds nothing and waits. Set while it is under way, it ends the test, which starts from the beginning when this is unset. Default: false.")
        Boolean suspend) {

  /** A backend in the same namespace. */
  public record BackendRef(
      @JsonPropertyDescription("Name of the InferenceBackend.") @Required String name) {}

  /** A dataset file; exactly one source. */
  @ValidationRule(
      value =
          "[has(self.claimName), has(self.configMapName), has(self.url)].filter(x, x).size() == 1",
      message = "spec.dataset: give exactly one of claimName, configMapName and url")
  @ValidationRule(
      value = "has(self.url) != has(self.path)",
      message =
          "spec.dataset.path: the file's path in the claim or its key in the ConfigMap; not with url")
  public record Dataset(
      @JsonPropertyDescription("A PersistentVolumeClaim that holds the file.") String claimName,
      @JsonPropertyDescription("A ConfigMap that holds the file.") String configMapName,
      @JsonPropertyDescription("An http or https URL of the file.") @Pattern("^https?://.+")
          String url,
      @JsonPropertyDescription("The file: path below the claim's root, or key of the ConfigMap.")
          String path,
      @JsonPropertyDescription("Format of the file. Default: told by its content.") @Default("Auto")
          DatasetFormat format,
      @JsonPropertyDescription("Names of columns, where they are not the usual ones.")
          Columns columns,
      @JsonPropertyDescription("SHA-256 of the file in hexadecimal; another file is refused.")
          @Pattern("^[0-9a-f]{64}$")
          String sha256) {}

  /** Names of columns. */
  public record Columns(
      @JsonPropertyDescription(
              "Prompt as text. Default: the first of input, text_input, prompt, text.")
          String text,
      @JsonPropertyDescription(
              "Prompt as token ids. Default: the first of tok_input, input_tokens, input_ids, token_ids.")
          String tokenIds,
      @JsonPropertyDescription(
              "Number of prompt tokens. Default: the first of tok_input_len, tok_input_length, input_len, num_tokens.")
          String inputLength,
      @JsonPropertyDescription(
              "Reference answer. Default: the first of output, ref_output, ground_truth.")
          String target,
      @JsonPropertyDescription(
              "Chat messages as the OpenAI API has them. Default: messages; goes before text and tokenIds on chat_completions.")
          String messages,
      @JsonPropertyDescription("Image of a chat message. Default: product_image.") String image,
      @JsonPropertyDescription("Title in a chat message. Default: product_title.") String title,
      @JsonPropertyDescription("Description in a chat message. Default: product_description.")
          String description,
      @JsonPropertyDescription("System message. Default: system_message.") String systemMessage) {}

  /** What LoadGen issues. */
  public record Load(
      @JsonPropertyDescription(
              "Queries a second: the rate of Server and Interactive, the expected rate of Offline.")
          @Min(Bounds.LEAST_QPS)
          @Max(Bounds.QPS)
          Double targetQps,
      @JsonPropertyDescription("Least duration of the test.") @Pattern(Durations.PATTERN)
          String minDuration,
      @JsonPropertyDescription("Most duration of the test.") @Pattern(Durations.PATTERN)
          String maxDuration,
      @JsonPropertyDescription("Least number of queries.") @Min(1) @Max(Bounds.QUERIES)
          Long minQueryCount,
      @JsonPropertyDescription("Most number of queries.") @Min(1) @Max(Bounds.QUERIES)
          Long maxQueryCount,
      @JsonPropertyDescription(
              "Samples of the dataset that a performance test uses. Default: the benchmark's, at most the dataset's.")
          @Min(1)
          @Max(Bounds.SAMPLES)
          Integer performanceSampleCount,
      @JsonPropertyDescription(
              "Server: hand over queries that are due at the same time as one. Default: false.")
          Boolean coalesceQueries,
      @JsonPropertyDescription(
              "Latency limits of Server, Interactive and SingleStream. Default: the benchmark's.")
          Limits limits,
      @JsonPropertyDescription("Lines of a LoadGen user.conf, applied after all else.")
          String userConf,
      @JsonPropertyDescription("LoadGen's model key. Default: the benchmark's.") String lgModelName,
      @JsonPropertyDescription(
              "End the test as soon as it can no longer be Valid; the run then is Failed, with reason CannotBeValid. Default: false.")
          Boolean failFast) {}

  /** Latency limits at the 99th percentile. */
  public record Limits(
      @JsonPropertyDescription("Time to first token.") @Pattern(Durations.PATTERN) String ttft,
      @JsonPropertyDescription("Time per output token after the first.") @Pattern(Durations.PATTERN)
          String tpot,
      @JsonPropertyDescription("Whole query; used where token latencies are not.")
          @Pattern(Durations.PATTERN)
          String latency) {}

  /** How the runner sends requests. */
  public record Client(
      @JsonPropertyDescription("Offline: samples a request. Default: one request a sample.")
          @Min(1)
          @Max(Bounds.CONCURRENCY)
          Integer batchSize,
      @JsonPropertyDescription(
              "Most requests in flight. Default: 1024 for Offline, 1 for SingleStream, none for Server and Interactive.")
          @Min(1)
          @Max(Bounds.CONCURRENCY)
          Integer maxConcurrency,
      @JsonPropertyDescription("Read answers token by token. Default: true, but not for batches.")
          Boolean streaming,
      @JsonPropertyDescription("How requests are spread over replicas.") @Default("RoundRobin")
          LoadBalancing loadBalancing,
      @JsonPropertyDescription(
              "How long one request may take; then its samples have failed. Default: 10m, and 300ms more for each token of the longest answer that sampling allows.")
          @Pattern(Durations.PATTERN)
          String requestTimeout,
      @JsonPropertyDescription("Requests sent to each replica before the clock starts. Default: 4.")
          @Min(0)
          @Max(Bounds.TRIES)
          Integer warmupRequests,
      @JsonPropertyDescription(
              "Times that a failed request is sent again before its samples have failed; each is counted in the result. MLPerf rounds allow none. Default: 0.")
          @Min(0)
          @Max(Bounds.TRIES)
          Integer retries) {}

  /** How the model generates, for each mode. */
  public record Sampling(
      @JsonPropertyDescription("In Performance mode.") SamplingParameters performance,
      @JsonPropertyDescription("In Accuracy mode.") SamplingParameters accuracy,
      @JsonPropertyDescription(
              "A generation_config.json; what the parameters above leave unset comes from it.")
          ConfigMapKey generationConfig,
      @JsonPropertyDescription("Answers are JSON of a schema.") GuidedDecoding guidedDecoding) {}

  /** A key of a ConfigMap in the same namespace. */
  public record ConfigMapKey(
      @JsonPropertyDescription("Name of the ConfigMap.") @Required String name,
      @JsonPropertyDescription("Key in the ConfigMap.") @Required String key) {}

  /** Constrained decoding. */
  public record GuidedDecoding(
      @JsonPropertyDescription(
              "JSON schema of an answer, as JSON. Default: that of the benchmark, which qwen3-vl-235b-a22b has.")
          String jsonSchema,
      @JsonPropertyDescription(
              "The field that carries the schema: ResponseFormat as the OpenAI API has it, or StructuredOutputs of vLLM.")
          @Default("ResponseFormat")
          GuidedDecodingField field) {}

  /** Parameters of one generation; what is unset is the benchmark's, or is not sent. */
  public record SamplingParameters(
      @JsonPropertyDescription(
              "What unset parameters are: Benchmark as the ruleset says, Greedy for temperature 0 and the likeliest token, or Server for the server's own defaults. Default: Benchmark.")
          SamplingPreset preset,
      @JsonPropertyDescription("Temperature; 0 is greedy.") @Min(0) @Max(Bounds.SAMPLING)
          Double temperature,
      @JsonPropertyDescription("Candidates at each step; -1 for all.") @Min(-1) @Max(Bounds.TOKENS)
          Integer topK,
      @JsonPropertyDescription("Probability mass of the candidates, above 0 to 1.") @Min(0) @Max(1)
          Double topP,
      @JsonPropertyDescription(
              "Least probability of a candidate, as a share of the likeliest one's.")
          @Min(0)
          @Max(1)
          Double minP,
      @JsonPropertyDescription("Penalty on tokens seen in prompt or answer; 1 is none.")
          @Min(value = 0, inclusive = false)
          @Max(Bounds.SAMPLING)
          Double repetitionPenalty,
      @JsonPropertyDescription("Penalty on tokens seen in the answer, -2 to 2; 0 is none.")
          @Min(-2)
          @Max(2)
          Double presencePenalty,
      @JsonPropertyDescription(
              "Penalty on tokens by how often the answer has them, -2 to 2; 0 is none.")
          @Min(-2)
          @Max(2)
          Double frequencyPenalty,
      @JsonPropertyDescription("Texts that end an answer.") @Size(max = Bounds.ENTRIES)
          List<String> stop,
      @JsonPropertyDescription("Token ids that end an answer.") @Size(max = Bounds.ENTRIES)
          List<@Min(0) @Max(Bounds.TOKENS) Integer> stopTokenIds,
      @JsonPropertyDescription("Least tokens of an answer.") @Min(0) @Max(Bounds.TOKENS)
          Integer minTokens,
      @JsonPropertyDescription("Most tokens of an answer.") @Min(1) @Max(Bounds.TOKENS)
          Integer maxNewTokens,
      @JsonPropertyDescription("Seed of the server's sampler.")
          @Min(-Bounds.INT64)
          @Max(Bounds.INT64)
          Long seed,
      @JsonPropertyDescription("Go on after the end-of-sequence token, for a fixed answer length.")
          Boolean ignoreEos) {}

  /** How an Accuracy run is scored. */
  public record Accuracy(
      @JsonPropertyDescription("Score the answers when the test has ended. Default: true.")
          Boolean evaluate,
      @JsonPropertyDescription(
              "The model's tokenizer.json, which turns token ids into text: path below the root of the dataset's claim. Default: tokenizer.json beside the dataset.")
          String tokenizerPath) {}

  /** What is read from the servers' metrics during the test. */
  public record Metrics(
      @JsonPropertyDescription("Time between two readings of each server. Default: 5s.")
          @Pattern(Durations.PATTERN)
          String interval,
      @JsonPropertyDescription(
              "Names of further series that the report plots, as the server has them.")
          List<String> series) {}

  /** An MLflow server. */
  public record Mlflow(
      @JsonPropertyDescription("Base URL of the tracking server, such as http://mlflow:5000.")
          @Required
          @Pattern("^https?://.+")
          String url,
      @JsonPropertyDescription("Experiment; made when it is not there.") @Required
          String experiment,
      @JsonPropertyDescription("Description of the MLflow run.") String description,
      @JsonPropertyDescription("Tags of the MLflow run.") Map<String, String> tags,
      @JsonPropertyDescription("The Secret with the bearer token.")
          InferenceBackendSpec.SecretKey tokenSecretRef) {}

  /** Where results are kept. */
  @ValidationRule(
      value =
          "!(has(self.claimName) && (has(self.size) || has(self.storageClassName) || has(self.accessModes) || has(self.retention)))",
      message =
          "spec.results: claimName names an existing claim; remove it, or remove size, storageClassName, accessModes and retention")
  public record Results(
      @JsonPropertyDescription(
              "An existing PersistentVolumeClaim. Default: one is made, NAME-results.")
          String claimName,
      @JsonPropertyDescription("Size of the claim that is made, as a quantity. Default: 10Gi.")
          Quantity size,
      @JsonPropertyDescription("Storage class of the claim that is made. Default: the cluster's.")
          String storageClassName,
      @JsonPropertyDescription(
              "How the claim that is made can be mounted; ReadWriteMany if results shall be read on any node while a runner writes. Default: ReadWriteOnce.")
          @Size(min = 1, max = 3)
          List<AccessMode> accessModes,
      @JsonPropertyDescription(
              "What becomes of the claim that is made when the run is deleted, by somebody or by ttlAfterFinished: Keep, or Delete, with all results in it. A claim that an earlier run of this name has kept stays. Default: Keep.")
          Retention retention,
      @JsonPropertyDescription(
              "The Secret with a private key that signs the statement of what is in the results folder. Default: it is not signed.")
          SigningKey signingKeySecretRef) {}

  /** A private key of a Secret in the same namespace: Ed25519, or ECDSA on P-256. */
  public record SigningKey(
      @JsonPropertyDescription("Name of the Secret.") @Required String name,
      @JsonPropertyDescription(
              "Key in the Secret, whose value is PKCS#8 in PEM. Default: signing.key.")
          String key) {}

  /** The pod that runs LoadGen. */
  @ValidationRule(
      value = "!has(self.scheduling) || !has(self.scheduling.queueName)",
      message =
          "spec.runner.scheduling.queueName is of servers: name the runner's queue by spec.queueName")
  public record Runner(
      @JsonPropertyDescription(
              "Container image. Default: the operator's own version of the runner.")
          String image,
      @JsonPropertyDescription(
              "CPU and memory; limits equal requests. Default: 4 CPUs, and 4Gi or what the dataset of the round needs.")
          Map<String, Quantity> resources,
      @JsonPropertyDescription("Where the pod may run. Default: rather not beside its servers.")
          InferenceBackendSpec.Scheduling scheduling,
      @JsonPropertyDescription(
              "A partial pod template, merged over ours as a strategic merge patch: containers by name; ours is called runner.")
          ObjectNode podTemplate) {}

  /** How long each phase may take. May be raised at any time. */
  public record Timeouts(
      @JsonPropertyDescription(
              "From the run's turn on its backend until the backend is ready, without the time that its servers wait for their turn. Default: 30m.")
          @Pattern(Durations.PATTERN)
          String backendReady,
      @JsonPropertyDescription(
              "How long the servers may wait for their turn, from the run's turn on its backend: for Kueue, where they have a queueName, or for GPUs that other servers on demand have. And then as long the runner for Kueue, from the ready backend, where it has a queueName. Default: 6h.")
          @Pattern(Durations.PATTERN)
          String queue,
      @JsonPropertyDescription("From the start of the runner to its end. Default: 6h.")
          @Pattern(Durations.PATTERN)
          String run) {}

  /** The ruleset, {@code none} unless set. */
  public String rulesetOrDefault() {
    return ruleset == null ? "none" : ruleset;
  }

  /** When the test starts anew by itself, never unless set. */
  public RestartPolicy restartPolicyOrDefault() {
    return restartPolicy == null ? RestartPolicy.Never : restartPolicy;
  }

  /** How often it does at most, 3 times unless set. */
  public int maxRestartsOrDefault() {
    return maxRestarts == null ? 3 : maxRestarts;
  }

  /** Whether the run shall hold nothing, false unless set. */
  public boolean suspendOrDefault() {
    return Boolean.TRUE.equals(suspend);
  }

  /** The mode, Performance unless set. */
  public TestMode modeOrDefault() {
    return mode == null ? TestMode.Performance : mode;
  }
}
