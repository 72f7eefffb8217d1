package dev.loadgen.client;

import dev.loadgen.contract.EndpointType;
import dev.loadgen.contract.Engine;
import dev.loadgen.contract.PlanBuilder;
import dev.loadgen.contract.RunPlan;
import dev.loadgen.contract.RunPlanSamplingBuilder;
import java.time.Duration;

/** Plans of which only server, client and sampling matter. */
final class TestPlans {
  private static final RunPlan.Sampling EIGHT_GREEDY_TOKENS =
      RunPlanSamplingBuilder.builder().temperature(0.0).maxNewTokens(8).ignoreEos(true).build();

  private TestPlans() {}

  static RunPlan plan(Engine engine, EndpointType type, boolean streaming) {
    return plan(engine, type, streaming, EIGHT_GREEDY_TOKENS);
  }

  static RunPlan plan(
      Engine engine, EndpointType type, boolean streaming, RunPlan.Sampling sampling) {
    return builder(engine, type, streaming).sampling(sampling).build();
  }

  /** A plan whose sampling is the caller's to say. */
  static PlanBuilder builder(Engine engine, EndpointType type, boolean streaming) {
    return new PlanBuilder()
        .server(engine, type)
        .replica("http://127.0.0.1:1")
        .streams(streaming)
        .requestTimeout(Duration.ofMinutes(1));
  }
}
