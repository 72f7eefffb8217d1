package dev.loadgen.kubernetes;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.io.File;
import java.io.IOException;
import java.net.ConnectException;
import java.net.HttpURLConnection;
import java.net.ServerSocket;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.awaitility.Awaitility;

/**
 * The operator as a process of its own, as in its container: it has the token of its service
 * account and nothing else, so that it may do what its role allows.
 */
final class OperatorProcess implements AutoCloseable {
  /** Where it lives. */
  static final String NAMESPACE = "loadgen-system";

  /** Less than after which the operator cuts itself off; much more than it takes. */
  private static final Duration MOST_TO_END = Duration.ofSeconds(9);

  private static final Pattern REQUESTS =
      Pattern.compile(
          "loadgen_operator_api_requests_total\\{resource=\"([^\"]+)\",verb=\"([^\"]+)\"} (\\S+)");
  private static final Pattern ENDED =
      Pattern.compile("(?m)^(loadgen_operator_runs_ended_total\\{[^}]*\\}) ([0-9.E+]+)$");
  private static final Pattern RECONCILES =
      Pattern.compile("loadgen_operator_reconcile_seconds_count\\{kind=\"(\\w+)\"} (\\S+)");

  /** As in its image, jars alone: Java makes no cache of others. */
  private static final String CLASS_PATH =
      Stream.of(System.getProperty("java.class.path").split(File.pathSeparator, -1))
          .filter(entry -> entry.endsWith(".jar"))
          .collect(Collectors.joining(File.pathSeparator));

  /** Classes of the operator as Java keeps them, as in its image; there when a first one ended. */
  private static final Path CACHE = TestCluster.TARGET.resolve("operator.aot");

  private final Path log;
  private final Map<String, String> settings;
  private Process process;
  private int healthPort;

  private OperatorProcess(Path log, Map<String, String> settings, Process process, int healthPort) {
    this.log = log;
    this.settings = settings;
    this.process = process;
    this.healthPort = healthPort;
  }

  /**
   * Starts an operator for some namespaces; returns when it is ready.
   *
   * @param folder for its kubeconfig and its log
   * @param namespaces none: all that there are and will be
   */
  static OperatorProcess start(TestCluster cluster, Path folder, String... namespaces)
      throws IOException, InterruptedException {
    return start(cluster, folder, Map.of(), namespaces);
  }

  /**
   * Starts one of several operators of which one leads; returns when it is ready.
   *
   * @param host its identity, as a pod's name is
   */
  static OperatorProcess startOneOfSeveral(
      TestCluster cluster, Path folder, String host, String... namespaces)
      throws IOException, InterruptedException {
    cluster.kubectl(
        "apply",
        "--server-side",
        "-f",
        Programs.REPOSITORY.resolve("manifests/operator/namespace.yaml").toString(),
        "-f",
        Programs.REPOSITORY.resolve("manifests/components/high-availability/role.yaml").toString());
    return start(
        cluster,
        folder,
        Map.of("LOADGEN_LEADER_ELECTION", "true", "POD_NAMESPACE", NAMESPACE, "HOSTNAME", host),
        namespaces);
  }

  /**
   * Starts an operator with some environment variables besides; returns when it is ready.
   *
   * @param folder for its kubeconfig and its log
   */
  static OperatorProcess start(
      TestCluster cluster, Path folder, Map<String, String> more, String... namespaces)
      throws IOException, InterruptedException {
    Map<String, String> settings = settings(cluster, folder, more, namespaces);
    Path log = folder.resolve("operator.log");
    int port = freePort();
    OperatorProcess operator =
        new OperatorProcess(log, settings, launch(log, settings, port), port);
    operator.awaitReady();
    return operator;
  }

