package dev.loadgen.operator.run;

import dev.loadgen.reconcile.status.PodReport;
import io.fabric8.kubernetes.api.model.batch.v1.Job;
import org.jspecify.annotations.Nullable;

/**
 * What looks for the result of a runner that has gone.
 *
 * @param job the operator's own, of the run's present epoch
 * @param pod of that Job; null: it has none
 */
record ReaderReport(Job job, @Nullable PodReport pod) {}
