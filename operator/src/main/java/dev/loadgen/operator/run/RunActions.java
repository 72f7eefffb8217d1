package dev.loadgen.operator.run;

import com.fasterxml.jackson.core.JsonProcessingException;
import dev.loadgen.api.v1alpha1.BenchmarkRun;
import dev.loadgen.api.v1alpha1.InferenceBackend;
import dev.loadgen.contract.ContractJson;
import dev.loadgen.contract.Provenance;
import dev.loadgen.contract.Reasons;
import dev.loadgen.contract.RunPlan;
import dev.loadgen.desired.BackendLeases;
import dev.loadgen.desired.Disruptions;
import dev.loadgen.desired.Endpoints;
import dev.loadgen.desired.Epochs;
import dev.loadgen.desired.Names;
import dev.loadgen.desired.Ownership;
import dev.loadgen.desired.ReaderObjects;
import dev.loadgen.desired.RunBackends;
import dev.loadgen.desired.RunnerObjects;
import dev.loadgen.operator.provenance.Provenances;
import dev.loadgen.operator.settings.OperatorSettings;
import dev.loadgen.reconcile.status.Refusals;
import dev.loadgen.rules.ruleset.Ruleset;
import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import io.fabric8.kubernetes.api.model.batch.v1.Job;
import io.fabric8.kubernetes.api.model.coordination.v1.Lease;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import java.net.HttpURLConnection;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The one place that writes objects of runs. Everything may be done twice. */
final class RunActions {
  private static final Logger log = LoggerFactory.getLogger(RunActions.class);

  /** The answer to an object that is not valid. */
  private static final int UNPROCESSABLE = 422;

  private final KubernetesClient client;
  private final OperatorSettings settings;

  /** Uids of Leases whose disruption budget this operator has made: to spare a request. */
  private final Set<String> budgets = ConcurrentHashMap.newKeySet();

  RunActions(KubernetesClient client, OperatorSettings settings) {
    this.client = client;
    this.settings = settings;
  }

  /** Makes the backend that a run brings; returns what came of it. */
  RunDecision makeBackend(BenchmarkRun run, RunDecision.MakeBackend decision) {
    try {
      // One that is there already shows in the cache, and is judged then.
      create(RunBackends.own(run));
      return decision;
    } catch (KubernetesClientException e) {
      if (!Refusals.isLasting(e)) {
        throw e;
      }
      return Refusals.isOfQuota(e)
          ? new RunDecision.Unresolved(
              Reasons.QUOTA_EXCEEDED, "spec.backend waits for quota: " + Refusals.said(e))
          : new RunDecision.Fail(
              Reasons.INVALID_SPEC,
              "spec.backend: Kubernetes refused it: " + Refusals.said(e),
              null);
    }
  }

  /**
   * Takes the backend; returns what came of it, since another run may have been faster, or no
   * runner can be made.
   */
  RunDecision takeBackend(
      BenchmarkRun run, InferenceBackend backend, RunDecision.TakeBackend decision, Instant now) {
    Optional<String> refusal = refusalOfTemplate(run, backend);
    if (refusal.isPresent()) {
      return new RunDecision.Fail(
          Reasons.INVALID_SPEC,
          "spec.runner.podTemplate: Kubernetes refuses the runner's Job: " + refusal.get(),
          null);
    }
    Lease lease = BackendLeases.lease(run, now);
    Lease taken = made(lease);
    if (taken != null) {
      protect(run, backend, taken);
      return decision;
    }
    Lease there = client.resource(lease).get();
    if (there == null || Ownership.owns(run, there)) {
      return decision;
    }
    return BackendLeases.isOfARun(there)
        ? new RunDecision.Wait(
            Reasons.BACKEND_IN_USE,
            "Lease "
                + lease.getMetadata().getName()
                + " is held by "
                + (there.getSpec() == null ? null : there.getSpec().getHolderIdentity()))
        : BackendTurn.leaseTaken(run, there, now);
  }

  /**
   * Why Kubernetes would not take the Job with the template of the run's author, which no rule of
   * ours holds to everything: asked before servers load their model for it. Empty: it would, or
   * there is no such template, or nothing else can be told yet.
   */
  private Optional<String> refusalOfTemplate(BenchmarkRun run, InferenceBackend backend) {
    if (run.getSpec().runner() == null || run.getSpec().runner().podTemplate() == null) {
      return Optional.empty();
    }
    try {
      client.resource(job(run, backend, List.of())).dryRun().create();
      return Optional.empty();
    } catch (KubernetesClientException e) {
      // Anything else, such as a webhook that cannot be asked for a trial, may end otherwise.
      return e.getCode() == UNPROCESSABLE ? Optional.of(Refusals.said(e)) : Optional.empty();
    }
  }

