package dev.loadgen.runner.client;

import dev.loadgen.api.v1alpha1.DatasetFormat;
import dev.loadgen.api.v1alpha1.EndpointType;
import dev.loadgen.api.v1alpha1.Engine;
import dev.loadgen.api.v1alpha1.LoadBalancing;
import dev.loadgen.api.v1alpha1.Scenario;
import dev.loadgen.api.v1alpha1.TestMode;
import dev.loadgen.contract.RunPlan;
import java.util.List;

/** Plans of which only server, client and sampling matter. */
final class TestPlans {
  static final RunPlan.Sampling EIGHT_GREEDY_TOKENS =
      new RunPlan.Sampling(
          0.0, null, null, null, null, null, null, null, null, null, 8, null, true, null);

  private TestPlans() {}

  static RunPlan plan(Engine engine, EndpointType type, boolean streaming) {
    return plan(engine, type, streaming, EIGHT_GREEDY_TOKENS);
  }

  static RunPlan plan(
      Engine engine, EndpointType type, boolean streaming, RunPlan.Sampling sampling) {
    return new RunPlan(
        RunPlan.VERSION,
        new RunPlan.Run("default", "run", "uid"),
        new RunPlan.Test(
            "custom",
            "none",
            Scenario.Offline,
            TestMode.Performance,
            null,
            1.0,
            1000L,
            null,
            1L,
            null,
            null,
            false,
            false,
            null,
            null,
            null,
            null,
            RunPlan.CompletionData.TOKEN_IDS),
        new RunPlan.Server(
            engine,
            type,
            "tiny-llama",
            List.of(new RunPlan.Replica("server-0", "http://127.0.0.1:1")),
            null),
        new RunPlan.Dataset("data.json", null, DatasetFormat.Auto, null, null),
        new RunPlan.Client(1, 1, streaming, LoadBalancing.RoundRobin, 60_000, 0, 0),
        sampling,
        null,
        new RunPlan.Metrics(5_000, List.of()),
        null,
        false,
        new RunPlan.Timeouts(1000, 60_000));
  }
}
