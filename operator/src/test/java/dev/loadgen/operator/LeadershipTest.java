package dev.loadgen.operator;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.loadgen.reconcile.LoopbackApiServer;
import dev.loadgen.reconcile.LoopbackApiServer.Answer;
import dev.loadgen.reconcile.LoopbackApiServer.Request;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.extended.leaderelection.resourcelock.LeaderElectionRecord;
import io.fabric8.kubernetes.client.extended.leaderelection.resourcelock.LeaseLock;
import java.io.IOException;
import java.time.Duration;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

class LeadershipTest {
  private static final String PATH =
      "/apis/coordination.k8s.io/v1/namespaces/system/leases/operator.loadgen.dev";

  private final AtomicLong time = new AtomicLong();
  private final List<String> lost = new ArrayList<>();
  private final Leadership leadership = new Leadership("system", "one", time::get, lost::add);
  private final AtomicReference<String> holder = new AtomicReference<>("one");
  private final AtomicInteger code = new AtomicInteger(200);

  private Answer answer(Request request) {
    return request.method().equals("GET") || code.get() == 200
        ? new Answer(
            200,
            """
            {"apiVersion": "coordination.k8s.io/v1", "kind": "Lease",
             "metadata": {"name": "operator.loadgen.dev", "namespace": "system", "resourceVersion": "7"},
             "spec": {"holderIdentity": "%s", "leaseDurationSeconds": 15, "leaseTransitions": 3,
              "acquireTime": "2026-11-21T09:00:00.000000Z", "renewTime": "2026-11-21T09:00:00.000000Z"}}
            """
                .formatted(holder.get()))
        : new Answer(code.get(), "{}");
  }

  /** A client whose calls are seen, as that of the operator. */
  private KubernetesClient client(LoopbackApiServer server) {
    return new KubernetesClientBuilder()
        .withConfig(server.client().getConfiguration())
        .withHttpClientBuilderConsumer(
            http -> http.addOrReplaceInterceptor("leadership", leadership))
        .build();
  }

  /** As the elector does it. */
  private static void renew(KubernetesClient client) {
    LeaseLock lock = new LeaseLock("system", "operator.loadgen.dev", "one");
    lock.get(client);
    ZonedDateTime now = ZonedDateTime.now(ZoneOffset.UTC);
    lock.update(client, new LeaderElectionRecord("one", Duration.ofSeconds(15), now, now, 3));
  }

  @Test
  void aLeaseThatIsRenewedIsKept() throws IOException {
    try (LoopbackApiServer server = LoopbackApiServer.start(this::answer);
        KubernetesClient client = client(server)) {
      renew(client);
      leadership.started();
      for (int i = 0; i < 5; i++) {
        time.addAndGet(Duration.ofSeconds(10).toNanos());
        leadership.check();
        renew(client);
      }

      assertThat(lost).isEmpty();
    }
  }

  @Test
  void aLeaseThatCannotBeRenewedIsLostBeforeOthersTakeIt() throws IOException {
    try (LoopbackApiServer server = LoopbackApiServer.start(this::answer);
        KubernetesClient client = client(server)) {
      renew(client);
      leadership.started();
      code.set(409);
      time.addAndGet(Duration.ofSeconds(13).toNanos());
      try {
        renew(client);
      } catch (RuntimeException conflict) {
        assertThat(conflict).hasMessageContaining("409");
      }
      leadership.check();
      assertThat(lost).isEmpty();

      time.addAndGet(Duration.ofSeconds(1).toNanos());
      leadership.check();

      assertThat(lost)
          .containsExactly("Lease system/operator.loadgen.dev could not be renewed for 14 s");
    }
  }

  @Test
  void whoStandsByHasNothingToLose() {
    time.addAndGet(Duration.ofHours(1).toNanos());
    leadership.check();
    leadership.stopped();

    assertThat(lost).isEmpty();
  }

  @Test
  void aLeaseOfSomebodyElseIsLostUnlessTheOperatorEnds() {
    leadership.started();
    leadership.stopped();
    assertThat(lost)
        .containsExactly("Lease system/operator.loadgen.dev is held by another operator");

    leadership.resign();
    leadership.stopped();
    time.addAndGet(Duration.ofHours(1).toNanos());
    leadership.check();
    assertThat(lost).hasSize(1);
  }

  @Test
  void aLeaderThatEndsGivesItsLeaseBack() throws IOException {
    try (LoopbackApiServer server = LoopbackApiServer.start(this::answer)) {
      leadership.started();

      leadership.release(server.client());

      Request last = server.requests().getLast();
      assertThat(last.method() + " " + last.path()).isEqualTo("PATCH " + PATH);
      JsonNode written = new ObjectMapper().readTree(last.body());
      assertThat(written.at("/metadata/resourceVersion").asText()).isEqualTo("7");
      assertThat(written.at("/spec/holderIdentity").asText("absent")).isEmpty();
      assertThat(written.at("/spec/leaseDurationSeconds").asInt()).isEqualTo(1);
      assertThat(written.at("/spec/leaseTransitions").asInt()).isEqualTo(3);
    }
  }

  @Test
  void theLeaseOfAnotherOperatorIsLeftAlone() throws IOException {
    try (LoopbackApiServer server = LoopbackApiServer.start(this::answer)) {
      leadership.release(server.client());
      assertThat(server.requests()).as("of one that never led").isEmpty();

      holder.set("two");
      leadership.started();
      leadership.release(server.client());

      assertThat(server.requests()).extracting(Request::method).containsExactly("GET");
    }
  }
}