  private Job job(BenchmarkRun run, InferenceBackend backend, List<String> headerNames) {
    return RunnerObjects.job(
        run,
        backend,
        headerNames,
        RunPlans.runTimeout(run.getSpec()),
        settings.runnerImage(),
        settings.pods(),
        settings.keepJobs());
  }

  /** Gives up a Lease, unless it has changed since it was read. */
  void release(@Nullable Lease lease) {
    if (lease != null) {
      delete(lease, lease.getMetadata().getResourceVersion());
      if (lease.getMetadata().getUid() != null) {
        budgets.remove(lease.getMetadata().getUid());
      }
    }
  }

  /** Ends a runner that is of no use any more, unless its Job has changed since it was read. */
  void endRunner(Job job) {
    // By its version: the next epoch's Job has the same name.
    if (job.getMetadata().getDeletionTimestamp() == null) {
      delete(job, job.getMetadata().getResourceVersion());
    }
  }

  /**
   * Gives a runner that was told of it more time, unless its Job is gone or another.
   *
   * @param runTimeout what the runner itself holds to
   */
  void giveTime(Job job, Duration runTimeout) {
    String patch =
        "{\"metadata\":{\"uid\":\"%s\"},\"spec\":{\"activeDeadlineSeconds\":%d}}"
            .formatted(
                job.getMetadata().getUid(),
                runTimeout.plus(RunnerObjects.DEADLINE_SLACK).toSeconds());
    try {
      client.resource(job).patch(PatchContext.of(PatchType.JSON_MERGE), patch);
    } catch (KubernetesClientException e) {
      if (e.getCode() != HttpURLConnection.HTTP_NOT_FOUND
          && e.getCode() != HttpURLConnection.HTTP_CONFLICT) {
        throw e;
      }
    }
  }

  /** Deletes a run, unless it has changed since it was read; what it owns goes with it. */
  void expire(BenchmarkRun run) {
    delete(run, run.getMetadata().getResourceVersion());
  }

  /**
   * Keeps drains and autoscalers from evicting the servers and the runner as long as the Lease is
   * there. What an operator that was killed has not done at the Lease is done before the runner.
   */
  private void protect(BenchmarkRun run, InferenceBackend backend, Lease lease) {
    String uid = lease.getMetadata().getUid();
    if (!budgets.contains(uid)) {
      // It is named after the Lease itself, so that one which is there already is as good.
      create(Disruptions.budget(run, backend, lease));
      budgets.add(uid);
    }
  }

  /**
   * Makes disruption budget, plan, claim and Job; returns what came of it.
   *
   * @param lease of the backend, the run's own
   * @param seen of servers and runner
   */
  RunDecision start(
      BenchmarkRun run,
      InferenceBackend backend,
      Lease lease,
      ResolvedReferences references,
      Provenances.Planned seen) {
    RunPlan plan =
        RunPlans.resolve(
            run,
            backend,
            Endpoints.of(backend),
            Ruleset.named(run.getSpec().rulesetOrDefault()),
            references,
            seen);
    try {
      protect(run, backend, lease);
      writePlan(run, RunnerObjects.plan(run, plan, seen.files()));
      if (RunnerObjects.makesResultsClaim(run) && !claimResults(run)) {
        return new RunDecision.Fail(
            Reasons.RESULTS_CLAIM_TAKEN,
            "PersistentVolumeClaim "
                + RunnerObjects.resultsClaimName(run)
                + " was not created for a run of this name; to store results in it, name it in"
                + " spec.results.claimName of a new run, or else delete it or rename the run",
            null);
      }
      Job job = job(run, backend, references.headerNames());
      if (!create(job)) {
        Job there = requireOurs(run, job);
        // One that has gone meanwhile was not this start's, of which there is none yet.
        if (there == null || Epochs.of(there) != Epochs.of(job)) {
          return new RunDecision.Wait(
              Reasons.BACKEND_NOT_READY,
              "Job "
                  + job.getMetadata().getName()
                  + " of the run's previous start is still terminating");
        }
      }
      return run.getSpec().queueName() == null
          ? new RunDecision.Start()
          : new RunDecision.Queued(Reasons.QUEUED, "the runner's Job waits for Kueue");
    } catch (NameTakenException e) {
      return new RunDecision.Wait(
          Reasons.BACKEND_NOT_READY, Objects.requireNonNull(e.getMessage()));
    } catch (KubernetesClientException e) {
      if (!Refusals.isLasting(e)) {
        throw e;
      }
      return Refusals.isOfQuota(e)
          ? new RunDecision.Wait(
              Reasons.QUOTA_EXCEEDED, "the runner waits for quota: " + Refusals.said(e))
          : new RunDecision.Fail(
              Reasons.RUNNER_NOT_STARTED,
              "Kubernetes refused an object of the run: " + Refusals.said(e),
              null);
    }
  }

