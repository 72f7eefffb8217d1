package dev.loadgen.contract;

/** Reasons of conditions. Each says what happened and what the user does next. */
public final class Reasons {
  // ResolvedRefs

  /** Everything that the spec names was found. Nothing to do. */
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
   * An InferenceBackend of the run's name is there and not this run's, so that {@code spec.backend}
   * cannot be made. Rename the run, or delete that backend.
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
   * A ConfigMap or Secret does not exist, or lacks a key, that {@code spec.sampling}, {@code
   * spec.mlflow} or the backend's {@code spec.access} names. Create it, or correct the name.
   */
  public static final String REFERENCE_NOT_FOUND = "ReferenceNotFound";

  /**
   * What such a ConfigMap or Secret holds cannot be used. The message names the key and what it
   * should hold.
   */
  public static final String REFERENCE_INVALID = "ReferenceInvalid";

  // BackendReady

  /** Backend and servers are ready. Nothing to do. */
  public static final String READY = "Ready";

  /**
   * Another run has the backend, or comes first. Wait; the message names the run right before this
   * one.
   */
  public static final String BACKEND_IN_USE = "BackendInUse";

  /** The servers have not become healthy yet. Wait, or look at the backend's pods. */
  public static final String BACKEND_NOT_READY = "BackendNotReady";

  /** The backend has failed. Its Failed condition says why. */
  public static final String BACKEND_FAILED = "BackendFailed";

  /**
   * The runner of an earlier test on the backend, of this run or of another, has not ended yet.
   * Wait; if its node is off, delete the pod as the message says.
   */
  public static final String RUNNER_STILL_ENDING = "RunnerStillEnding";

  /**
   * A quota of the namespace is used up, and Kubernetes refuses an object or a pod for it. Wait
   * until others give some back, or raise it; the message quotes Kubernetes.
   */
  public static final String QUOTA_EXCEEDED = "QuotaExceeded";

  /**
   * The Lease by which a run has the backend, loadgen-NAME, is there and no run's. Delete it if
   * nobody needs it, or give the backend another name; the message names its holder and its owner.
   */
  public static final String LEASE_NAME_TAKEN = "LeaseNameTaken";

  /** The run has ended or is suspended, and the backend was given back. Nothing to do. */
  public static final String RELEASED = "Released";

  // Admitted, and backends in a queue

  /** Kueue has admitted the runner. Nothing to do. */
  public static final String ADMITTED = "Admitted";

  /** The runner, or the servers, wait in their queue. Wait; the message quotes Kueue. */
  public static final String QUEUED = "Queued";

  /**
   * The queue does not exist, is stopped, or has less than is asked for even when it is empty.
   * Correct {@code spec.queueName} or {@code spec.runner.resources}, of a backend {@code
   * spec.scheduling.queueName} or {@code spec.gpus}, or ask who runs Kueue; the message quotes it.
   */
  public static final String QUEUE_CANNOT_ADMIT = "QueueCannotAdmit";

  /**
   * The Workload that Kueue has made is deactivated, by somebody or by Kueue itself. Set the
   * Workload's {@code active}; a run whose test had begun has failed, and is run again by the
   * annotation {@code loadgen.dev/rerun}.
   */
  public static final String WORKLOAD_DEACTIVATED = "WorkloadDeactivated";

  /**
   * Kueue is not installed, or has not seen the runner's Job or the servers. Install it with its
   * integrations batch/job, statefulset and leaderworkerset, or remove {@code spec.queueName} or
   * {@code spec.scheduling.queueName}.
   */
  public static final String QUEUE_UNAVAILABLE = "QueueUnavailable";

  // Suspended

  /** {@code spec.suspend} was set while the runner was alive, and it is being ended. Wait. */
  public static final String SUSPENDING = "Suspending";

  /**
   * The run holds no backend and no runner. Unset {@code spec.suspend}, and the test starts from
   * the beginning.
   */
  public static final String SUSPENDED = "Suspended";

  /** The run was suspended and is not any more. Nothing to do. */
  public static final String RESUMED = "Resumed";

  // Complete, and Failed of runs

  /** The test has not ended. Wait. */
  public static final String IN_PROGRESS = "InProgress";

  /** The test ran to its end. Look at the verdict. */
  public static final String TEST_ENDED = "TestEnded";

