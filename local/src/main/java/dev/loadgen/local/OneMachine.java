package dev.loadgen.local;

import dev.loadgen.api.v1alpha1.BenchmarkRun;
import dev.loadgen.api.v1alpha1.InferenceBackend;
import dev.loadgen.api.v1alpha1.InferenceBackendSpec;
import dev.loadgen.operator.backend.BackendSpecProblems;
import dev.loadgen.operator.run.RunSpecProblems;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What is wrong with a spec, and what a cluster of one machine cannot do about it. */
final class OneMachine {
  private OneMachine() {}

  /** All problems of a run, and of the backend that it brings. */
  static List<String> problemsOf(BenchmarkRun run) {
    List<String> problems = new ArrayList<>(RunSpecProblems.of(run));
    if (run.getSpec() != null && Boolean.TRUE.equals(run.getSpec().dryRun())) {
      problems.add("spec.dryRun: nothing would be started; use loadgen plan, or remove it");
    }
    return with(problems, run.getSpec() == null ? null : run.getSpec().backend(), "spec.backend");
  }

  /** All problems of a backend. */
  static List<String> problemsOf(InferenceBackend backend) {
    return with(BackendSpecProblems.of(backend), backend.getSpec(), "spec");
  }

  private static List<String> with(
      List<String> others, @Nullable InferenceBackendSpec backend, String field) {
    List<String> problems = new ArrayList<>(others);
    if (backend != null && backend.multiNode() != null) {
      problems.add(
          field
              + ".multiNode: this command has one machine; remove it, or apply the file to a cluster"
              + " with LeaderWorkerSet");
    }
    return problems;
  }
}
