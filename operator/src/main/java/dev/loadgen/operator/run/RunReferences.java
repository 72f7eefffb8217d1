package dev.loadgen.operator.run;

import dev.loadgen.api.v1alpha1.BackendPhase;
import dev.loadgen.api.v1alpha1.BenchmarkRun;
import dev.loadgen.api.v1alpha1.BenchmarkRunSpec;
import dev.loadgen.api.v1alpha1.ConditionTypes;
import dev.loadgen.api.v1alpha1.InferenceBackend;
import dev.loadgen.contract.Reasons;
import dev.loadgen.desired.Ownership;
import dev.loadgen.operator.backend.BackendSpecProblems;
import dev.loadgen.reconcile.access.AccessReader;
import dev.loadgen.reconcile.access.ServerAccess;
import dev.loadgen.reconcile.status.Conditions;
import dev.loadgen.reconcile.status.MissingPrerequisite;
import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.coordination.v1.Lease;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Reads the objects of users that runs name: ConfigMaps, claims and Secrets. They are always read
 * one by one: a cache of them would hold every dataset of the cluster.
 */
final class RunReferences {
  private final KubernetesClient client;
  private final AccessReader access;

  RunReferences(KubernetesClient client) {
    this.client = client;
    this.access = new AccessReader(client);
  }

  /**
   * What was found.
   *
   * @param missing what the spec names and nobody has made, or that cannot be used
   */
  record Found(List<MissingPrerequisite> missing, ResolvedReferences resolved) {
    static final Found NOTHING = new Found(List.of(), ResolvedReferences.NONE);
  }

  /**
   * Reads what a run names, when it takes its backend, and when its runner starts; not while it
   * waits.
   *
   * @param ahead the runs before it in line
   */
  Found read(
      RunState state,
      @Nullable InferenceBackend backend,
      @Nullable Lease lease,
      List<String> ahead) {
    BenchmarkRun run = state.run();
    boolean available =
        backend != null
            && backend.getStatus() != null
            && backend.getStatus().phase() == BackendPhase.Available;
    boolean turnIsFar =
        lease == null ? !ahead.isEmpty() : !Ownership.owns(run, lease) || !available;
    boolean wasResolved = Conditions.isTrue(state.conditions(), ConditionTypes.RESOLVED_REFS);
    if (state.started()
        || state.finished()
        || state.suspended()
        || (turnIsFar && wasResolved)
        || !state.problems().isEmpty()) {
      return Found.NOTHING;
    }
    List<MissingPrerequisite> missing = new ArrayList<>();
    missingDataset(run).ifPresent(missing::add);
    BenchmarkRunSpec.Results results = run.getSpec().results();
    if (results != null && results.claimName() != null) {
      missingClaim(
              run, "spec.results.claimName", results.claimName(), Reasons.RESULTS_CLAIM_NOT_FOUND)
          .ifPresent(missing::add);
    }
    access.mlflowTokenProblem(run).ifPresent(missing::add);
    access.signingKeyProblem(run).ifPresent(missing::add);
    return new Found(
        missing,
        new ResolvedReferences(
            generationConfig(run, missing),
            backend == null || !BackendSpecProblems.of(backend).isEmpty()
                ? List.of()
                : serverAccess(backend, missing).headerNames()));
  }

  private GenerationConfig generationConfig(BenchmarkRun run, List<MissingPrerequisite> missing) {
    BenchmarkRunSpec.ConfigMapKey reference =
        run.getSpec().sampling() == null ? null : run.getSpec().sampling().generationConfig();
    if (reference == null) {
      return GenerationConfig.EMPTY;
    }
    String field = "spec.sampling.generationConfig";
    ConfigMap configMap =
        client
            .configMaps()
            .inNamespace(run.getMetadata().getNamespace())
            .withName(reference.name())
            .get();
    Map<String, String> data =
        configMap == null || configMap.getData() == null ? Map.of() : configMap.getData();
    String text = data.get(reference.key());
    if (text == null) {
      missing.add(
          new MissingPrerequisite(
              Reasons.REFERENCE_NOT_FOUND,
              configMap == null
                  ? field + ".name: there is no ConfigMap " + reference.name() + " in the namespace"
                  : noKey(field + ".key", reference.name(), reference.key(), data.keySet())));
      return GenerationConfig.EMPTY;
    }
    try {
      return GenerationConfig.parse(text);
    } catch (IllegalArgumentException e) {
      missing.add(
          new MissingPrerequisite(
              Reasons.REFERENCE_INVALID,
              "%s: key %s of ConfigMap %s: %s"
                  .formatted(field, reference.key(), reference.name(), e.getMessage())));
      return GenerationConfig.EMPTY;
    }
  }

  /** The runner's pod would wait for a Secret for ever, and hold the backend meanwhile. */
  private ServerAccess serverAccess(InferenceBackend backend, List<MissingPrerequisite> missing) {
    return switch (access.read(backend)) {
      case AccessReader.Result.Found(ServerAccess found) -> found;
      case AccessReader.Result.Lacking(MissingPrerequisite problem) -> {
        missing.add(
            new MissingPrerequisite(
                problem.reason(),
                "InferenceBackend " + backend.getMetadata().getName() + ": " + problem.message()));
        yield ServerAccess.NONE;
      }
    };
  }

  private static String noKey(String field, String configMap, String key, Set<String> keys) {
    return "%s: ConfigMap %s has no key %s; it has %s"
        .formatted(
            field,
            configMap,
            key,
            keys.isEmpty() ? "none" : String.join(", ", new TreeSet<>(keys)));
  }

  private Optional<MissingPrerequisite> missingDataset(BenchmarkRun run) {
    BenchmarkRunSpec.Dataset dataset = run.getSpec().dataset();
    if (dataset.claimName() != null) {
      return missingClaim(
          run, "spec.dataset.claimName", dataset.claimName(), Reasons.DATASET_NOT_FOUND);
    }
    if (dataset.configMapName() == null) {
      return Optional.empty();
    }
    ConfigMap configMap =
        client
            .configMaps()
            .inNamespace(run.getMetadata().getNamespace())
            .withName(dataset.configMapName())
            .get();
    if (configMap == null) {
      return Optional.of(
          new MissingPrerequisite(
              Reasons.DATASET_NOT_FOUND,
              "spec.dataset.configMapName: there is no ConfigMap "
                  + dataset.configMapName()
                  + " in the namespace"));
    }
    Set<String> keys = new TreeSet<>();
    keys.addAll(configMap.getData() == null ? Set.of() : configMap.getData().keySet());
    keys.addAll(configMap.getBinaryData() == null ? Set.of() : configMap.getBinaryData().keySet());
    return keys.contains(dataset.path())
        ? Optional.empty()
        : Optional.of(
            new MissingPrerequisite(
                Reasons.DATASET_NOT_FOUND,
                noKey("spec.dataset.path", dataset.configMapName(), dataset.path(), keys)));
  }

  private Optional<MissingPrerequisite> missingClaim(
      BenchmarkRun run, String field, String claim, String reason) {
    boolean there =
        client
                .persistentVolumeClaims()
                .inNamespace(run.getMetadata().getNamespace())
                .withName(claim)
                .get()
            != null;
    return there
        ? Optional.empty()
        : Optional.of(
            new MissingPrerequisite(
                reason,
                field + ": there is no PersistentVolumeClaim " + claim + " in the namespace"));
  }
}
