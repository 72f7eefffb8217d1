package dev.loadgen.operator.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpServer;
import dev.loadgen.operator.Fixtures;
import dev.loadgen.operator.desired.BackendLeases;
import io.fabric8.kubernetes.api.model.coordination.v1.Lease;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class RunActionsTest {
  private static final String LEASES = "/apis/coordination.k8s.io/v1/namespaces/bench/leases";

  private final List<String> requests = new CopyOnWriteArrayList<>();
  private HttpServer apiServer;
  private KubernetesClient client;
  private volatile int status = 200;
  private volatile String answer = "{}";

  @BeforeEach
  void start() throws IOException {
    apiServer = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    apiServer.createContext(
        "/",
        exchange -> {
          String body =
              new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
          requests.add(exchange.getRequestMethod() + " " + exchange.getRequestURI() + " " + body);
          boolean get = exchange.getRequestMethod().equals("GET");
          byte[] bytes = answer.getBytes(StandardCharsets.UTF_8);
          exchange.getResponseHeaders().add("Content-Type", "application/json");
          exchange.sendResponseHeaders(get ? 200 : status, bytes.length);
          exchange.getResponseBody().write(bytes);
          exchange.close();
        });
    apiServer.start();
    Config config =
        new ConfigBuilder(Config.empty())
            .withMasterUrl("http://127.0.0.1:" + apiServer.getAddress().getPort())
            .withHttp2Disable(true)
            .withRequestRetryBackoffLimit(0)
            .build();
    client = new KubernetesClientBuilder().withConfig(config).build();
  }

  @AfterEach
  void stop() {
    client.close();
    apiServer.stop(0);
  }

  @Test
  void aLeaseIsDeletedOnlyAsItWasSeen() {
    Lease lease = BackendLeases.lease(Fixtures.run("r"), Fixtures.NOW);
    lease.getMetadata().setResourceVersion("41");

    actions().release(lease);

    assertThat(requests)
        .singleElement()
        .asString()
        .startsWith("DELETE " + LEASES + "/loadgen-llm ")
        .contains("\"preconditions\":{")
        .contains("\"resourceVersion\":\"41\"");
  }

  @Test
  void aLeaseThatHasChangedIsLeftAlone() {
    Lease lease = BackendLeases.lease(Fixtures.run("r"), Fixtures.NOW);
    lease.getMetadata().setResourceVersion("41");
    status = 409;

    actions().release(lease);

    assertThat(requests).hasSize(1);
  }

  @Test
  void aLeaseThatAnotherRunTookFirstIsNamed() {
    status = 409;
    answer =
        "{\"apiVersion\":\"coordination.k8s.io/v1\",\"kind\":\"Lease\",\"metadata\":{\"name\":\"loadgen-llm\","
            + "\"namespace\":\"bench\"},\"spec\":{\"holderIdentity\":\"other/uid\"}}";

    RunDecision outcome =
        actions()
            .takeBackend(Fixtures.run("r"), new RunDecision.TakeBackend("taking"), Fixtures.NOW);

    assertThat(outcome)
        .isEqualTo(new RunDecision.Wait("BackendInUse", "Lease loadgen-llm is held by other/uid"));
    assertThat(requests.getFirst()).startsWith("POST " + LEASES);
  }

  @Test
  void whatKubernetesRefusesFailsTheRunWithItsWords() {
    status = 403;
    answer =
        "{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"code\":403,\"reason\":\"Forbidden\",\"message\":\"exceeded quota: pods\"}";

    RunDecision outcome =
        actions().start(Fixtures.run("r"), Fixtures.backend(), ResolvedReferences.NONE);

    assertThat(outcome).isInstanceOf(RunDecision.Fail.class);
    assertThat(((RunDecision.Fail) outcome).reason()).isEqualTo("RunnerNotStarted");
    assertThat(((RunDecision.Fail) outcome).message()).contains("exceeded quota: pods");
  }

  @Test
  void anApiServerInTroubleIsNoFailureOfTheRun() {
    status = 500;

    assertThatThrownBy(
            () -> actions().start(Fixtures.run("r"), Fixtures.backend(), ResolvedReferences.NONE))
        .isInstanceOf(KubernetesClientException.class);
  }

  private RunActions actions() {
    return new RunActions(client, Fixtures.settings());
  }
}
