package dev.loadgen.local.kubelet;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.loadgen.local.EmbeddedCluster;
import dev.loadgen.local.apiserver.ContainerLogs;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Clock;
import java.time.Instant;
import java.time.InstantSource;
import java.time.ZoneOffset;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Which bytes of a log file are asked for, and how the API server serves them. */
@Timeout(60)
class ContainerLogTest {
  private static final Instant START = Instant.parse("2026-03-01T10:00:00Z");

  private final Path file;
  private final ContainerLog log;
  private Instant now = START;

  ContainerLogTest(@TempDir Path folder) {
    file = folder.resolve("server.log");
    InstantSource source = () -> now;
    log = new ContainerLog(file, source.withZone(ZoneOffset.UTC));
  }

  @Test
  void eachStartHasItsOwnPartOfTheFile() throws IOException {
    assertThat(log.find(false, null)).isEmpty();
    write("of an earlier pod\n");
    log.begin();
    write("first\n");
    assertThat(log.find(true, null)).isEmpty();
    assertThat(log.find(false, null)).contains(new LogPart(file, 18, null));
    log.begin();
    write("second\n");

    assertThat(log.find(true, null)).contains(new LogPart(file, 18, 24L));
    assertThat(log.find(false, null)).contains(new LogPart(file, 24, null));
  }

  @Test
  void whatWasThereBeforeATimeIsLeftOut() throws IOException {
    log.begin();
    write("starting\n");
    log.mark();
    now = START.plusSeconds(60);
    write("serving\n");
    log.mark();

    assertThat(log.find(false, START.minusSeconds(1))).contains(new LogPart(file, 0, null));
    assertThat(log.find(false, START.plusSeconds(30))).contains(new LogPart(file, 9, null));
    assertThat(log.find(false, START.plusSeconds(60))).contains(new LogPart(file, 17, null));
  }

  @Test
  void theApiServerServesItAsARealOneDoes() throws IOException {
    write("one\ntwo\nthree\n");
    try (EmbeddedCluster cluster = EmbeddedCluster.start(Clock.systemUTC())) {
      KubernetesClient client = cluster.client();
      client
          .resource(
              Serialization.unmarshal(
                  """
                  apiVersion: v1
                  kind: Pod
                  metadata: {name: p, namespace: default}
                  spec: {containers: [{name: server, image: i}, {name: other, image: i}]}
                  """,
                  Pod.class))
          .create();
      String uid = client.pods().inNamespace("default").withName("p").get().getMetadata().getUid();
      cluster.serveLogs(
          (pod, container, previous, since) ->
              pod.equals(uid) && container.equals("server") && !previous
                  ? Optional.of(new ContainerLogs.Part(file, 4, 8L))
                  : Optional.empty());

      assertThat(client.raw("/api/v1/namespaces/default/pods/p/log?container=server"))
          .isEqualTo("two\n");
      assertThat(client.raw("/api/v1/namespaces/default/pods/p/log?container=server&limitBytes=2"))
          .isEqualTo("tw");
      assertThat(client.raw("/api/v1/namespaces/default/pods/p/log?container=server&tailLines=1"))
          .isEqualTo("two\n");
      assertThatThrownBy(() -> client.raw("/api/v1/namespaces/default/pods/p/log"))
          .hasMessageContaining("a container name must be specified");
      assertThatThrownBy(() -> client.raw("/api/v1/namespaces/default/pods/p/log?container=absent"))
          .hasMessageContaining("is not valid for pod p");
      assertThatThrownBy(
              () ->
                  client.raw(
                      "/api/v1/namespaces/default/pods/p/log?container=server&previous=true"))
          .hasMessageContaining("previous terminated container");
      assertThatThrownBy(() -> client.raw("/api/v1/namespaces/default/pods/p/log?container=other"))
          .hasMessageContaining("waiting to start");
      assertThatThrownBy(
              () ->
                  client.raw("/api/v1/namespaces/default/pods/p/log?container=server&follow=true"))
          .hasMessageContaining("no option follow");
    }
  }

  private void write(String text) throws IOException {
    Files.writeString(file, text, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
  }
}
