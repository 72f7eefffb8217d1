package dev.loadgen.contract;

/** Reasons of conditions. Each says what happened and what the user does next. */
public final class Reasons {
  // ResolvedRefs

  /** Everything that the spec names exists. Nothing to do. */
  public static final String RESOLVED = "Resolved";

  /**
   * A field's value cannot be used, alone or with others. Correct the field that the message names.
   */
  public static final String INVALID_SPEC = "InvalidSpec";

  /**
   * {@code spec.backendRef} names no InferenceBackend of the namespace. Create it, or correct the
   * name.
   */
  public static final String BACKEND_NOT_FOUND = "BackendNotFound";

  /**
   * An InferenceBackend with the run's name exists and does not belong to this run, so {@code
   * spec.backend} cannot be created. Rename the run, or delete that backend.
   */
  public static final String BACKEND_NAME_TAKEN = "BackendNameTaken";

  /**
   * The ConfigMap or claim of {@code spec.dataset} does not exist or lacks the key. Create it, or
   * correct the name.
   */
  public static final String DATASET_NOT_FOUND = "DatasetNotFound";

  /**
   * The claim of {@code spec.results} does not exist. Create it, or give a size instead of a name.
   */
  public static final String RESULTS_CLAIM_NOT_FOUND = "ResultsClaimNotFound";

  /**
   * A ConfigMap or Secret that {@code spec.sampling}, {@code spec.mlflow} or the backend's {@code
   * spec.access} names does not exist, or lacks a key. Create it, or correct the name.
   */
  public static final String REFERENCE_NOT_FOUND = "ReferenceNotFound";

  /**
   * The contents of such a ConfigMap or Secret cannot be used. The message names the key and what
   * it should contain.
   */
  public static final String REFERENCE_INVALID = "ReferenceInvalid";

  // BackendReady

  /** Backend and servers are ready. Nothing to do. */
  public static final String READY = "Ready";

  /**
   * Another run holds the backend, or is before this one in its queue. Wait; the message names the
   * run right before this one.
   */
  public static final String BACKEND_IN_USE = "BackendInUse";

  /** The servers are not healthy yet. Wait, or look at the backend's pods. */
  public static final String BACKEND_NOT_READY = "BackendNotReady";

  /** The backend has failed. Its Failed condition says why. */
  public static final String BACKEND_FAILED = "BackendFailed";

  /**
   * The runner of an earlier test on the backend, of this run or of another, has not ended yet.
   * Wait; if its node is off, delete the pod as the message says.
   */
  public static final String RUNNER_STILL_ENDING = "RunnerStillEnding";

  /**
   * Kubernetes refuses an object or a pod because a quota of the namespace is used up. Wait until
   * others release some, or raise it; the message quotes Kubernetes.
   */
  public static final String QUOTA_EXCEEDED = "QuotaExceeded";

  /**
   * The Lease with which a run locks the backend, loadgen-NAME, exists and belongs to no run.
   * Delete it if nobody needs it, or rename the backend; the message names its holder and its
   * owner.
   */
  public static final String LEASE_NAME_TAKEN = "LeaseNameTaken";

  /** The run has ended or is suspended, and has released the backend. Nothing to do. */
  public static final String RELEASED = "Released";

  // Admitted, and backends in a queue

  /** Kueue has admitted the runner. Nothing to do. */
  public static final String ADMITTED = "Admitted";

  /** The runner, or the servers, wait in their queue. Wait; the message quotes Kueue. */
  public static final String QUEUED = "Queued";

  /**
   * The queue does not exist, is stopped, or offers less than is requested even when it is empty.
   * Correct {@code spec.queueName} or {@code spec.runner.resources}, of a backend {@code
   * spec.scheduling.queueName} or {@code spec.gpus}, or ask the administrator of Kueue; the message
   * quotes it.
   */
  public static final String QUEUE_CANNOT_ADMIT = "QueueCannotAdmit";

  /**
   * Somebody, or Kueue itself, has deactivated the Workload. Set the Workload's {@code active}; a
   * run whose test had started has failed, and the annotation {@code loadgen.dev/rerun} runs it
   * again.
   */
  public static final String WORKLOAD_DEACTIVATED = "WorkloadDeactivated";

  /**
   * Kueue is not installed, or has not seen the runner's Job or the servers. Install it with its
   * integrations batch/job, statefulset and leaderworkerset, or remove {@code spec.queueName} or
   * {@code spec.scheduling.queueName}.
   */
  public static final String QUEUE_UNAVAILABLE = "QueueUnavailable";

  // Suspended

  /** {@code spec.suspend} was set while the runner was running, and the runner is ending. Wait. */
  public static final String SUSPENDING = "Suspending";

  /**
   * The run holds no backend and no runner. Unset {@code spec.suspend}, and the test starts from
   * the beginning.
   */
  public static final String SUSPENDED = "Suspended";

  /** The run was suspended and is not suspended any more. Nothing to do. */
  public static final String RESUMED = "Resumed";

