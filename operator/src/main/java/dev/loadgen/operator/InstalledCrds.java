package dev.loadgen.operator;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.loadgen.api.v1alpha1.CrdRevision;
import dev.loadgen.api.v1alpha1.InferenceBackend;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.http.HttpClient;
import io.fabric8.kubernetes.client.http.HttpRequest;
import io.fabric8.kubernetes.client.http.HttpResponse;
import java.net.HttpURLConnection;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Looks whether the cluster's custom resources are as new as this operator. With older ones the API
 * server drops fields that somebody set, and refuses statuses with fields that it does not know.
 */
final class InstalledCrds {
  /** The least that is asked of each custom resource, by its name. */
  private static final List<Needed> NEEDED =
      List.of(
          new Needed("benchmarkruns." + InferenceBackend.GROUP, CrdRevision.BENCHMARK_RUNS),
          new Needed(
              "inferencebackends." + InferenceBackend.GROUP, CrdRevision.INFERENCE_BACKENDS));

  private static final String CURE =
      "apply those of this operator's version and start it again: kubectl apply --server-side -k"
          + " manifests/crds, or helm upgrade with crds.install=true";

  /** Their metadata alone: nobody reads the schemas here, which are long. */
  private static final String ACCEPT =
      "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1,application/json";

  private static final long ANSWER_SECONDS = 10;
  private static final long REPEATED_SECONDS = 60;
  private static final int MOST_DIGITS = 9;
  private static final ObjectMapper JSON = new ObjectMapper();

  private InstalledCrds() {}

  private record Needed(String name, int revision) {}

  sealed interface Finding {}

  /** Both are as new as the operator, or newer. */
  record Fit() implements Finding {}

  /**
   * The operator may not see them: a Role cannot allow it, since they are of no namespace.
   *
   * @param why for people
   */
  record Unknown(String why) implements Finding {}

  /**
   * One is absent or older, and nothing can be reconciled.
   *
   * @param message says which, and what to do
   */
  record Unfit(String message) implements Finding {}

  /**
   * Asks the API server.
   *
   * @throws KubernetesClientException if it does not answer, or not as an API server does
   */
  static Finding look(KubernetesClient client) {
    List<String> problems = new ArrayList<>();
    for (Needed needed : NEEDED) {
      HttpResponse<String> answer = get(client, needed.name());
      switch (answer.code()) {
        case HttpURLConnection.HTTP_OK -> {
          String found = revision(needed.name(), answer.body());
          if (!isAtLeast(found, needed.revision())) {
            problems.add(
                "%s has %s, and this operator needs revision %d or newer"
                    .formatted(
                        needed.name(),
                        found.isEmpty() ? "no revision, so it is older" : "revision " + found,
                        needed.revision()));
          }
        }
        case HttpURLConnection.HTTP_NOT_FOUND ->
            problems.add(
                "%s is not installed, and this operator needs revision %d or newer"
                    .formatted(needed.name(), needed.revision()));
        case HttpURLConnection.HTTP_FORBIDDEN -> {
          return new Unknown(
              "the operator may not get customresourcedefinitions/"
                  + needed.name()
                  + ", which takes a ClusterRole");
        }
        default ->
            throw new KubernetesClientException(
                "%s: the API server answers %d: %s"
                    .formatted(needed.name(), answer.code(), answer.message()));
      }
    }
    return problems.isEmpty()
        ? new Fit()
        : new Unfit(
            "custom resources are absent or older than the operator: "
                + String.join("; ", problems)
                + "; "
                + CURE);
  }

  private static HttpResponse<String> get(KubernetesClient client, String name) {
    HttpClient http = client.getHttpClient();
    HttpRequest request =
        http.newHttpRequestBuilder()
            .uri(
                client.getMasterUrl()
                    + "apis/apiextensions.k8s.io/v1/customresourcedefinitions/"
                    + name)
            .header("Accept", ACCEPT)
            .timeout(ANSWER_SECONDS, TimeUnit.SECONDS)
            .build();
    try {
      return http.sendAsync(request, String.class).get(REPEATED_SECONDS, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new KubernetesClientException(name + ": interrupted", e);
    } catch (ExecutionException | TimeoutException e) {
      throw new KubernetesClientException(name + ": the API server does not answer: " + e, e);
    }
  }

  /** The annotation's text; empty without one. */
  private static String revision(String name, String crd) {
    try {
      JsonNode annotations = JSON.readTree(crd).path("metadata").path("annotations");
      return annotations.path(CrdRevision.ANNOTATION).asText();
    } catch (JsonProcessingException e) {
      throw new KubernetesClientException(name + ": the API server answers no JSON", e);
    }
  }

  private static boolean isAtLeast(String revision, int least) {
    return !revision.isEmpty()
        && revision.length() <= MOST_DIGITS
        && revision.chars().allMatch(digit -> digit >= '0' && digit <= '9')
        && Integer.parseInt(revision) >= least;
  }
}
