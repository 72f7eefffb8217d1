package dev.loadgen.operator;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.loadgen.operator.metrics.ApiRequests;
import dev.loadgen.operator.metrics.OperatorMetrics;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.javaoperatorsdk.operator.api.config.LeaderElectionConfiguration;
import io.javaoperatorsdk.operator.api.config.LeaderElectionConfigurationBuilder;
import java.io.IOException;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The operator in a cluster. Settings come from environment variables, the API server from the
 * service account or {@code KUBECONFIG}. Ends with 2 when a setting cannot be used.
 */
public final class Main {
  /** Not of the form of a backend's Lease, which is loadgen-NAME. */
  private static final String LEASE = "operator.loadgen.dev";

  private Main() {}

  /** Runs until the process is told to stop. */
  public static void main(String[] arguments) throws IOException, InterruptedException {
    if (System.getProperty("logback.configurationFile") == null) {
      System.setProperty("logback.configurationFile", "dev/loadgen/operator/logback.xml");
    }
    Logger log = LoggerFactory.getLogger(Main.class);
    Environment environment;
    try {
      environment = Environment.of(System.getenv());
    } catch (IllegalArgumentException e) {
      System.err.println(e.getMessage());
      System.exit(2);
      return;
    }
    CountDownLatch stopped = new CountDownLatch(1);
    AtomicReference<@Nullable LoadgenOperator> running = new AtomicReference<>();
    OperatorMetrics metrics = new OperatorMetrics(environment.settings().clock());
    try (KubernetesClient client = client(metrics);
        HealthServer health =
            HealthServer.start(environment.healthPort(), () -> isHealthy(running.get()), metrics)) {
      // The probes are answered while caches fill, and while another operator leads.
      LoadgenOperator operator =
          LoadgenOperator.start(
              client, environment.settings(), leaderElection(environment), metrics);
      running.set(operator);
      Runtime.getRuntime()
          .addShutdownHook(
              new Thread(
                  () -> {
                    operator.close();
                    stopped.countDown();
                  }));
      log.info(
          "operator started namespaces={} runnerImage={} healthPort={}",
          environment.settings().namespaces().isEmpty()
              ? "all"
              : environment.settings().namespaces(),
          environment.settings().runnerImage(),
          health.port());
      stopped.await();
    }
  }

  private static boolean isHealthy(@Nullable LoadgenOperator operator) {
    return operator != null && operator.healthy();
  }

  /** Who wrote which field: half of the memory that objects take, and nothing that is read here. */
  @JsonIgnoreProperties("managedFields")
  private interface WithoutManagedFields {}

  private static KubernetesClient client(OperatorMetrics metrics) {
    ObjectMapper mapper = ApiJson.mapper().addMixIn(ObjectMeta.class, WithoutManagedFields.class);
    return new KubernetesClientBuilder()
        .withKubernetesSerialization(ApiJson.serialization(mapper))
        .withHttpClientBuilderConsumer(
            http -> http.addOrReplaceInterceptor("metrics", new ApiRequests(metrics)))
        .build();
  }

  private static @Nullable LeaderElectionConfiguration leaderElection(Environment environment) {
    return environment.leaderElection()
        ? LeaderElectionConfigurationBuilder.aLeaderElectionConfiguration(LEASE)
            .withLeaseNamespace(Objects.requireNonNull(environment.namespace()))
            .build()
        : null;
  }
}
