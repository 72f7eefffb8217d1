package dev.loadgen.results.report;

import dev.loadgen.contract.RunPlan;
import dev.loadgen.rules.evidence.TestedSystem;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** What of a stored run tells its system from others. */
public final class StoredSystem {
  private StoredSystem() {}

  /**
   * The run as a test of a system.
   *
   * @param name by which findings call it
   */
  public static TestedSystem test(String name, StoredRun run) {
    RunPlan plan = run.plan();
    RunPlan.Server server = plan.server();
    Map<String, String> servers = new LinkedHashMap<>();
    servers.put("engine", server.engine().name());
    servers.put("endpointType", server.endpointType().name());
    servers.put("number of servers", String.valueOf(server.replicas().size()));
    put(servers, "draft model", server.draft());
    return new TestedSystem(
        name,
        plan.test().benchmark(),
        plan.test().scenario(),
        Objects.requireNonNullElse(plan.test().compliance(), plan.test().mode().name()),
        server.model(),
        servers,
        run.environment().path("dataset").path("sha256").asText(null),
        sampling(plan.sampling()));
  }

  private static Map<String, String> sampling(RunPlan.Sampling sampling) {
    Map<String, String> all = new LinkedHashMap<>();
    put(all, "temperature", sampling.temperature());
    put(all, "topK", sampling.topK());
    put(all, "topP", sampling.topP());
    put(all, "minP", sampling.minP());
    put(all, "repetitionPenalty", sampling.repetitionPenalty());
    put(all, "presencePenalty", sampling.presencePenalty());
    put(all, "frequencyPenalty", sampling.frequencyPenalty());
    put(all, "stop", sampling.stop());
    put(all, "stopTokenIds", sampling.stopTokenIds());
    put(all, "minTokens", sampling.minTokens());
    put(all, "maxNewTokens", sampling.maxNewTokens());
    put(all, "seed", sampling.seed());
    put(all, "ignoreEos", sampling.ignoreEos());
    put(all, "guidedDecoding", sampling.guided());
    return all;
  }

  private static void put(Map<String, String> all, String name, @Nullable Object value) {
    if (value != null) {
      all.put(name, value.toString());
    }
  }
}
