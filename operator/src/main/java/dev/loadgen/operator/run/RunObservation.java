package dev.loadgen.operator.run;

import dev.loadgen.api.v1alpha1.BenchmarkRun;
import dev.loadgen.api.v1alpha1.InferenceBackend;
import dev.loadgen.contract.Progress;
import dev.loadgen.reconcile.queue.QueueState;
import dev.loadgen.reconcile.status.MissingPrerequisite;
import dev.loadgen.reconcile.status.PodReport;
import io.fabric8.kubernetes.api.model.batch.v1.Job;
import io.fabric8.kubernetes.api.model.coordination.v1.Lease;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What was seen of everything that a run depends on, at one time.
 *
 * @param live whether backend, jobs, pods, Lease and runs were read from the API server; else from
 *     caches, which may lag behind
 * @param backend the run's backend; null: there is none
 * @param missing what else the spec names and nobody has made, or that cannot be used
 * @param references what the spec's references hold
 * @param lease the Lease of the backend; null: nobody has the backend
 * @param holder the unfinished run that has the Lease; null: nobody, or a run that is gone or has
 *     ended
 * @param ahead names of the unfinished runs that wait for the same backend and come first, oldest
 *     first
 * @param otherRunners the runners that are still at work on the backend, other than this run's of
 *     its present epoch
 * @param job the run's Job of its present epoch
 * @param otherJob the run's Job, if it is of another epoch
 * @param queue what Kueue says of the Job; null: the Job does not wait for it
 * @param pod the run's runner of its present epoch
 * @param reader what looks for the result of a runner that has gone; null: there is none, or the
 *     run does not wait for it
 * @param progress what the runner last told; null: it could not be asked
 * @param warning why Kubernetes makes no pod for the Job, or cannot prepare the one that it has
 *     made; null: it does, or has not said
 */
@RecordBuilder
record RunObservation(
    boolean live,
    @Nullable InferenceBackend backend,
    List<MissingPrerequisite> missing,
    ResolvedReferences references,
    @Nullable Lease lease,
    @Nullable BenchmarkRun holder,
    List<String> ahead,
    List<PodReport> otherRunners,
    @Nullable Job job,
    @Nullable Job otherJob,
    @Nullable QueueState queue,
    @Nullable PodReport pod,
    @Nullable ReaderReport reader,
    @Nullable Progress progress,
    @Nullable String warning)
    implements RunObservationBuilder.With {}
