package dev.loadgen.runner;

import dev.loadgen.contract.RunPlan;
import dev.loadgen.results.FreeSpace;
import dev.loadgen.results.ResultsFolder;
import dev.loadgen.runner.dispatch.Replica;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;

/**
 * What all stages of a test share.
 *
 * @param options the command line
 * @param time what the run may take
 * @param folder where the results go
 * @param volume that the folder is on
 * @param replicas the servers, in the order of the plan
 * @param progress what people see of the test
 * @param environment the facts of {@code environment.json}
 */
record TestContext(
    RunPlan plan,
    RunOptions options,
    TimeLimit time,
    ResultsFolder folder,
    ResultsVolume volume,
    List<Replica> replicas,
    LiveProgress progress,
    EnvironmentFacts environment) {
  /** That of a test that has not begun. */
  static TestContext of(RunPlan plan, RunOptions options, TimeLimit time, ResultsFolder folder) {
    return new TestContext(
        plan,
        options,
        time,
        folder,
        new ResultsVolume(
            options.results().resolve(folder.relativePath()), FreeSpace.of(folder.path())),
        replicas(plan),
        new LiveProgress(System::nanoTime),
        EnvironmentFacts.capture());
  }

  private static List<Replica> replicas(RunPlan plan) {
    List<Replica> replicas = new ArrayList<>();
    for (RunPlan.Replica replica : plan.server().replicas()) {
      replicas.add(new Replica(replicas.size(), replica.name(), URI.create(replica.url())));
    }
    return replicas;
  }
}
