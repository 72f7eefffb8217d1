package dev.loadgen.contract;

/**
 * The runner's command line and HTTP interface, as the operator uses them:
 *
 * <pre>
 * runner --plan FILE --datasets FOLDER --results FOLDER --termination-log FILE --listen HOST:PORT
 *     [--secrets FOLDER]
 * </pre>
 */
public final class RunnerInterface {
  /** The plan's file. */
  public static final String PLAN_OPTION = "--plan";

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

  /** In the secrets folder: MLflow's bearer token. */
  public static final String MLFLOW_TOKEN_FILE = "mlflow-token";

  /** Where progress and metrics are served. */
  public static final String LISTEN_OPTION = "--listen";

  /**
   * Environment variable: host names that the resolver does not know, as {@code HOST:PORT:ADDRESS}
   * separated by commas, in the manner of curl's option {@code --resolve}.
   */
  public static final String RESOLVE_VARIABLE = "LOADGEN_RESOLVE";

  /** The port of progress and metrics. */
  public static final int PORT = 9464;

  /** {@code GET}: a {@code BenchmarkRunStatus.Progress} as JSON. */
  public static final String PROGRESS_PATH = "/progress";

  /** {@code GET}: Prometheus text. */
  public static final String METRICS_PATH = "/metrics";

  /** Where the operator sends the servers' logs: {@link ServerLogs}. */
  public static final String SERVER_LOGS_PATH = "/server-logs";

  private RunnerInterface() {}
}