  /**
   * Starts an operator that does not get ready; returns its exit code when it has ended.
   *
   * @param folder for its kubeconfig and its log
   */
  static Ended refused(TestCluster cluster, Path folder, String... namespaces)
      throws IOException, InterruptedException {
    Map<String, String> settings = settings(cluster, folder, Map.of(), namespaces);
    Path log = folder.resolve("operator.log");
    Process process = launch(log, settings, freePort());
    boolean ended = process.waitFor(1, TimeUnit.MINUTES);
    process.destroyForcibly().waitFor();
    assertThat(ended).as("the operator ends; its log: %s", Files.readString(log)).isTrue();
    return new Ended(process.exitValue(), Files.readString(log));
  }

  /** An operator that has ended. */
  record Ended(int exitCode, String log) {}

  /** Its role, and its environment with the token of its account. */
  private static Map<String, String> settings(
      TestCluster cluster, Path folder, Map<String, String> more, String... namespaces)
      throws IOException, InterruptedException {
    String token = cluster.operatorToken();
    Path kubeconfig = folder.resolve("operator.kubeconfig");
    Files.writeString(kubeconfig, kubeconfig(cluster.client().getConfiguration(), token));
    Map<String, String> settings = new HashMap<>(more);
    settings.put("KUBECONFIG", kubeconfig.toString());
    settings.put("LOADGEN_NAMESPACES", String.join(",", namespaces));
    // Servers of tests are on this machine.
    settings.putIfAbsent("LOADGEN_EXTERNAL_HOSTS", "*,127.0.0.0/8");
    return settings;
  }

  private static String kubeconfig(Config admin, String token) {
    return Serialization.asYaml(
        Map.of(
            "apiVersion",
            "v1",
            "kind",
            "Config",
            "current-context",
            "operator",
            "clusters",
            List.of(
                Map.of(
                    "name",
                    "test",
                    "cluster",
                    Map.of(
                        "server",
                        admin.getMasterUrl(),
                        "certificate-authority-data",
                        admin.getCaCertData()))),
            "users",
            List.of(Map.of("name", "operator", "user", Map.of("token", token))),
            "contexts",
            List.of(
                Map.of(
                    "name",
                    "operator",
                    "context",
                    Map.of("cluster", "test", "user", "operator")))));
  }

  /**
   * Makes the cache with which operators start faster, as in their image: one is started and ended.
   *
   * @param folder for its kubeconfig and its log
   */
  static void prime(TestCluster cluster, Path folder) throws IOException, InterruptedException {
    Files.deleteIfExists(CACHE);
    Path made = CACHE.resolveSibling("operator.aot.part");
    Map<String, String> settings = settings(cluster, folder, Map.of(), cluster.namespace(Map.of()));
    Path log = folder.resolve("operator.log");
    int port = freePort();
    List<String> options = List.of("-XX:AOTCacheOutput=" + made, "-Xlog:aot=off", "-Xlog:cds=off");
    OperatorProcess operator =
        new OperatorProcess(log, settings, launch(log, settings, port, options), port);
    operator.awaitReady();
    operator.process.destroy();
    boolean ended = operator.process.waitFor(3, TimeUnit.MINUTES);
    operator.process.destroyForcibly();
    assertThat(ended).as("the operator ends; its log: %s", log).isTrue();
    Files.move(made, CACHE);
  }

  private static Process launch(Path log, Map<String, String> settings, int port)
      throws IOException {
    return launch(
        log,
        settings,
        port,
        Files.exists(CACHE)
            ? List.of(
                "-XX:AOTCache=" + CACHE,
                "-XX:+UnlockDiagnosticVMOptions",
                "-XX:ArchiveRelocationMode=0",
                "-Xlog:aot=off",
                "-Xlog:cds=off")
            : List.of());
  }

