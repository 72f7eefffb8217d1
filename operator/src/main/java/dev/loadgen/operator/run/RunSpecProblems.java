package dev.loadgen.operator.run;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.loadgen.api.v1alpha1.BenchmarkRun;
import dev.loadgen.api.v1alpha1.BenchmarkRunSpec;
import dev.loadgen.api.v1alpha1.Bounds;
import dev.loadgen.api.v1alpha1.InferenceBackend;
import dev.loadgen.api.v1alpha1.NameRules;
import dev.loadgen.contract.EndpointType;
import dev.loadgen.contract.Engine;
import dev.loadgen.contract.EngineProfile;
import dev.loadgen.contract.GuidedDecodingField;
import dev.loadgen.contract.JsonWords;
import dev.loadgen.contract.RunPlan.CompletionData;
import dev.loadgen.contract.Scenario;
import dev.loadgen.contract.TestMode;
import dev.loadgen.contract.Urls;
import dev.loadgen.desired.Names;
import dev.loadgen.desired.Problems;
import dev.loadgen.desired.RunBackends;
import dev.loadgen.desired.RunnerMemory;
import dev.loadgen.desired.RunnerTemplates;
import dev.loadgen.operator.backend.BackendSpecProblems;
import dev.loadgen.reconcile.status.Unreadable;
import dev.loadgen.rules.ruleset.AuditRules;
import dev.loadgen.rules.ruleset.BenchmarkRules;
import dev.loadgen.rules.ruleset.Ruleset;
import dev.loadgen.rules.ruleset.ScenarioRules;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * What is wrong with a run's spec. Rules of the CRD are here once more where a run that was stored
 * before there was the rule would be another test than it says; and the rules that need a ruleset.
 * A spec without problems always has a plan.
 */
