package dev.loadgen.contract;

/**
 * The runner's command line and HTTP interface, as the operator uses them:
 *
 * <pre>
 * runner --plan FILE --datasets FOLDER --results FOLDER --termination-log FILE --listen HOST:PORT
 *     [--secrets FOLDER]
 * runner read-result --run NAME/UID --results FOLDER --termination-log FILE
 * </pre>
 */
public final class RunnerInterface {
  /** The plan's file. */
  public static final String PLAN_OPTION = "--plan";

  /**
   * File beside the plan, if there is one: the BenchmarkRun as its author has written it. It is
   * kept with the results.
   */
  public static final String RUN_FILE = "run.yaml";

  /** The same of the InferenceBackend. */
  public static final String BACKEND_FILE = "backend.yaml";

  /** The folder that {@link RunPlan.Dataset#path} is relative to. */
  public static final String DATASETS_OPTION = "--datasets";

  /** The root of the results volume; the run's folder is NAME/UID below it. */
  public static final String RESULTS_OPTION = "--results";

  /** Where the summary goes besides the results folder. */
  public static final String TERMINATION_LOG_OPTION = "--termination-log";

  /** The folder of the files that follow; needed when the plan names one of them. */
  public static final String SECRETS_OPTION = "--secrets";

  /** In the secrets folder: the servers' API key. */
  public static final String API_KEY_FILE = "api-key";

  /** In the secrets folder: a folder with a file a header, named like the header. */
  public static final String HEADERS_FOLDER = "headers";

  /** In the secrets folder: certificates in PEM. */
  public static final String CA_FILE = "ca.crt";

  /** In the secrets folder: the private key that signs results, as PKCS#8 in PEM. */
  public static final String SIGNING_KEY_FILE = "signing.key";

  /** In the secrets folder: MLflow's bearer token. */
  public static final String MLFLOW_TOKEN_FILE = "mlflow-token";

  /**
   * First word of a command line that runs no test, but reads the summary of an earlier one from
   * the results volume. It ends with 0 and the summary as its termination message, with {@link
   * #NO_RESULT} if there is none, or otherwise if that cannot be determined; then the message says
   * why.
   */
  public static final String READ_RESULT = "read-result";

  /** Of {@link #READ_RESULT}: the run's folder below the root of the results volume. */
  public static final String RUN_OPTION = "--run";

  /** Exit code of {@link #READ_RESULT}: the runner has left no summary. */
  public static final int NO_RESULT = 10;

  /** Where progress and metrics are served. */
  public static final String LISTEN_OPTION = "--listen";

  /**
   * Environment variable: host names that the resolver does not know, as {@code HOST:PORT:ADDRESS}
   * separated by commas, in the manner of curl's option {@code --resolve}.
   */
  public static final String RESOLVE_VARIABLE = "LOADGEN_RESOLVE";

  /** The port of progress and metrics. */
  public static final int PORT = 9464;

  /** {@code GET}: a {@link Progress} as JSON. */
  public static final String PROGRESS_PATH = "/progress";

  /** {@code GET}: Prometheus text. */
  public static final String METRICS_PATH = "/metrics";

  /**
   * {@code PUT}, with the token of {@link ServerLogs}: how many milliseconds the run may take in
   * all, as a decimal number. 204: at least that; 409: its time was over before.
   */
  public static final String DEADLINE_PATH = "/deadline";

  /**
   * {@code PUT}, with the token of {@link ServerLogs} and before the end of the logs: a {@code
   * Provenance} as JSON, what the operator sees of servers and runner now that the test has ended.
   * 204: it is kept, unless there is an earlier one; 409: provenance is not accepted any more.
   */
  public static final String PROVENANCE_PATH = "/provenance";

  /** Where the operator sends the servers' logs: {@link ServerLogs}. */
  public static final String SERVER_LOGS_PATH = "/server-logs";

  private RunnerInterface() {}
}