  /**
   * Makes the Job that looks for what a runner has left; returns what came of it.
   *
   * @param begun how the run fails if there is nothing
   */
  RunDecision readResult(BenchmarkRun run, RunDecision.ReadResult begun, Instant now) {
    boolean claimed =
        client
                .persistentVolumeClaims()
                .inNamespace(run.getMetadata().getNamespace())
                .withName(RunnerObjects.resultsClaimName(run))
                .get()
            != null;
    if (!claimed) {
      return ResultReading.withoutClaim(run, begun);
    }
    Job job =
        ReaderObjects.job(
            run,
            ResultReading.folder(run),
            settings.runnerImage(),
            settings.pods(),
            settings.keepJobs());
    try {
      if (!create(job)) {
        Job there = requireOurs(run, job);
        if (there != null && Epochs.of(there) != Epochs.of(job)) {
          endRunner(there);
        }
      }
      return begun;
    } catch (NameTakenException e) {
      return ResultReading.refused(run, begun, String.valueOf(e.getMessage()), true, now);
    } catch (KubernetesClientException e) {
      if (!Refusals.isLasting(e)) {
        throw e;
      }
      return ResultReading.refused(run, begun, Refusals.said(e), Refusals.isOfQuota(e), now);
    }
  }

  /** What a run's plan says of servers and runner; null: it has none, or it says nothing. */
  @Nullable Provenance planned(BenchmarkRun run) {
    ConfigMap plan =
        client
            .configMaps()
            .inNamespace(run.getMetadata().getNamespace())
            .withName(Names.plan(run.getMetadata().getName()))
            .get();
    String text =
        plan == null || plan.getData() == null || !Ownership.owns(run, plan)
            ? null
            : plan.getData().get(RunnerObjects.PLAN_KEY);
    try {
      return text == null
          ? null
          : ContractJson.readTolerantly(text, RunPlan.class).server().provenance();
    } catch (JsonProcessingException e) {
      log.warn(
          "plan cannot be read namespace={} run={} because={}",
          run.getMetadata().getNamespace(),
          run.getMetadata().getName(),
          e.getOriginalMessage());
      return null;
    }
  }

  /** An immutable plan that an interrupted start has left is replaced: no Job has read it yet. */
  private void writePlan(BenchmarkRun run, ConfigMap plan) {
    if (create(plan)) {
      return;
    }
    ConfigMap there = requireOurs(run, plan);
    if (there == null || !Objects.equals(there.getData(), plan.getData())) {
      if (there != null) {
        delete(there, there.getMetadata().getResourceVersion());
      }
      if (!create(plan)) {
        throw new NameTakenException(plan);
      }
    }
  }

  /** Makes the claim for results unless it is there; false if that one is somebody else's. */
  private boolean claimResults(BenchmarkRun run) {
    PersistentVolumeClaim claim = RunnerObjects.resultsClaim(run);
    if (create(claim)) {
      return true;
    }
    PersistentVolumeClaim there = client.resource(claim).get();
    if (there != null && !RunnerObjects.isResultsClaimOf(run, there)) {
      return false;
    }
    // That of an earlier run of this name is as good, since each run has a folder of its own, but
    // not if it goes with that run.
    if (there == null || RunnerObjects.isGoing(run, there)) {
      throw new NameTakenException(claim);
    }
    return true;
  }

  /** The object that already has a name; null if it is gone by now. */
  private <T extends HasMetadata> @Nullable T requireOurs(BenchmarkRun run, T wanted) {
    T there = client.resource(wanted).get();
    if (there != null && !Ownership.owns(run, there)) {
      throw new NameTakenException(wanted);
    }
    return there;
  }

  /** Creates an object; false if its name is taken. */
  private boolean create(HasMetadata object) {
    return made(object) != null;
  }

  /** Creates an object; null if its name is taken. */
  private <T extends HasMetadata> @Nullable T made(T object) {
    try {
      return client.resource(object).create();
    } catch (KubernetesClientException e) {
      if (Refusals.isOfName(e)) {
        return null;
      }
      throw e;
    }
  }

  private void delete(HasMetadata object, String resourceVersion) {
    try {
      client.resource(object).lockResourceVersion(resourceVersion).delete();
    } catch (KubernetesClientException e) {
      boolean gone =
          e.getCode() == HttpURLConnection.HTTP_NOT_FOUND
              || e.getCode() == HttpURLConnection.HTTP_CONFLICT;
      if (!gone) {
        throw e;
      }
    }
  }

  /** An object's name is taken by one that is not this run's. */
  private static final class NameTakenException extends RuntimeException {
    NameTakenException(HasMetadata object) {
      super(
          object.getKind()
              + " "
              + object.getMetadata().getName()
              + " belongs to an earlier run of this name or to another owner; waiting until it is deleted");
    }
  }
}