  // Complete, and Failed of runs

  /** The test has not ended. Wait. */
  public static final String IN_PROGRESS = "InProgress";

  /** The test ran to its end. Look at the verdict. */
  public static final String TEST_ENDED = "TestEnded";

  /**
   * {@code spec.dryRun} is set: {@code status.forecast} describes the test, and nothing was
   * started. Set {@code spec.dryRun} to false to run the test.
   */
  public static final String DRY_RUN = "DryRun";

  /**
   * The dataset cannot be read or lacks what the run needs. The message names file, row, column and
   * what to change.
   */
  public static final String DATASET_INVALID = "DatasetInvalid";

  /**
   * The runner's heap or its container's memory was full. Raise the memory in {@code
   * spec.runner.resources}; the whole dataset is held in it.
   */
  public static final String RUNNER_OUT_OF_MEMORY = "RunnerOutOfMemory";

  /** A server did not answer before the test. Look at its log, or correct its URL. */
  public static final String BACKEND_UNREACHABLE = "BackendUnreachable";

  /**
   * The server answers, but not for the model. Make {@code spec.model.servedName} one of the names
   * in the message.
   */
  public static final String MODEL_NOT_SERVED = "ModelNotServed";

  /**
   * Before the test, the server refused the run's kind of request, answered without tokens, or its
   * name has several addresses. The message quotes it.
   */
  public static final String PREFLIGHT_FAILED = "PreflightFailed";

  /** The run took longer than {@code spec.timeouts.run}. Raise it, or issue less. */
  public static final String DEADLINE_EXCEEDED = "DeadlineExceeded";

  /**
   * Kueue did not admit the servers or the runner within {@code spec.timeouts.queue}, or other
   * servers on demand held the GPUs for that long. Raise it, or look at the queue; the message
   * quotes Kueue or names the other backends.
   */
  public static final String QUEUE_TIMEOUT = "QueueTimeout";

  /**
   * The backend was not ready within {@code spec.timeouts.backendReady}. Look at its pods, or raise
   * it.
   */
  public static final String BACKEND_TIMEOUT = "BackendTimeout";

  /**
   * The plan cannot be carried out, for example because LoadGen refuses a line of {@code userConf}.
   * The message names it.
   */
  public static final String PLAN_INVALID = "PlanInvalid";

  /**
   * The test could no longer be Valid, and {@code spec.load.failFast} ended it. The message says
   * what failed or was late, and what to change.
   */
  public static final String CANNOT_BE_VALID = "CannotBeValid";

  /** LoadGen ended the test with an error. The message quotes its log. */
  public static final String LOADGEN_FAILED = "LoadGenFailed";

  /**
   * The results volume had less free space than the test would write, so the test did not start.
   * Delete what is not needed there, expand the claim, or give a new run a larger {@code
   * spec.results.size} or another {@code spec.results.claimName}; the message has both sizes.
   */
  public static final String RESULTS_VOLUME_TOO_SMALL = "ResultsVolumeTooSmall";

  /**
   * Results or logs of LoadGen could not be written completely, for example because the volume
   * filled up; the test is lost. Make room as for ResultsVolumeTooSmall, and run it again with the
   * annotation {@code loadgen.dev/rerun}; the message names the file and the free space of the
   * volume.
   */
  public static final String RESULTS_NOT_WRITTEN = "ResultsNotWritten";

  /**
   * The runner was asked to stop before the test ended; the message says by whom, if Kubernetes
   * does. Run it again with the annotation {@code loadgen.dev/rerun}, or set {@code
   * spec.restartPolicy}.
   */
  public static final String INTERRUPTED = "Interrupted";

  /**
   * The runner ended without a summary, for example by a signal. The message has its exit code and
   * log; if native code crashed, Java's report is {@code hs_err.log} in the unfinished folder
   * {@code NAME/.UID.partial} of the results claim.
   */
  public static final String RUNNER_CRASHED = "RunnerCrashed";

  /**
   * The runner's node does not answer any more, or its pod does not end. Bring the node back or
   * delete it, and run the test again with the annotation {@code loadgen.dev/rerun}.
   */
  public static final String RUNNER_LOST = "RunnerLost";

  /**
   * The runner's pod cannot start, for example because its image is missing. The message quotes
   * Kubernetes.
   */
  public static final String RUNNER_NOT_STARTED = "RunnerNotStarted";

  /**
   * The claim NAME-results exists and was not created for a run of this name. To use it, name it in
   * {@code spec.results.claimName} of a new run; otherwise delete it or rename the run.
   */
  public static final String RESULTS_CLAIM_TAKEN = "ResultsClaimTaken";

  /**
   * A fault of the runner, or, in the condition Synced, of the operator, which retries. Report it
   * with the message and the log.
   */
  public static final String INTERNAL_ERROR = "InternalError";

  /**
   * The runner is gone and its end was not seen: the results claim is searched for its result. Wait
   * for some minutes; the backend was released.
   */
  public static final String READING_RESULT = "ReadingResult";

