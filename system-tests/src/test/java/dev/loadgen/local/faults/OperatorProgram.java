package dev.loadgen.local.faults;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.net.ConnectException;
import java.net.HttpURLConnection;
import java.net.ServerSocket;
import java.net.URI;
import java.net.URL;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.awaitility.Awaitility;

/**
 * The operator as a program, with Java's cache of its start, as its image has it: a process that is
 * killed every few seconds spends most of them on its start.
 */
final class OperatorProgram {
  /** Jars alone: Java makes no cache of classes in folders. */
  private static final String CLASS_PATH =
      Stream.of(System.getProperty("java.class.path").split(File.pathSeparator, -1))
          .filter(entry -> entry.endsWith(".jar"))
          .collect(Collectors.joining(File.pathSeparator));

  private static final String FIRST = "first-process";

  private final Path folder;
  private final Path kubeconfig;
  private final Path cache;

  private OperatorProgram(Path folder, Path kubeconfig) {
    this.folder = folder;
    this.kubeconfig = kubeconfig;
    this.cache = folder.resolve("operator.aot");
  }

  /**
   * Starts and ends a first one, which makes the cache.
   *
   * @param folder for the cache, and for logs
   */
  static OperatorProgram learn(ScriptedCluster cluster, Path folder)
      throws IOException, InterruptedException {
    Path kubeconfig = folder.resolve("kubeconfig");
    Files.writeString(
        kubeconfig,
        """
        apiVersion: v1
        kind: Config
        current-context: test
        clusters: [{name: test, cluster: {server: "%s"}}]
        users: [{name: test, user: {}}]
        contexts: [{name: test, context: {cluster: test, user: test}}]
        """
            .formatted(cluster.url()));
    OperatorProgram program = new OperatorProgram(folder, kubeconfig);
    // Without a line it would wait for the WebSocket that the embedded API server does not have.
    cluster.lines().add(FIRST, new Line(call -> Fate.PASS, Duration.ofSeconds(10)));
    int port = freePort();
    Process first =
        program.start("nobody", FIRST, port, List.of("-XX:AOTCacheOutput=" + program.cache));
    try {
      Awaitility.await()
          .atMost(Duration.ofMinutes(2))
          .untilAsserted(
              () -> assertThat(isReady(port)).as("%s", Files.readString(program.log())).isTrue());
      first.destroy();
      assertThat(first.waitFor(3, TimeUnit.MINUTES)).as("it ends").isTrue();
    } finally {
      first.destroyForcibly();
    }
    assertThat(program.cache).exists();
    return program;
  }

  private static int freePort() throws IOException {
    try (ServerSocket socket = new ServerSocket(0)) {
      return socket.getLocalPort();
    }
  }

  private static boolean isReady(int port) throws IOException {
    try {
      URL ready = URI.create("http://127.0.0.1:" + port + "/readyz").toURL();
      return ((HttpURLConnection) ready.openConnection()).getResponseCode() == 200;
    } catch (ConnectException notYet) {
      return false;
    }
  }

  /**
   * Starts one that has a namespace.
   *
   * @param name by which {@link Lines} tell its calls from others
   */
  Process start(String namespace, String name) throws IOException {
    return start(namespace, name, 0, List.of("-XX:AOTCache=" + cache));
  }

  private Process start(String namespace, String name, int healthPort, List<String> options)
      throws IOException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin/java").toString());
    command.addAll(List.of("-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Xmx256m"));
    command.addAll(List.of("-Xlog:aot=off", "-Xlog:cds=off", "-Dkubernetes.disable.http2=true"));
    command.addAll(options);
    command.add("-Dkubernetes.user.agent=" + name);
    command.addAll(List.of("-cp", CLASS_PATH, "dev.loadgen.operator.Main"));
    ProcessBuilder builder = new ProcessBuilder(command);
    builder.environment().put("KUBECONFIG", kubeconfig.toString());
    builder.environment().put("LOADGEN_NAMESPACES", namespace);
    builder.environment().put("LOADGEN_HEALTH_PORT", String.valueOf(healthPort));
    return builder
        .redirectErrorStream(true)
        .redirectOutput(ProcessBuilder.Redirect.appendTo(log().toFile()))
        .start();
  }

  private Path log() {
    return folder.resolve("operator.log");
  }
}
