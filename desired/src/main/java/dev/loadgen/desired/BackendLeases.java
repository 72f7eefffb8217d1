package dev.loadgen.desired;

import dev.loadgen.api.v1alpha1.BenchmarkRun;
import dev.loadgen.api.v1alpha1.InferenceBackend;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.coordination.v1.Lease;
import io.fabric8.kubernetes.api.model.coordination.v1.LeaseBuilder;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.Map;
import java.util.Objects;

/** The Lease by which one run at a time has a backend. */
public final class BackendLeases {
  private static final String RUN = HasMetadata.getKind(BenchmarkRun.class);

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

  /**
   * Whether a Lease is a run's, by whichever operator; else somebody else has made it, or taken off
   * the label without which no operator sees it, and so none gives it back.
   */
  public static boolean isOfARun(Lease lease) {
    return Labels.OPERATOR.equals(
            Objects.requireNonNullElse(lease.getMetadata().getLabels(), Map.<String, String>of())
                .get(Labels.MANAGED_BY))
        && lease.getMetadata().getOwnerReferences().stream()
            .anyMatch(
                owner ->
                    RUN.equals(owner.getKind())
                        && owner.getApiVersion() != null
                        && owner.getApiVersion().startsWith(InferenceBackend.GROUP + "/"));
  }
}