  /**
   * {@code spec.dryRun} is set: {@code status.forecast} says what the test would be, and nothing
   * was started. Set {@code spec.dryRun} to false to have the test run.
   */
  public static final String DRY_RUN = "DryRun";

  /**
   * The dataset cannot be read or lacks what the run needs. The message names file, row, column and
   * cure.
   */
  public static final String DATASET_INVALID = "DatasetInvalid";

  /**
   * The runner's heap was full, or its container's memory was. Raise the memory in {@code
   * spec.runner.resources}; the dataset is held in it whole.
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
   * The server refused the run's kind of request, or answered without tokens, before the test, or
   * its name has several addresses. The message quotes it.
   */
  public static final String PREFLIGHT_FAILED = "PreflightFailed";

  /** The run took longer than {@code spec.timeouts.run}. Raise it, or issue less. */
  public static final String DEADLINE_EXCEEDED = "DeadlineExceeded";

  /**
   * Kueue did not admit the servers, or the runner, within {@code spec.timeouts.queue}, or other
   * servers on demand had the GPUs for so long. Raise it, or look at the queue; the message quotes
   * Kueue or names the other backends.
   */
  public static final String QUEUE_TIMEOUT = "QueueTimeout";

  /**
   * The backend was not ready within {@code spec.timeouts.backendReady}. Look at its pods, or raise
   * it.
   */
  public static final String BACKEND_TIMEOUT = "BackendTimeout";

  /**
   * The plan cannot be carried out, for example since LoadGen refuses a line of {@code userConf}.
   * The message names it.
   */
  public static final String PLAN_INVALID = "PlanInvalid";

  /**
   * The test could no longer be Valid, and {@code spec.load.failFast} ended it. The message says
   * what failed or was late, and what to change.
   */
  public static final String CANNOT_BE_VALID = "CannotBeValid";

  /** LoadGen ended the test with an error of its own. The message quotes its log. */
  public static final String LOADGEN_FAILED = "LoadGenFailed";

  /**
   * The results volume had less free than the test was going to write, so that none began. Delete
   * what is not needed there, expand the claim, or give a new run a larger {@code
   * spec.results.size} or another {@code spec.results.claimName}; the message has both sizes.
   */
  public static final String RESULTS_VOLUME_TOO_SMALL = "ResultsVolumeTooSmall";

  /**
   * Results or logs of LoadGen could not be written in full, for example since the volume filled up
   * during the test, which is lost. Make room as for ResultsVolumeTooSmall, and run it again by the
   * annotation {@code loadgen.dev/rerun}; the message names the file and what the volume has free.
   */
  public static final String RESULTS_NOT_WRITTEN = "ResultsNotWritten";

  /**
   * The runner was told to stop before the test ended; the message says by whom, where Kubernetes
   * does. Run it again by the annotation {@code loadgen.dev/rerun}, or let {@code
   * spec.restartPolicy} do it.
   */
  public static final String INTERRUPTED = "Interrupted";

  /**
   * The runner ended without a summary, such as by a signal. The message has its exit code and log;
   * what Java writes when native code crashes is {@code hs_err.log} in the unfinished folder {@code
   * NAME/.UID.partial} of the results claim.
   */
  public static final String RUNNER_CRASHED = "RunnerCrashed";

  /**
   * The runner's node does not answer any more, or its pod does not end. Bring the node back or
   * delete it, and run the test again by the annotation {@code loadgen.dev/rerun}.
   */
  public static final String RUNNER_LOST = "RunnerLost";

  /**
   * The runner's pod cannot start, for example for want of its image. The message quotes
   * Kubernetes.
   */
  public static final String RUNNER_NOT_STARTED = "RunnerNotStarted";

  /**
   * The claim NAME-results is there and was not made for a run of this name. Name it in {@code
   * spec.results.claimName} of a new run if it shall have the results, or delete it or give the run
   * another name.
   */
  public static final String RESULTS_CLAIM_TAKEN = "ResultsClaimTaken";

  /**
   * A fault of the runner itself, or, in the condition Synced, of the operator, which tries again
   * by itself. Report it with the message and the log.
   */
  public static final String INTERNAL_ERROR = "InternalError";

  /**
   * The runner is gone and its end was not seen: the results claim is looked at for what it left.
   * Wait for some minutes; the backend was given back.
   */
  public static final String READING_RESULT = "ReadingResult";

  /**
   * The runner is gone, and whether it left a result on the claim could not be told. Look for the
   * folder that the message names, or run the test again by the annotation {@code
   * loadgen.dev/rerun}.
   */
  public static final String RESULT_NOT_READ = "ResultNotRead";