public final class RunSpecProblems {
  private static final ObjectMapper JSON =
      new ObjectMapper().enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS);
  private static final Pattern URL = Pattern.compile("https?://.+");
  private static final Pattern SHA256 = Pattern.compile("[0-9a-f]{64}");
  private static final Pattern TARGET_QPS = Pattern.compile("(?m)^[^#\\n]*\\.target_qps\\s*=");

  /** A backend's own path to a field, and no {@code spec} further in, as a pod template has one. */
  private static final Pattern BACKEND_FIELD = Pattern.compile("(?<=^|\\s)spec\\.");

  private RunSpecProblems() {}

  /** All problems; empty if there are none. */
  public static List<String> of(BenchmarkRun run) {
    BenchmarkRunSpec spec = run.getSpec();
    if (spec == null) {
      return List.of("spec: is missing");
    }
    List<String> unreadable = Unreadable.ofSpec(run.getUnreadable());
    if (!unreadable.isEmpty()) {
      return unreadable; // what is left of the spec is not what was asked for
    }
    Problems problems = new Problems();
    String name = run.getMetadata().getName();
    problems.check(name.length() > NameRules.RUN_LENGTH, NameRules.RUN_WORDS);
    problems.required("spec.benchmark", spec.benchmark());
    problems.required("spec.scenario", spec.scenario());
    problems.check(
        (spec.backendRef() == null) == (spec.backend() == null),
        "spec: give exactly one of backendRef and backend");
    if (spec.backendRef() != null) {
      problems.required("spec.backendRef.name", spec.backendRef().name());
      problems.objectName("spec.backendRef.name", spec.backendRef().name());
    }
    problems.required("spec.dataset", spec.dataset());
    if (!problems.all().isEmpty()) {
      return problems.all();
    }
    backend(problems, run);
    dataset(problems, spec.dataset());
    load(problems, spec);
    client(problems, spec);
    sampling(problems, spec);
    accuracy(problems, spec);
    metrics(problems, spec.metrics());
    mlflow(problems, spec.mlflow());
    results(problems, spec.results());
    timeouts(problems, spec.timeouts());
    problems.matches("spec.queueName", spec.queueName(), Names.QUEUE, Names.QUEUE_WORDS);
    problems.check(
        spec.runner() != null
            && spec.runner().scheduling() != null
            && spec.runner().scheduling().queueName() != null,
        "spec.runner.scheduling.queueName is of servers: name the runner's queue by spec.queueName");
    problems.duration("spec.ttlAfterFinished", spec.ttlAfterFinished());
    rules(problems, spec);
    // The template is merged over ours, which can be made of a spec without problems only.
    return problems.all().isEmpty() ? RunnerTemplates.problems(run) : problems.all();
  }

  private static void backend(Problems problems, BenchmarkRun run) {
    if (run.getSpec().backend() == null) {
      return;
    }
    BackendSpecProblems.of(RunBackends.described(run)).stream()
        .map(RunSpecProblems::ofOwnBackend)
        .forEach(problem -> problems.check(true, problem));
  }

  /** A problem of a backend, said of the run that brings it. */
  public static String ofOwnBackend(String problem) {
    return BACKEND_FIELD.matcher(problem).replaceAll("spec.backend.");
  }

  /** What is wrong with a run on a backend, though each is right by itself. */
  static List<String> on(BenchmarkRun run, InferenceBackend backend) {
    BenchmarkRunSpec spec = run.getSpec();
    if (!BackendSpecProblems.of(backend).isEmpty()) {
      return List.of(); // the backend's own condition says what is wrong
    }
    Engine engine = backend.getSpec().engine();
    EngineProfile profile = EngineProfile.of(engine);
    EndpointType endpoint = backend.getSpec().endpointTypeOrDefault();
    String name = "InferenceBackend " + backend.getMetadata().getName();
    Problems problems = new Problems();
    GuidedDecodingField field = guidedBy(spec);
    boolean guided = field == null || profile.guidedFields(endpoint).contains(field);
    problems.check(
        !guided && field == GuidedDecodingField.StructuredOutputs,
        ("spec.sampling.guidedDecoding.field: StructuredOutputs is a field of vllm, and %s is"
                + " %s; use ResponseFormat")
            .formatted(name, engine));
    problems.check(
        !guided && field == GuidedDecodingField.ResponseFormat,
        ("spec.sampling.guidedDecoding: %s of %s takes no schema; set spec.endpointType of %s"
                + " to chat_completions")
            .formatted(endpoint, engine, name));
    Integer batch = spec.client() == null ? null : spec.client().batchSize();
    problems.check(
        batch != null && batch > 1 && endpoint == EndpointType.chat_completions,
        "spec.client.batchSize: chat_completions of "
            + name
            + " takes one prompt a request; remove it");
    problems.check(
        batch != null
            && batch > 1
            && endpoint != EndpointType.chat_completions
            && !profile.batchRoutes().contains(endpoint),
        "spec.client.batchSize: "
            + endpoint
            + " of "
            + engine
            + " gives one token count for a whole batch; remove it"
            + routeOf(profile.batchRoutes(), name).map(route -> ", or set " + route).orElse(""));
    boolean logsTokenIds =
        (spec.modeOrDefault() == TestMode.Accuracy || spec.compliance() != null)
            && Ruleset.named(spec.rulesetOrDefault())
                    .benchmark(spec.benchmark().id())
                    .completionData()
                == CompletionData.TOKEN_IDS;
    problems.check(
        logsTokenIds && !profile.tokenIdRoutes().contains(endpoint),
        (spec.compliance() == null ? "spec.mode" : "spec.compliance")
            + ": the accuracy log of "
            + spec.benchmark().id()
            + " holds token ids, and "
            + endpoint
            + " of "
            + engine
            + " gives none; "
            + routeOf(profile.tokenIdRoutes(), name)
                .map(route -> "set " + route)
                .orElse("use servers of vllm or sglang"));
    beyondApi(problems, spec, profile, name + " is " + engine);
    return problems.all();
  }

  /** The field by which a schema is sent; null: answers are free. */
  private static @Nullable GuidedDecodingField guidedBy(BenchmarkRunSpec spec) {
    BenchmarkRunSpec.GuidedDecoding guided =
        spec.sampling() == null ? null : spec.sampling().guidedDecoding();
    return guided == null
        ? null
        : Objects.requireNonNullElse(guided.field(), GuidedDecodingField.ResponseFormat);
  }

  /** The field and the route to set it to, where one does what is asked for. */
  private static Optional<String> routeOf(Set<EndpointType> routes, String backend) {
    return routes.stream()
        .sorted()
        .findFirst()
        .map(route -> "spec.endpointType of " + backend + " to " + route);
  }

  /** What a generation_config.json says is not known here; the runner refuses it. */
  private static void beyondApi(
      Problems problems, BenchmarkRunSpec spec, EngineProfile profile, String backend) {
    problems.check(
        !profile.hasCounters()
            && spec.metrics() != null
            && spec.metrics().series() != null
            && !spec.metrics().series().isEmpty(),
        "spec.metrics.series: " + backend + ", whose servers have no known metrics; remove it");
    if (profile.extendsOpenAi()
        || (spec.sampling() != null && spec.sampling().generationConfig() != null)) {
      return;
    }
    List<String> beyond =
        SamplingPlans.certain(
                spec, Ruleset.named(spec.rulesetOrDefault()).benchmark(spec.benchmark().id()))
            .beyondOpenAi();
    problems.check(
        !beyond.isEmpty(),
        ("spec.sampling: %s, and OpenAI's API cannot say %s; remove them, or set preset to"
                + " Server if the ruleset sets them")
            .formatted(backend, String.join(", ", beyond)));
  }

  private static void dataset(Problems problems, BenchmarkRunSpec.Dataset dataset) {
    long sources =
        Stream.of(dataset.claimName(), dataset.configMapName(), dataset.url())
            .filter(Objects::nonNull)
            .count();
    problems.check(
        sources != 1, "spec.dataset: give exactly one of claimName, configMapName and url");
    problems.check(
        (dataset.url() != null) == (dataset.path() != null),
        "spec.dataset.path: the file's path in the claim or its key in the ConfigMap; not with url");
    url(
        problems,
        "spec.dataset.url",
        dataset.url(),
        "remove them, and use a claim, or a URL that needs none");
    problems.matches(
        "spec.dataset.sha256",
        dataset.sha256(),
        SHA256,
        "must be 64 hexadecimal digits in lower case");
    below(problems, "spec.dataset.path", dataset.path());
    problems.objectName("spec.dataset.claimName", dataset.claimName());
    problems.objectName("spec.dataset.configMapName", dataset.configMapName());
  }

  /** Whoever may read the run, its status or its results may read the URL. */
  private static void url(
      Problems problems, String field, @Nullable String url, String insteadOfUser) {
    if (url == null) {
      return;
    }
    problems.check(
        !URL.matcher(url).matches(),
        field + ": must begin with http:// or https://, not " + Urls.shown(url));
    problems.check(Urls.hasUserInfo(url), field + ": holds a user or a password; " + insteadOfUser);
  }

  private static void below(Problems problems, String field, @Nullable String path) {
    problems.check(
        path != null
            && (path.isEmpty()
                || path.startsWith("/")
                || Arrays.asList(path.split("/", -1)).contains("..")),
        field + ": must be relative and stay below the root of the volume, not " + path);
  }

  private static void accuracy(Problems problems, BenchmarkRunSpec spec) {
    BenchmarkRunSpec.Accuracy accuracy = spec.accuracy();
    if (accuracy == null) {
      return;
    }
    below(problems, "spec.accuracy.tokenizerPath", accuracy.tokenizerPath());
    problems.check(
        accuracy.tokenizerPath() != null && spec.dataset().claimName() == null,
        "spec.accuracy.tokenizerPath: is a path in the dataset's claim; set spec.dataset.claimName");
  }

  private static void load(Problems problems, BenchmarkRunSpec spec) {
    BenchmarkRunSpec.Load load = spec.load();
    Double targetQps = load == null ? null : load.targetQps();
    String userConf = load == null ? null : load.userConf();
    boolean paced = spec.scenario() == Scenario.Server || spec.scenario() == Scenario.Interactive;
    problems.check(
        paced && targetQps == null && (userConf == null || !TARGET_QPS.matcher(userConf).find()),
        "spec.load.targetQps: "
            + spec.scenario()
            + " issues queries at a rate; give the rate in queries a second");
    if (load == null) {
      return;
    }
    problems.check(
        targetQps != null && spec.scenario() == Scenario.SingleStream,
        "spec.load.targetQps: SingleStream sends one query after another; remove it");
    problems.check(
        targetQps != null && !(targetQps > 0 && targetQps < Double.POSITIVE_INFINITY),
        "spec.load.targetQps: must be above 0, not " + targetQps);
    problems.check(
        targetQps != null
            && targetQps > 0
            && !(targetQps >= Bounds.LEAST_QPS && targetQps <= Bounds.QPS),
        "spec.load.targetQps: must be from 0.000001 to 1000000, not " + targetQps);
    problems.duration("spec.load.minDuration", load.minDuration());
    problems.duration("spec.load.maxDuration", load.maxDuration());
    problems.bounded("spec.load.minQueryCount", load.minQueryCount(), 1, Bounds.QUERIES);
    problems.bounded("spec.load.maxQueryCount", load.maxQueryCount(), 1, Bounds.QUERIES);
    problems.check(
        load.minQueryCount() != null
            && load.maxQueryCount() != null
            && load.maxQueryCount() < load.minQueryCount(),
        "spec.load.maxQueryCount: must not be below spec.load.minQueryCount");
    problems.bounded(
        "spec.load.performanceSampleCount", load.performanceSampleCount(), 1, Bounds.SAMPLES);
    BenchmarkRunSpec.Limits limits = load.limits();
    if (limits != null) {
      problems.duration("spec.load.limits.ttft", limits.ttft());
      problems.duration("spec.load.limits.tpot", limits.tpot());
      problems.duration("spec.load.limits.latency", limits.latency());
    }
  }

  private static void client(Problems problems, BenchmarkRunSpec spec) {
    BenchmarkRunSpec.Client client = spec.client();
    if (client == null) {
      return;
    }
    problems.bounded("spec.client.batchSize", client.batchSize(), 1, Bounds.CONCURRENCY);
    problems.bounded("spec.client.maxConcurrency", client.maxConcurrency(), 1, Bounds.CONCURRENCY);
    problems.check(
        spec.scenario() == Scenario.SingleStream
            && client.maxConcurrency() != null
            && client.maxConcurrency() > 1,
        "spec.client.maxConcurrency: SingleStream has one query in flight; remove it");
    problems.duration("spec.client.requestTimeout", client.requestTimeout());
    problems.bounded("spec.client.warmupRequests", client.warmupRequests(), 0, Bounds.TRIES);
    problems.bounded("spec.client.retries", client.retries(), 0, Bounds.TRIES);
  }

  private static void sampling(Problems problems, BenchmarkRunSpec spec) {
    if (spec.sampling() == null) {
      return;
    }
    sampling(problems, "spec.sampling.performance", spec.sampling().performance());
    sampling(problems, "spec.sampling.accuracy", spec.sampling().accuracy());
    BenchmarkRunSpec.ConfigMapKey config = spec.sampling().generationConfig();
    if (config != null) {
      problems.required("spec.sampling.generationConfig.name", config.name());
      problems.objectName("spec.sampling.generationConfig.name", config.name());
      problems.required("spec.sampling.generationConfig.key", config.key());
    }
    guidedDecoding(problems, spec, spec.sampling().guidedDecoding());
  }

  private static void sampling(
      Problems problems, String field, BenchmarkRunSpec.@Nullable SamplingParameters parameters) {
    if (parameters == null) {
      return;
    }
    problems.bounded(field + ".temperature", parameters.temperature(), 0, Bounds.SAMPLING);
    problems.bounded(field + ".topK", parameters.topK(), -1, Bounds.TOKENS);
    problems.share(field + ".topP", parameters.topP());
    problems.between(field + ".minP", parameters.minP(), 0, 1);
    problems.check(
        parameters.repetitionPenalty() != null && !(parameters.repetitionPenalty() > 0),
        field + ".repetitionPenalty: must be above 0, not " + parameters.repetitionPenalty());
    problems.bounded(
        field + ".repetitionPenalty",
        parameters.repetitionPenalty(),
        Long.MIN_VALUE,
        Bounds.SAMPLING);
    problems.between(field + ".presencePenalty", parameters.presencePenalty(), -2, 2);
    problems.between(field + ".frequencyPenalty", parameters.frequencyPenalty(), -2, 2);
    problems.check(
        parameters.stop() != null && parameters.stop().contains(""),
        field + ".stop: an empty text would end every answer; remove it");
    problems.check(
        parameters.stopTokenIds() != null
            && parameters.stopTokenIds().stream().anyMatch(id -> id < 0 || id > Bounds.TOKENS),
        field + ".stopTokenIds: must be token ids, 0 or more, not " + parameters.stopTokenIds());
    problems.bounded(field + ".minTokens", parameters.minTokens(), 0, Bounds.TOKENS);
    problems.bounded(field + ".maxNewTokens", parameters.maxNewTokens(), 1, Bounds.TOKENS);
    problems.check(
        parameters.minTokens() != null
            && parameters.maxNewTokens() != null
            && parameters.minTokens() > parameters.maxNewTokens(),
        field + ".minTokens: must not be above " + field + ".maxNewTokens");
  }

  private static void guidedDecoding(
      Problems problems, BenchmarkRunSpec spec, BenchmarkRunSpec.@Nullable GuidedDecoding guided) {
    if (guided == null) {
      return;
    }
    String field = "spec.sampling.guidedDecoding.jsonSchema";
    String schema = guided.jsonSchema();
    if (schema == null) {
      problems.check(
          Ruleset.named(Ruleset.NONE).benchmark(spec.benchmark().id()).answerSchema() == null,
          field + ": " + spec.benchmark().id() + " has no schema of its own; give one");
      return;
    }
    try {
      problems.check(
          !JSON.readTree(schema).isObject(),
          field + ": must be a JSON object, as in {\"type\": ...}");
    } catch (JsonProcessingException e) {
      problems.check(true, field + ": is " + JsonWords.of(e));
    }
  }

  private static void metrics(Problems problems, BenchmarkRunSpec.@Nullable Metrics metrics) {
    if (metrics != null) {
      problems.duration("spec.metrics.interval", metrics.interval());
    }
  }

  private static void mlflow(Problems problems, BenchmarkRunSpec.@Nullable Mlflow mlflow) {
    if (mlflow == null) {
      return;
    }
    String url = mlflow.url();
    problems.required("spec.mlflow.url", url);
    url(problems, "spec.mlflow.url", url, "remove them and set tokenSecretRef");
    problems.check(
        mlflow.experiment() == null || mlflow.experiment().isBlank(),
        "spec.mlflow.experiment: is missing");
    if (mlflow.tokenSecretRef() != null) {
      problems.required("spec.mlflow.tokenSecretRef.name", mlflow.tokenSecretRef().name());
      problems.objectName("spec.mlflow.tokenSecretRef.name", mlflow.tokenSecretRef().name());
    }
  }

  private static void results(Problems problems, BenchmarkRunSpec.@Nullable Results results) {
    if (results != null) {
      problems.objectName("spec.results.claimName", results.claimName());
      BenchmarkRunSpec.SigningKey key = results.signingKeySecretRef();
      if (key != null) {
        problems.required("spec.results.signingKeySecretRef.name", key.name());
        problems.objectName("spec.results.signingKeySecretRef.name", key.name());
      }
    }
  }

  private static void timeouts(Problems problems, BenchmarkRunSpec.@Nullable Timeouts timeouts) {
    if (timeouts != null) {
      problems.duration("spec.timeouts.backendReady", timeouts.backendReady());
      problems.duration("spec.timeouts.queue", timeouts.queue());
      problems.duration("spec.timeouts.run", timeouts.run());
    }
  }

  private static void rules(Problems problems, BenchmarkRunSpec spec) {
    String name = spec.rulesetOrDefault();
    if (!Ruleset.names().contains(name)) {
      problems.check(
          true,
          "spec.ruleset: %s is not known; known are %s"
              .formatted(name, String.join(", ", Ruleset.names())));
      return;
    }
    BenchmarkRules benchmark = Ruleset.named(name).benchmark(spec.benchmark().id());
    ScenarioRules scenario = benchmark.scenario(spec.scenario()).orElse(null);
    if (scenario == null) {
      String absence =
          benchmark.absence() == null
              ? spec.benchmark().id()
                  + " has no scenario "
                  + spec.scenario()
                  + " in "
                  + name
                  + "; it has "
                  + benchmark.scenariosInWords()
              : benchmark.absence();
      problems.check(true, "spec.ruleset: " + absence);
      return;
    }
    limits(problems, spec, scenario);
    compliance(problems, spec);
    RunnerMemory.problem(spec).ifPresent(problem -> problems.check(true, problem));
    Integer retries = spec.client() == null ? null : spec.client().retries();
    problems.check(
        Ruleset.named(name).official() && retries != null && retries > 0,
        "spec.client.retries: " + name + " counts a failed request as failed; remove it");
  }

  private static void compliance(Problems problems, BenchmarkRunSpec spec) {
    if (spec.compliance() == null) {
      return;
    }
    problems.check(
        spec.modeOrDefault() != TestMode.Performance,
        "spec.compliance: a compliance test is a Performance run with settings of its own; remove mode or set it to Performance");
    AuditRules test;
    try {
      test =
          Ruleset.named(spec.rulesetOrDefault())
              .complianceTest(spec.benchmark().id(), spec.compliance());
    } catch (IllegalArgumentException e) {
      problems.check(true, "spec.compliance: " + e.getMessage());
      return;
    }
    problems.check(
        test.accuracy() != null
            && spec.accuracy() != null
            && Boolean.FALSE.equals(spec.accuracy().evaluate()),
        "spec.accuracy.evaluate: "
            + spec.compliance()
            + " is about the score of the answers; remove it");
    Integer samples = spec.load() == null ? null : spec.load().performanceSampleCount();
    problems.check(
        test.samples() != null && samples != null && !samples.equals(test.samples()),
        "spec.load.performanceSampleCount: %s is run on its own %s samples; remove it"
            .formatted(spec.compliance(), test.samples()));
  }

  private static void limits(Problems problems, BenchmarkRunSpec spec, ScenarioRules rules) {
    BenchmarkRunSpec.Limits limits = spec.load() == null ? null : spec.load().limits();
    boolean tokens = limits != null && (limits.ttft() != null || limits.tpot() != null);
    boolean whole = limits != null && limits.latency() != null;
    if (spec.scenario() == Scenario.Offline) {
      problems.check(
          tokens || whole, "spec.load.limits: Offline is not judged by latency; remove it");
      return;
    }
    boolean tokenLatencies = RunPlans.measuresTokenLatencies(spec, rules);
    switch (spec.benchmark()) {
      case CUSTOM -> {
        problems.check(
            !tokens && !whole && spec.scenario() != Scenario.SingleStream,
            "spec.load.limits: custom has no limits of its own for "
                + spec.scenario()
                + "; give ttft and tpot, or give latency");
        problems.check(
            tokens && whole,
            "spec.load.limits: LoadGen judges tokens or whole queries; give ttft and tpot, or give latency");
        problems.check(
            limits != null && (limits.ttft() == null) != (limits.tpot() == null),
            "spec.load.limits: ttft and tpot are judged together; give both");
      }
      case GPT_OSS_120B, QWEN3_VL_235B_A22B, LLAMA3_1_8B -> {
        problems.check(
            tokenLatencies && whole,
            "spec.load.limits.latency: "
                + spec.benchmark().id()
                + " is judged by token latencies; set ttft and tpot instead");
        problems.check(
            !tokenLatencies && tokens,
            "spec.load.limits: "
                + spec.benchmark().id()
                + " is judged by the latency of whole queries; set latency instead of ttft and tpot");
      }
    }
    problems.check(
        tokenLatencies && spec.client() != null && Boolean.FALSE.equals(spec.client().streaming()),
        "spec.client.streaming: time to first token cannot be measured without it; remove it or set it to true");
  }
}