  private static Process launch(
      Path log, Map<String, String> settings, int port, List<String> cache) throws IOException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin/java").toString());
    // As in its image, in a container that may have 512 MiB.
    command.addAll(List.of("-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Xms16m", "-Xmx256m"));
    command.addAll(cache);
    command.addAll(List.of("-cp", CLASS_PATH, "dev.loadgen.operator.Main"));
    ProcessBuilder builder = new ProcessBuilder(command);
    builder.environment().putAll(settings);
    builder.environment().put("LOADGEN_HEALTH_PORT", String.valueOf(port));
    builder
        .redirectErrorStream(true)
        .redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()));
    return builder.start();
  }

  private static int freePort() throws IOException {
    try (ServerSocket socket = new ServerSocket(0)) {
      return socket.getLocalPort();
    }
  }

  /** Returns when its caches are filled. */
  void awaitReady() {
    Awaitility.await("operator ready")
        .atMost(Duration.ofMinutes(1))
        .pollInterval(Duration.ofMillis(100))
        .until(
            () -> {
              assertThat(process.isAlive()).as("operator lives; its log: %s", log).isTrue();
              return ready();
            });
  }

  private boolean ready() throws IOException {
    try {
      return connection("/readyz").getResponseCode() == 200;
    } catch (ConnectException notYet) {
      return false;
    }
  }

  /** What it tells Prometheus. */
  String metrics() throws IOException {
    try (var body = connection("/metrics").getInputStream()) {
      return new String(body.readAllBytes(), UTF_8);
    }
  }

  /** What it has asked of the API server so far, by verb and resource. */
  Map<String, Long> requests() throws IOException {
    return counts(REQUESTS, sample -> sample.group(2) + " " + sample.group(1));
  }

  /** How often it has looked at an object so far, by kind. */
  Map<String, Long> reconciles() throws IOException {
    return counts(RECONCILES, sample -> sample.group(1));
  }

  /** How many runs have ended so far. */
  long ended() throws IOException {
    return counts(ENDED, sample -> sample.group(1)).values().stream()
        .mapToLong(Long::longValue)
        .sum();
  }

  /** The value of a sample is its pattern's last group. */
  private Map<String, Long> counts(Pattern samples, Function<MatchResult, String> name)
      throws IOException {
    Map<String, Long> counts = new TreeMap<>();
    samples
        .matcher(metrics())
        .results()
        .forEach(
            sample ->
                counts.put(
                    name.apply(sample),
                    (long) Double.parseDouble(sample.group(sample.groupCount()))));
    return counts;
  }

  private HttpURLConnection connection(String path) throws IOException {
    return (HttpURLConnection)
        URI.create("http://127.0.0.1:" + healthPort + path).toURL().openConnection();
  }

  /** Its memory as the kernel counts it. */
  long residentMebibytes() throws IOException {
    return Programs.residentMebibytes(process.pid());
  }

  /** The processor time that it has taken so far. */
  double cpuSeconds() {
    return process.info().totalCpuDuration().orElseThrow().toMillis() / 1e3;
  }

  /** Ends it as a node that loses power would. */
  void kill() throws InterruptedException {
    process.destroyForcibly().waitFor();
  }

  /** Starts it again, as the kubelet would; does not wait until it is ready. */
  void restart() throws IOException {
    assertThat(process.isAlive()).isFalse();
    Files.writeString(log, "---- restart\n", UTF_8, StandardOpenOption.APPEND);
    healthPort = freePort();
    process = launch(log, settings, healthPort);
  }

  /** What it has logged so far. */
  String log() throws IOException {
    return Files.readString(log);
  }

  /** Asks it to end, as the kubelet does; returns its exit code when it has. */
  int terminate(Duration atMost) throws InterruptedException {
    process.destroy();
    return awaitEnd(atMost);
  }

  /** Its exit code when it has ended; whoever waits has not told it to. */
  int awaitEnd(Duration atMost) throws InterruptedException {
    boolean ended = process.waitFor(atMost.toMillis(), TimeUnit.MILLISECONDS);
    process.destroyForcibly().waitFor();
    assertThat(ended).as("the operator ends in %s; its log: %s", atMost, log).isTrue();
    return process.exitValue();
  }

  /** Ends it, unless it has ended. */
  @Override
  public void close() {
    try {
      terminate(MOST_TO_END);
    } catch (InterruptedException e) {
      process.destroyForcibly();
      Thread.currentThread().interrupt();
    }
  }
}
