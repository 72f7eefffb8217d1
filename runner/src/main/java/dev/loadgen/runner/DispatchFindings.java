package dev.loadgen.runner;

import dev.loadgen.contract.RunPlan;
import dev.loadgen.rules.Finding;
import dev.loadgen.rules.Ruleset;
import dev.loadgen.runner.dispatch.Replica;
import dev.loadgen.runner.results.Measurement;
import java.util.ArrayList;
import java.util.List;

/** What the way that requests went says of a test: servers that died, and second tries. */
final class DispatchFindings {
  private DispatchFindings() {}

  static List<Finding> of(RunPlan plan, Measurement measurement) {
    List<Finding> findings = new ArrayList<>();
    for (Replica replica : measurement.replicas()) {
      String why = replica.takenOut();
      if (why != null) {
        findings.add(
            new Finding(
                "ServerLost",
                replica.name() + " was taken out of the test: " + why + ".",
                "Look at the server's log; run again when it stays up."));
      }
    }
    if (measurement.retries() > 0 && Ruleset.named(plan.test().ruleset()).official()) {
      findings.add(
          new Finding(
              "Retries",
              measurement.retries()
                  + " requests were sent again after a failure, 0 may be in "
                  + plan.test().ruleset()
                  + ".",
              "Set spec.client.retries to 0."));
    }
    return findings;
  }
}