  /**
   * The runner is gone, and it is unknown whether it left a result on the claim. Look for the
   * folder that the message names, or run the test again with the annotation {@code
   * loadgen.dev/rerun}.
   */
  public static final String RESULT_NOT_READ = "ResultNotRead";

  /**
   * Kubernetes refuses the status that the operator writes; the parts that it accepts are written.
   * If the message names a field, install the custom resources of the operator's version. If a test
   * had ended, the message names the summary in the results volume; to have it in the status, run
   * it again with the annotation {@code loadgen.dev/rerun}.
   */
  public static final String STATUS_REFUSED = "StatusRefused";

  // Synced

  /**
   * Kubernetes refuses a request that the operator makes for the object, or has not answered it
   * five times in a row. Look at what the message quotes, such as a webhook, a role or the API
   * server; the operator retries.
   */
  public static final String REQUEST_FAILED = "RequestFailed";

  /**
   * This version of the operator can read nothing of the status, so it does not know what was
   * started, and starts nothing. Install the version that wrote it, or delete the object and apply
   * it again.
   */
  public static final String STATUS_UNREADABLE = "StatusUnreadable";

  // Finished, and Ready and Stalled of runs that have ended

  /** The test ran to its end, and the verdict is Valid. Nothing to do. */
  public static final String VALID = "Valid";

  /**
   * The test ran to its end, and the verdict is Invalid. The message and {@code
   * status.verdictReasons} name each rule, the value and what to change.
   */
  public static final String INVALID = "Invalid";

  /**
   * The test ran to its end, and the evidence is not sufficient for a verdict. The message and
   * {@code status.verdictReasons} say what is missing.
   */
  public static final String INCONCLUSIVE = "Inconclusive";

  /** The test did not run to its end. The conditions Failed and Stalled say why. */
  public static final String FAILED = "Failed";

  // Available, Progressing and Failed of backends

  /** Every replica answers its health check. Nothing to do. */
  public static final String ALL_REPLICAS_READY = "AllReplicasReady";

  /**
   * No run holds the backend, whose lifecycle is OnDemand, so it has no servers and no GPUs. Create
   * a run.
   */
  public static final String IDLE = "Idle";

  /** Some replicas do not answer their health check yet. Wait, or look at their pods. */
  public static final String REPLICAS_NOT_READY = "ReplicasNotReady";

  /**
   * The operator may not check the health of a server of {@code spec.external}: its address belongs
   * to the cluster, or the operator's settings refuse it. Correct the URL, or ask an administrator
   * to add the host to the operator's {@code LOADGEN_EXTERNAL_HOSTS}.
   */
  public static final String HOST_NOT_ALLOWED = "HostNotAllowed";

  /**
   * A server that was healthy has not answered its health check for {@code spec.heartbeat.timeout},
   * although it runs. The message has the end of its log. Delete its pod, or wait: it is available
   * again as soon as it answers.
   */
  public static final String SERVER_NOT_ANSWERING = "ServerNotAnswering";

  /**
   * A server's node does not answer any more, or its pod does not end; Kubernetes starts no
   * replacement. Bring the node back, or delete it or the pod as the message says.
   */
  public static final String SERVER_LOST = "ServerLost";

  /**
   * The servers did not become healthy within {@code spec.startupTimeout}. The message has the end
   * of a log.
   */
  public static final String STARTUP_TIMEOUT = "StartupTimeout";

  /** The image of the servers cannot be pulled. Correct {@code spec.image}. */
  public static final String IMAGE_UNAVAILABLE = "ImageUnavailable";

  /** A server ends repeatedly. The message has its exit code and the end of its log. */
  public static final String SERVER_CRASHED = "ServerCrashed";

  /**
   * A server ends repeatedly because its container's or its GPUs' memory is full. The message names
   * the settings to lower or to raise, with their values.
   */
  public static final String SERVER_OUT_OF_MEMORY = "ServerOutOfMemory";

  /**
   * Kubernetes does not create a server's pod, for example because of Pod Security, a quota or a
   * missing priority class. The message quotes it.
   */
  public static final String PODS_REFUSED = "PodsRefused";

  /**
   * The cluster has no LeaderWorkerSet, which {@code spec.multiNode} needs. Install it from {@code
   * kubernetes-sigs/lws}; the operator then continues by itself.
   */
  public static final String LEADER_WORKER_SET_UNAVAILABLE = "LeaderWorkerSetUnavailable";

  /** A pod fits no node. The message quotes the scheduler. */
  public static final String UNSCHEDULABLE = "Unschedulable";

  /**
   * Servers on demand lack GPUs that other backends on demand hold. Wait; the message names these
   * backends.
   */
  public static final String GPUS_IN_USE = "GpusInUse";

  /**
   * Servers on demand and those of another backend each held a part of the GPUs that both need, and
   * the other backend is first: these servers have released theirs. Wait; they start by themselves.
   */
  public static final String GAVE_WAY = "GaveWay";

  private Reasons() {}
}
