package dev.loadgen.runner;

import com.fasterxml.jackson.core.JsonProcessingException;
import dev.loadgen.contract.ContractJson;
import dev.loadgen.contract.JsonWords;
import dev.loadgen.contract.RunPlan;
import dev.loadgen.contract.RunnerExit;
import dev.loadgen.contract.Scenario;
import dev.loadgen.contract.TestMode;
import dev.loadgen.contract.Urls;
import dev.loadgen.rules.ruleset.Ruleset;
import dev.loadgen.rules.ruleset.UnknownRulesetException;
import java.io.IOException;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.charset.CharacterCodingException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Reads a plan and refuses one that cannot be carried out, with the field and the cure. */
final class PlanReader {
  /** Names become folders, so they are held to what Kubernetes allows. */
  private static final Pattern NAME =
      Pattern.compile("[a-z0-9A-Z]([a-z0-9A-Z.-]{0,251}[a-z0-9A-Z])?");

  private PlanReader() {}

  static RunPlan read(Path file) throws RunFailedException {
    RunPlan plan;
    try {
      plan = ContractJson.read(Files.readString(file), RunPlan.class);
    } catch (JsonProcessingException e) {
      throw invalid(file, JsonWords.of(e), e);
    } catch (CharacterCodingException e) {
      throw invalid(file, "is not UTF-8", e);
    } catch (IOException e) {
      throw invalid(file, "cannot be read: " + e, e);
    }
    if (plan == null) {
      throw invalid(file, "contains null instead of a plan", null);
    }
    check(file, plan);
    return plan;
  }

  private static void check(Path file, RunPlan plan) throws RunFailedException {
    require(
        file,
        plan.version() == RunPlan.VERSION,
        "version: this runner carries out version "
            + RunPlan.VERSION
            + ", not "
            + plan.version()
            + "; use the runner image of the operator's version");
    Optional<String> lacking = plan.lacking();
    if (lacking.isPresent()) {
      throw invalid(file, lacking.get(), null);
    }
    name(file, "run.namespace", plan.run().namespace());
    name(file, "run.name", plan.run().name());
    name(file, "run.uid", plan.run().uid());
    require(
        file,
        plan.run().epoch() == null || plan.run().epoch() >= 1,
        "run.epoch: must be at least 1");
    RunPlan.Test test = plan.test();
    known(file, test);
    compliance(file, test);
    limit(file, "test.ttftLimitMs", test.ttftLimitMs());
    limit(file, "test.tpotLimitMs", test.tpotLimitMs());
    limit(file, "test.latencyLimitMs", test.latencyLimitMs());
    RunPlan.Server server = plan.server();
    require(file, !server.replicas().isEmpty(), "server.replicas: name at least one server");
    for (RunPlan.Replica replica : server.replicas()) {
      url(file, replica.url());
    }
    if (server.profiling() != null) {
      profiling(file, server.profiling());
    }
    RunPlan.Dataset dataset = plan.dataset();
    require(
        file,
        (dataset.path() == null) != (dataset.url() == null),
        "dataset: give exactly one of path and url");
    require(
        file,
        dataset.url() == null || !Urls.hasUserInfo(dataset.url()),
        "dataset.url: holds a user or a password; remove them");
    path(file, "dataset.path", dataset.path());
    if (plan.accuracy() != null) {
      path(file, "accuracy.tokenizer", plan.accuracy().tokenizer());
    }
    RunPlan.Client client = plan.client();
    require(file, client.batchSize() >= 1, "client.batchSize: must be at least 1");
    require(
        file,
        client.batchSize() == 1 || test.scenario() == Scenario.Offline,
        "client.batchSize: only Offline sends batches; set it to 1");
    require(
        file,
        client.batchSize() == 1 || !client.streaming(),
        "client.batchSize: a batch is not streamed; set client.streaming to false");
    require(
        file,
        client.maxConcurrency() == null || client.maxConcurrency() >= 1,
        "client.maxConcurrency: must be at least 1, or absent for no bound");
    require(file, client.requestTimeoutMs() > 0, "client.requestTimeoutMs: must be above 0");
    require(file, client.warmupRequests() >= 0, "client.warmupRequests: must not be negative");
    require(
        file,
        !test.tokenLatencies() || client.streaming() || test.scenario() == Scenario.Offline,
        "test.tokenLatencies: TTFT and TPOT are measured on streams; set client.streaming to true");
    Integer maxNewTokens = plan.sampling().maxNewTokens();
    require(
        file,
        maxNewTokens != null && maxNewTokens >= 1,
        "sampling.maxNewTokens: must be at least 1");
    require(file, client.retries() >= 0, "client.retries: must not be negative");
    require(file, plan.metrics().intervalMs() > 0, "metrics.intervalMs: must be above 0");
    require(file, plan.timeouts().readyMs() > 0, "timeouts.readyMs: must be above 0");
    require(file, plan.timeouts().runMs() > 0, "timeouts.runMs: must be above 0");
  }

