package dev.loadgen.api.v1alpha1;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.http.HttpRequest;
import io.fabric8.kubernetes.client.http.HttpResponse;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** What any API server answers by the rules of the custom resources: api-answers.yaml. */
public final class ApiAnswers {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final String RUN =
      """
      benchmark: llama3.1-8b
      scenario: Offline
      backendRef: {name: llama}
      dataset: {configMapName: data, path: a.json}
      """;
  private static final String BACKEND =
      """
      engine: vllm
      model: {name: llama}
      """;
  private static final String GROUP_VERSION =
      InferenceBackend.GROUP + "/" + InferenceBackend.VERSION;
  private static final Path FILE =
      Path.of(System.getProperty("repository.root"), "crds/src/test/resources/api-answers.yaml");
  private static final int LONGEST_ANSWER_SECONDS = 60;

  private ApiAnswers() {}

  /**
   * An object that is made, and perhaps changed.
   *
   * @param spec of the object
   * @param patch of the spec; null if the object is made alone
   * @param rule the message of the rule that is broken; empty if none is
   * @param answer the message of the API server's status; empty if it accepts
   */
  public record Question(
      String kind,
      String name,
      JsonNode spec,
      @Nullable JsonNode patch,
      String rule,
      String answer) {
    @Override
    public String toString() {
      return kind + " " + name + " " + spec + (patch == null ? "" : " -> " + patch);
    }
  }

  /** All of them, each of an object with a name of its own. */
  public static List<Question> all() {
    YAMLMapper yaml = new YAMLMapper();
    try {
      List<Question> questions = new ArrayList<>();
      for (JsonNode entry : yaml.readTree(FILE.toFile())) {
        boolean run = entry.has("run");
        String kind = run ? "BenchmarkRun" : "InferenceBackend";
        String name = entry.path("name").asText("object-" + questions.size());
        JsonNode spec = yaml.readTree(run ? RUN : BACKEND);
        merge((ObjectNode) spec, entry.path(run ? "run" : "backend"));
        String rule = entry.path("message").asText("");
        questions.add(
            new Question(
                kind,
                name,
                spec,
                entry.get("patch"),
                rule,
                rule.isEmpty()
                    ? ""
                    : "%s.loadgen.dev \"%s\" is invalid: %s: Invalid value: %s"
                        .formatted(kind, name, entry.path("at").asText(), rule)));
      }
      return questions;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static void merge(ObjectNode into, JsonNode patch) {
    for (Map.Entry<String, JsonNode> field : patch.properties()) {
      if (field.getValue().isNull()) {
        into.remove(field.getKey());
      } else if (field.getValue().isObject()) {
        merge(into.withObject("/" + field.getKey()), field.getValue());
      } else {
        into.set(field.getKey(), field.getValue());
      }
    }
  }

  /** Asks an API server: the message of its status; empty if it accepts. */
  public static String ask(KubernetesClient client, String namespace, Question question)
      throws Exception {
    ObjectNode object = JsonNodeFactory.instance.objectNode();
    object.put("apiVersion", GROUP_VERSION).put("kind", question.kind());
    object.putObject("metadata").put("name", question.name());
    object.set("spec", question.spec());
    String url =
        "%sapis/%s/namespaces/%s/%ss"
            .formatted(
                client.getMasterUrl(),
                GROUP_VERSION,
                namespace,
                question.kind().toLowerCase(Locale.ROOT));
    String made =
        message(client, request(client, url).post("application/json", object.toString()).build());
    if (question.patch() == null) {
      return made;
    }
    if (!made.isEmpty()) {
      throw new AssertionError("what shall be changed is not made: " + made);
    }
    ObjectNode patch = JsonNodeFactory.instance.objectNode();
    patch.set("spec", question.patch());
    return message(
        client,
        request(client, url + "/" + question.name())
            .method("PATCH", "application/merge-patch+json", patch.toString())
            .build());
  }

  private static HttpRequest.Builder request(KubernetesClient client, String url) {
    return client.getHttpClient().newHttpRequestBuilder().uri(url);
  }

  private static String message(KubernetesClient client, HttpRequest request) throws Exception {
    HttpResponse<String> answer =
        client
            .getHttpClient()
            .sendAsync(request, String.class)
            .get(LONGEST_ANSWER_SECONDS, TimeUnit.SECONDS);
    return answer.isSuccessful() ? "" : JSON.readTree(answer.body()).path("message").asText();
  }
}
