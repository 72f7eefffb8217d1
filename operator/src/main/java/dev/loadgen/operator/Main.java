package dev.loadgen.operator;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.loadgen.reconcile.metrics.ApiRequests;
import dev.loadgen.reconcile.metrics.OperatorMetrics;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import java.io.IOException;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The operator in a cluster. Settings come from environment variables, the API server from the
 * service account or {@code KUBECONFIG}. Ends with
 *
 * <ul>
 *   <li>1 when it cannot start, or can no longer follow the API server, or has lost the Lease by
 *       which it led;
 *   <li>2 when a setting cannot be used;
 *   <li>4 when the custom resources are absent or older than it; nothing was started;
 *   <li>143 when it was told to end.
 * </ul>
 */
public final class Main {
  private static final int FAILED = 1;
  private static final int BAD_SETTINGS = 2;
  private static final int OLD_CUSTOM_RESOURCES = 4;

  /** How long the operator may take to end: less than the kubelet gives it, which is 30 s. */
  private static final Duration MOST_TO_END = Duration.ofSeconds(10);

  private Main() {}

  /** Runs until the process is told to stop. */
  public static void main(String[] arguments) throws InterruptedException {
    Environment environment;
    try {
      environment = Environment.of(System.getenv());
    } catch (IllegalArgumentException e) {
      System.err.println(e.getMessage());
      System.exit(BAD_SETTINGS);
      return;
    }
    // Both before the first logger and the first server.
    System.setProperty("loadgen.log.format", environment.logFormat());
    if (System.getProperty("logback.configurationFile") == null) {
      System.setProperty("logback.configurationFile", "dev/loadgen/operator/logback.xml");
    }
    HealthServer.limitSlowPeers();
    Logger log = LoggerFactory.getLogger(Main.class);
    // Java's own handler prints what a message says, line by line.
    Thread.setDefaultUncaughtExceptionHandler(
        (thread, problem) -> log.error("thread ended name={}", thread.getName(), problem));
    try {
      run(environment, log);
    } catch (IOException | RuntimeException e) {
      log.error("the operator cannot start", e);
      System.exit(FAILED);
    }
  }

  private static void run(Environment environment, Logger log)
      throws IOException, InterruptedException {
    OperatorMetrics metrics = new OperatorMetrics(environment.settings().clock());
    Watchdog watchdog = new Watchdog();
    // Its probes are answered while caches fill, and while another operator leads.
    HealthServer health =
        HealthServer.start(
            environment.healthPort(), watchdog::ready, watchdog::problem, metrics::scrape);
    Leadership leadership = leadership(environment, log);
    KubernetesClient client = client(metrics, leadership);
    switch (InstalledCrds.look(client)) {
      case InstalledCrds.Fit() -> {}
      case InstalledCrds.Unknown(String why) ->
          log.warn("whether the custom resources are as new as the operator is unknown: {}", why);
      case InstalledCrds.Unfit(String message) -> {
        log.error("{}", message);
        System.exit(OLD_CUSTOM_RESOURCES);
      }
    }
    AtomicReference<@Nullable LoadgenOperator> running = new AtomicReference<>();
    Runtime.getRuntime().addShutdownHook(new Thread(() -> end(running.get(), log), "end"));
    LoadgenOperator operator =
        LoadgenOperator.start(
            client,
            environment.settings(),
            leadership,
            metrics,
            // What ends the process may wait for the thread that asks for it.
            () -> Thread.ofPlatform().name("exit").start(() -> System.exit(FAILED)));
    running.set(operator);
    watchdog.watch(operator);
    log.info(
        "operator started namespaces={} runnerImage={} healthPort={}",
        environment.settings().namespaces().isEmpty() ? "all" : environment.settings().namespaces(),
        environment.settings().runnerImage(),
        health.port());
    new CountDownLatch(1).await();
  }

  /**
   * Ends the operator before the process does: whatever hangs then, the process ends when this
   * returns.
   */
  private static void end(@Nullable LoadgenOperator operator, Logger log) {
    if (operator == null) {
      return;
    }
    Thread closing = Thread.ofPlatform().daemon().name("close").start(operator::close);
    try {
      if (!closing.join(MOST_TO_END)) {
        log.warn("the operator has not ended within {} s, and is cut off", MOST_TO_END.toSeconds());
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Who wrote which field: half of the memory that objects take, and nothing that is read here. */
  @JsonIgnoreProperties("managedFields")
  private interface WithoutManagedFields {}

  private static KubernetesClient client(OperatorMetrics metrics, @Nullable Leadership leadership) {
    ObjectMapper mapper = ApiJson.mapper().addMixIn(ObjectMeta.class, WithoutManagedFields.class);
    return new KubernetesClientBuilder()
        .withKubernetesSerialization(ApiJson.serialization(mapper))
        .withHttpClientBuilderConsumer(
            http -> {
              http.addOrReplaceInterceptor("metrics", new ApiRequests(metrics));
              if (leadership != null) {
                http.addOrReplaceInterceptor("leadership", leadership);
              }
            })
        .build();
  }

  private static @Nullable Leadership leadership(Environment environment, Logger log) {
    if (!environment.leaderElection()) {
      return null;
    }
    // A pod's name, so that an operator that was started anew in its pod leads on at once.
    String identity =
        Optional.ofNullable(System.getenv("HOSTNAME"))
            .filter(name -> !name.isBlank())
            .orElseGet(() -> UUID.randomUUID().toString());
    return new Leadership(
        Objects.requireNonNull(environment.namespace()),
        identity,
        System::nanoTime,
        problem -> {
          log.error("the operator is no longer the leader and exits because={}", problem);
          // Without an orderly end, which would take time in which another one leads.
          Runtime.getRuntime().halt(FAILED);
        });
  }
}
