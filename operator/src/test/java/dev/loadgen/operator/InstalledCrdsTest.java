package dev.loadgen.operator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.loadgen.api.v1alpha1.CrdRevision;
import dev.loadgen.operator.InstalledCrds.Finding;
import dev.loadgen.operator.InstalledCrds.Fit;
import dev.loadgen.operator.InstalledCrds.Unfit;
import dev.loadgen.operator.InstalledCrds.Unknown;
import dev.loadgen.reconcile.LoopbackApiServer;
import dev.loadgen.reconcile.LoopbackApiServer.Answer;
import dev.loadgen.reconcile.LoopbackApiServer.Request;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.io.IOException;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class InstalledCrdsTest {
  private static final String RUNS =
      "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/benchmarkruns.loadgen.dev";
  private static final String BACKENDS =
      "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/inferencebackends.loadgen.dev";

  private static Finding look(Function<Request, Answer> answers) throws IOException {
    try (LoopbackApiServer server = LoopbackApiServer.start(answers)) {
      return InstalledCrds.look(server.client());
    }
  }

  private static Answer crd(String revision) {
    return new Answer(
        200,
        """
        {"kind": "PartialObjectMetadata", "apiVersion": "meta.k8s.io/v1",
         "metadata": {"annotations": {"other": "9", "loadgen.dev/revision": "%s"}}}
        """
            .formatted(revision));
  }

  private static Answer current(Request request) {
    return crd(
        String.valueOf(
            request.path().equals(RUNS)
                ? CrdRevision.BENCHMARK_RUNS
                : CrdRevision.INFERENCE_BACKENDS));
  }

  @Test
  void thoseOfThisVersionFitAndNothingButTheirMetadataIsAskedFor() throws IOException {
    try (LoopbackApiServer server = LoopbackApiServer.start(InstalledCrdsTest::current)) {
      assertThat(InstalledCrds.look(server.client())).isEqualTo(new Fit());

      assertThat(server.requests())
          .extracting(request -> request.method() + " " + request.path())
          .containsExactly("GET " + RUNS, "GET " + BACKENDS);
      assertThat(server.requests())
          .allSatisfy(
              request ->
                  assertThat(request.accept())
                      .startsWith("application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1"));
    }
  }

  @Test
  void newerOnesFit() throws IOException {
    assertThat(look(request -> crd("999999999"))).isEqualTo(new Fit());
  }

  @Test
  void anOlderOneIsNamedWithWhatIsNeededAndTheCure() throws IOException {
    Finding found = look(request -> request.path().equals(RUNS) ? crd("0") : current(request));

    assertThat(found)
        .isEqualTo(
            new Unfit(
                "custom resources are absent or older than the operator:"
                    + " benchmarkruns.loadgen.dev has revision 0, and this operator needs revision "
                    + CrdRevision.BENCHMARK_RUNS
                    + " or newer; apply those of this operator's version and start it again:"
                    + " kubectl apply --server-side -k manifests/crds, or helm upgrade with"
                    + " crds.install=true"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "-1", "new", "1.5", "99999999999999999999", "１"})
  void aRevisionThatIsNoNumberIsNoneThatIsKnown(String revision) throws IOException {
    assertThat(look(request -> crd(revision))).isInstanceOf(Unfit.class);
  }

  @Test
  void bothAreToldIfBothAreWrong() throws IOException {
    Finding found =
        look(
            request ->
                request.path().equals(RUNS)
                    ? new Answer(404, "{}")
                    : new Answer(200, "{\"metadata\": {\"name\": \"b\"}}"));

    assertThat(((Unfit) found).message())
        .contains("benchmarkruns.loadgen.dev is not installed")
        .contains("inferencebackends.loadgen.dev has no revision, so it is older");
  }

  @Test
  void whatMayNotBeReadIsUnknown() throws IOException {
    assertThat(look(request -> new Answer(403, "{}"))).isInstanceOf(Unknown.class);
  }

  @Test
  void anApiServerThatAnswersSomethingElseIsNoAnswer() {
    assertThatThrownBy(() -> look(request -> new Answer(401, "{}")))
        .isInstanceOf(KubernetesClientException.class)
        .hasMessageContaining("benchmarkruns.loadgen.dev: the API server answers 401");
    assertThatThrownBy(() -> look(request -> new Answer(200, "<html>")))
        .isInstanceOf(KubernetesClientException.class)
        .hasMessageContaining("no JSON");
  }
}
