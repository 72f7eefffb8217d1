package dev.loadgen.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;

import dev.loadgen.api.v1alpha1.InferenceBackend;
import dev.loadgen.contract.Reasons;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What one namespace does, another does not feel. */
class NeighboursIT extends LocalNodeTest {
  private static final int SILENT = 512;
  private static final Duration LONG = Duration.ofMinutes(3);

  @Test
  void serversThatDoNotAnswerDelayNobodyElse(@TempDir Path folder)
      throws IOException, InterruptedException, ExecutionException {
    String other = cluster().namespace(Map.of());
    try (ServerSocket silent = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
        OperatorProcess operator =
            OperatorProcess.start(cluster(), folder, bench().name(), other)) {
      operator.awaitReady();
      Duration alone = untilFirstStatus(other, "alone");

      create(silent.getLocalPort());
      Duration first = untilFirstStatus(other, "while-they-are-new");
      Awaitility.await("each has its status")
          .atMost(LONG)
          .until(
              () ->
                  backends().stream()
                      .allMatch(
                          backend ->
                              backend.getStatus() != null
                                  && backend.getStatus().conditions().stream()
                                      .anyMatch(c -> c.getMessage().contains("no answer within"))));
      Duration later = untilFirstStatus(other, "while-they-are-silent");

      System.out.printf(
          "first status: %d ms alone, %d ms beside %d new backends, %d ms beside them later%n",
          alone.toMillis(), first.toMillis(), SILENT, later.toMillis());
      // As long as the machine takes for it anyway; one that waited for them took 28 s.
      Duration most = alone.multipliedBy(5).plusSeconds(1);
      assertThat(first).isLessThan(most);
      assertThat(later).isLessThan(most);
      bench().awaitReason("silent-0", Reasons.REPLICAS_NOT_READY, "no answer within 2000 ms");
      cluster()
          .kubectl("delete", "-n", bench().name(), "inferencebackend", "--all", "--wait=false");
    }
  }

  private void create(int port) throws InterruptedException, ExecutionException {
    List<Future<?>> made = new ArrayList<>();
    try (ExecutorService threads = Executors.newFixedThreadPool(8)) {
      for (int i = 0; i < SILENT; i++) {
        String yaml =
            BenchmarkNamespace.backend(
                "silent-" + i, "external: {urls: ['http://127.0.0.1:%d']}".formatted(port));
        made.add(threads.submit(() -> bench().create(yaml)));
      }
      for (Future<?> each : made) {
        each.get();
      }
    }
  }

  private List<InferenceBackend> backends() {
    return cluster()
        .client()
        .resources(InferenceBackend.class)
        .inNamespace(bench().name())
        .list()
        .getItems();
  }

  private static Duration untilFirstStatus(String namespace, String name) {
    var backends = cluster().client().resources(InferenceBackend.class).inNamespace(namespace);
    long begin = System.nanoTime();
    cluster()
        .client()
        .resource(
            BenchmarkNamespace.backend(name, "external: {urls: ['http://no-such-host.invalid']}"))
        .inNamespace(namespace)
        .create();
    Awaitility.await("first status of " + name)
        .atMost(LONG)
        .pollInterval(Duration.ofMillis(20))
        .until(() -> backends.withName(name).get().getStatus() != null);
    return Duration.ofNanos(System.nanoTime() - begin);
  }
}
