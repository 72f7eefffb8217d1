package dev.loadgen.runner;

import dev.loadgen.contract.RunPlan;
import dev.loadgen.contract.RunSummary;
import dev.loadgen.contract.RunnerExit;
import dev.loadgen.contract.RunnerInterface;
import dev.loadgen.mlflow.ExportException;
import dev.loadgen.mlflow.MlflowExport;
import dev.loadgen.mlflow.MlflowTarget;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The export of a run's published folder, as its plan asks for it. By then the results are safe:
 * whatever happens here is told, and changes nothing else.
 */
final class RunExport {
  private static final Logger LOG = LoggerFactory.getLogger(RunExport.class);

  /** The backend is this run's own until the process has ended: nobody shall wait longer for it. */
  private static final Duration LIMIT = Duration.ofMinutes(10);

  private final MlflowTarget target;
  private volatile @Nullable MlflowExport running;
  private volatile boolean cancelled;

  private RunExport(MlflowTarget target) {
    this.target = target;
  }

  /**
   * Reads whom to export to, before anything is measured: a typing error costs no GPU time.
   *
   * @param secrets the folder that holds the token; null if the runner was given none
   * @return null if the plan exports nothing
   * @throws RunFailedException naming the field
   */
  static @Nullable RunExport of(RunPlan plan, @Nullable Path secrets) throws RunFailedException {
    RunPlan.Mlflow mlflow = plan.mlflow();
    if (mlflow == null) {
      return null;
    }
    String token = mlflow.token() ? token(secrets) : null;
    try {
      return new RunExport(
          MlflowTarget.of(
              mlflow.url(), mlflow.experiment(), mlflow.description(), mlflow.tags(), token));
    } catch (IllegalArgumentException e) {
      throw new RunFailedException(RunnerExit.PLAN_INVALID, "spec.mlflow: " + e.getMessage(), e);
    }
  }

  private static String token(@Nullable Path secrets) throws RunFailedException {
    if (secrets == null) {
      throw new RunFailedException(
          RunnerExit.PLAN_INVALID,
          "spec.mlflow.tokenSecretRef: the runner was started without "
              + RunnerInterface.SECRETS_OPTION);
    }
    try {
      return Files.readString(secrets.resolve(RunnerInterface.MLFLOW_TOKEN_FILE)).strip();
    } catch (IOException e) {
      throw new RunFailedException(
          RunnerExit.PLAN_INVALID,
          "spec.mlflow.tokenSecretRef: %s cannot be read in the secrets folder: %s"
              .formatted(RunnerInterface.MLFLOW_TOKEN_FILE, e),
          e);
    }
  }

  /**
   * Exports the folder.
   *
   * @param left until the deadline of the run
   */
  RunSummary.Export run(Path published, Duration left) {
    RunSummary.Export outcome =
        left.isPositive()
            ? export(published, left.compareTo(LIMIT) < 0 ? left : LIMIT)
            : not("the run's deadline has passed", published);
    if (outcome.problem() == null) {
      LOG.info("exported to MLflow: {}", outcome.url());
    } else {
      LOG.warn("export to MLflow: {}", outcome.problem());
    }
    return outcome;
  }

  private RunSummary.Export export(Path published, Duration limit) {
    MlflowExport export = new MlflowExport(target, limit);
    running = export;
    if (cancelled) {
      export.cancel();
    }
    try {
      return new RunSummary.Export(export.export(published), null);
    } catch (ExportException e) {
      return new RunSummary.Export(e.url(), e.getMessage() + "; " + byHand(published));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return not("interrupted", published);
    } catch (RuntimeException e) {
      LOG.error("fault of the export", e);
      return not("fault of the export: " + e, published);
    }
  }

  private static RunSummary.Export not(String why, Path published) {
    return new RunSummary.Export(null, why + "; " + byHand(published));
  }

  private static String byHand(Path published) {
    return "the results are complete; to export them later: loadgen export " + published;
  }

  /** Ends the export soon. Any thread. */
  void cancel() {
    cancelled = true;
    MlflowExport export = running;
    if (export != null) {
      export.cancel();
    }
  }
}