  private static void profiling(Path file, RunPlan.Profiling profiling) throws RunFailedException {
    boolean window = profiling.tool().recordsWindows();
    require(
        file,
        (profiling.afterMs() != null) == window && (profiling.durationMs() != null) == window,
        "server.profiling: "
            + profiling.tool()
            + (window
                ? " records a window; give afterMs and durationMs"
                : " records all the time; remove afterMs and durationMs"));
    require(
        file,
        !window || (profiling.afterMs() >= 0 && profiling.durationMs() > 0),
        "server.profiling: afterMs must not be negative, durationMs must be above 0");
  }

  private static void known(Path file, RunPlan.Test test) throws RunFailedException {
    try {
      Ruleset.named(test.ruleset()).benchmark(test.benchmark());
    } catch (UnknownRulesetException e) {
      throw invalid(file, "test.ruleset: " + e.getMessage(), e);
    } catch (IllegalArgumentException e) {
      throw invalid(file, "test.benchmark: " + e.getMessage(), e);
    }
  }

  private static void compliance(Path file, RunPlan.Test test) throws RunFailedException {
    if (test.compliance() == null) {
      return;
    }
    require(
        file,
        test.mode() == TestMode.Performance,
        "test.compliance: a compliance test runs in mode Performance, not " + test.mode());
    try {
      Ruleset.named(test.ruleset()).complianceTest(test.benchmark(), test.compliance());
    } catch (IllegalArgumentException e) {
      throw invalid(file, "test.compliance: " + e.getMessage(), e);
    }
  }

  private static void limit(Path file, String field, @Nullable Double value)
      throws RunFailedException {
    require(
        file,
        value == null || (value >= 1 && value == Math.rint(value)),
        field + ": LoadGen's configuration takes whole milliseconds, 1 or more, not " + value);
  }

  private static void url(Path file, String url) throws RunFailedException {
    boolean usable;
    try {
      URI parsed = new URI(url);
      usable =
          parsed.getHost() != null
              && parsed.getUserInfo() == null
              && ("http".equals(parsed.getScheme()) || "https".equals(parsed.getScheme()));
    } catch (URISyntaxException e) {
      usable = false;
    }
    require(
        file,
        usable,
        "server.replicas.url: \""
            + Urls.shown(url)
            + "\" is not a valid server address; write http://HOST:PORT");
  }

  private static void name(Path file, String field, @Nullable String value)
      throws RunFailedException {
    require(
        file,
        value != null && NAME.matcher(value).matches(),
        field + ": \"" + value + "\" cannot name a folder; use letters, digits, '-' and '.'");
  }

  private static void path(Path file, String field, @Nullable String value)
      throws RunFailedException {
    require(
        file,
        value == null || (!value.isEmpty() && value.indexOf('\0') < 0),
        field + ": is not a valid file path");
  }

  private static void require(Path file, boolean holds, String problem) throws RunFailedException {
    if (!holds) {
      throw invalid(file, problem, null);
    }
  }

  private static RunFailedException invalid(Path file, String problem, @Nullable Throwable cause) {
    return new RunFailedException(
        RunnerExit.PLAN_INVALID, "plan " + file.getFileName() + ": " + problem, cause);
  }
}
