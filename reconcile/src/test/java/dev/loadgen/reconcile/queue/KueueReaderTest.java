package dev.loadgen.reconcile.queue;

import static org.assertj.core.api.Assertions.assertThat;

import dev.loadgen.contract.Reasons;
import dev.loadgen.reconcile.LoopbackApiServer;
import dev.loadgen.reconcile.LoopbackApiServer.Answer;
import dev.loadgen.reconcile.LoopbackApiServer.Request;
import io.fabric8.kubernetes.api.model.batch.v1.Job;
import io.fabric8.kubernetes.api.model.batch.v1.JobBuilder;
import java.io.IOException;
import org.junit.jupiter.api.Test;

class KueueReaderTest {
  private static final Job JOB =
      new JobBuilder()
          .withNewMetadata()
          .withName("r-runner")
          .withNamespace("bench")
          .withUid("u-1")
          .endMetadata()
          .build();

  @Test
  void aClusterWithoutKueueIsNoError() throws IOException {
    try (LoopbackApiServer server =
        LoopbackApiServer.start(request -> new Answer(404, "404 page not found"))) {
      assertThat(new KueueReader(server.client()).read("gpu", JOB))
          .isEqualTo(QueueState.NOT_INSTALLED);
      assertThat(server.requests())
          .extracting(Request::path)
          .satisfiesExactly(
              path -> assertThat(path).contains("/v1beta2/"),
              path -> assertThat(path).contains("/v1beta1/"));
    }
  }

  @Test
  void theWorkloadIsFoundByTheUidOfItsJob() throws IOException {
    try (LoopbackApiServer server =
        LoopbackApiServer.start(
            request ->
                request.path().contains("v1beta2")
                    ? new Answer(404, "404 page not found")
                    : new Answer(
                        200,
                        "{\"apiVersion\":\"kueue.x-k8s.io/v1beta1\",\"kind\":\"WorkloadList\","
                            + "\"items\":[{\"apiVersion\":\"kueue.x-k8s.io/v1beta1\","
                            + "\"kind\":\"Workload\",\"metadata\":{\"name\":\"w\"}}]}"))) {
      assertThat(new KueueReader(server.client()).read("gpu", JOB).reason())
          .isEqualTo(Reasons.QUEUED);
      assertThat(server.requests().getLast().path())
          .contains("/apis/kueue.x-k8s.io/v1beta1/namespaces/bench/workloads");
    }
  }
}