  /**
   * Kubernetes refuses the status that the operator writes; what it takes is written. Install the
   * custom resources of the operator's version if the message names a field. Of a test that had
   * ended, the message names the summary in the results volume; run it again by the annotation
   * {@code loadgen.dev/rerun} if the status shall have it.
   */
  public static final String STATUS_REFUSED = "StatusRefused";

  // Synced

  /**
   * Kubernetes refuses a request that the operator makes for the object, or has not answered it
   * five times in a row. Look at what the message quotes, such as a webhook, a role or the API
   * server; the operator tries again by itself.
   */
  public static final String REQUEST_FAILED = "RequestFailed";

  /**
   * Nothing of the status can be read by this version of the operator, so that nobody knows what
   * was begun, and nothing is. Install the version that wrote it, or delete the object and apply it
   * anew.
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
   * The test ran to its end, and the evidence does not carry a verdict. The message and {@code
   * status.verdictReasons} say what is missing.
   */
  public static final String INCONCLUSIVE = "Inconclusive";

  /** The test did not run to its end. The conditions Failed and Stalled say why. */
  public static final String FAILED = "Failed";

  // Available, Progressing and Failed of backends

  /** Every replica answers its health check. Nothing to do. */
  public static final String ALL_REPLICAS_READY = "AllReplicasReady";

  /**
   * No run has the backend, whose lifecycle is OnDemand, so that it has no servers and no GPUs.
   * Create a run.
   */
  public static final String IDLE = "Idle";

  /** Some replicas do not answer their health check yet. Wait, or look at their pods. */
  public static final String REPLICAS_NOT_READY = "ReplicasNotReady";

  /**
   * The operator may not ask a server of {@code spec.external} for its health: its address is the
   * cluster's own, or the operator's settings refuse it. Correct the URL, or have an administrator
   * add the host to the operator's {@code LOADGEN_EXTERNAL_HOSTS}.
   */
  public static final String HOST_NOT_ALLOWED = "HostNotAllowed";

  /**
   * A server that was healthy has not answered its health check for {@code spec.heartbeat.timeout},
   * though it runs. The message has the tail of its log. Delete its pod, or wait: it is available
   * again as soon as it answers.
   */
  public static final String SERVER_NOT_ANSWERING = "ServerNotAnswering";

  /**
   * A server's node does not answer any more, or its pod does not end; Kubernetes starts no other
   * in its place. Bring the node back, or delete it or the pod as the message says.
   */
  public static final String SERVER_LOST = "ServerLost";

  /**
   * The servers did not become healthy within {@code spec.startupTimeout}. The message has the tail
   * of a log.
   */
  public static final String STARTUP_TIMEOUT = "StartupTimeout";

  /** The image of the servers cannot be had. Correct {@code spec.image}. */
  public static final String IMAGE_UNAVAILABLE = "ImageUnavailable";

  /** A server ends again and again. The message has its exit code and the tail of its log. */
  public static final String SERVER_CRASHED = "ServerCrashed";

  /**
   * A server ends again and again for want of memory, its container's or its GPUs'. The message
   * names the settings to lower or to raise, with their values.
   */
  public static final String SERVER_OUT_OF_MEMORY = "ServerOutOfMemory";

  /**
   * Kubernetes does not make a server's pod, for example since Pod Security, a quota or a missing
   * priority class forbids it. The message quotes it.
   */
  public static final String PODS_REFUSED = "PodsRefused";

  /**
   * The cluster has no LeaderWorkerSet, of which {@code spec.multiNode} makes servers. Install it
   * from {@code kubernetes-sigs/lws}; the operator goes on by itself.
   */
  public static final String LEADER_WORKER_SET_UNAVAILABLE = "LeaderWorkerSetUnavailable";

  /** A pod fits no node. The message quotes the scheduler. */
  public static final String UNSCHEDULABLE = "Unschedulable";

  /**
   * Servers on demand lack GPUs that those of other backends on demand have. Wait; the message
   * names these backends.
   */
  public static final String GPUS_IN_USE = "GpusInUse";

  /**
   * Servers on demand and those of another backend each had a part of the GPUs that both want, and
   * the other backend comes first: these have given theirs back. Wait; they start by themselves.
   */
  public static final String GAVE_WAY = "GaveWay";

  private Reasons() {}
}
