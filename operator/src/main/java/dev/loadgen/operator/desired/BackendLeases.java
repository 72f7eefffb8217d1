package dev.loadgen.operator.desired;

import dev.loadgen.api.v1alpha1.BenchmarkRun;
import io.fabric8.kubernetes.api.model.coordination.v1.Lease;
import io.fabric8.kubernetes.api.model.coordination.v1.LeaseBuilder;
import java.time.Instant;
import java.time.ZoneOffset;

/** The Lease by which one run at a time has a backend. */
public final class BackendLeases {
  private BackendLeases() {}

  /**
   * The Lease of a run. It goes with the run when that is deleted, and does not expire: a run ends
   * by its own deadlines.
   *
   * @param now when the run got its turn
   */
  public static Lease lease(BenchmarkRun run, Instant now) {
    String backend = RunBackends.name(run);
    String name = run.getMetadata().getName();
    return new LeaseBuilder()
        .withNewMetadata()
        .withName(Names.lease(backend))
        .withNamespace(run.getMetadata().getNamespace())
        .withLabels(Labels.ofRun(name, run.getMetadata().getUid(), backend))
        .withOwnerReferences(Ownership.controlledBy(run))
        .endMetadata()
        .withNewSpec()
        .withHolderIdentity(name + "/" + run.getMetadata().getUid())
        .withAcquireTime(now.atZone(ZoneOffset.UTC))
        .endSpec()
        .build();
  }
}
