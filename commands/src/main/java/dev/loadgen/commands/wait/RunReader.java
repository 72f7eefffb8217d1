package dev.loadgen.commands.wait;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.loadgen.commands.console.RunView;
import dev.loadgen.commands.wait.UnansweredException.Why;
import dev.loadgen.contract.Excerpt;
import java.io.IOException;
import java.util.Optional;

/**
 * Reads the runs of one namespace, one by one: the right to {@code get} them is all that it takes,
 * and no connection has to last. Not thread-safe.
 */
public final class RunReader implements AutoCloseable {
  private static final ObjectMapper JSON = new ObjectMapper();

  /** The most of an answer that stands in a message. */
  private static final int SHOWN = 300;

  private final String server;
  private final String namespace;
  private final Requests requests;

  /**
   * A reader.
   *
   * @param server URL of the API server, for messages
   * @param requests closed with the reader
   */
  public RunReader(String server, String namespace, Requests requests) {
    this.server = server;
    this.namespace = namespace;
    this.requests = requests;
  }

  /** Asks an API server, as somebody. */
  public interface Requests extends AutoCloseable {
    /**
     * What the server answers to a GET, whatever its code. It returns within seconds.
     *
     * @param path from the server's root on, with a slash at its beginning
     * @throws IOException if there is no answer
     */
    Answer get(String path) throws IOException, InterruptedException;

    @Override
    void close();
  }

  /** An answer: HTTP status and body. */
  public record Answer(int code, String body) {}

  String server() {
    return server;
  }

  String namespace() {
    return namespace;
  }

  /**
   * The run of a name.
   *
   * @return empty: there is none
   */
  Optional<RunView> read(String name) throws UnansweredException, InterruptedException {
    Answer answer;
    try {
      answer =
          requests.get(
              "/apis/loadgen.dev/v1alpha1/namespaces/%s/benchmarkruns/%s"
                  .formatted(namespace, name));
    } catch (IOException e) {
      throw new UnansweredException(
          Why.NO_ANSWER, "the API server " + server + " does not answer: " + reason(e), e);
    }
    JsonNode body = parsed(answer.body());
    return switch (answer.code()) {
      case 200 -> {
        if (!"BenchmarkRun".equals(body.path("kind").asText())) {
          throw new UnansweredException(
              Why.NO_ANSWER,
              server + " answers with something that is not a BenchmarkRun: " + said(answer));
        }
        yield Optional.of(RunView.of(body));
      }
      case 401 ->
          throw new UnansweredException(
              Why.REFUSED,
              "the API server "
                  + server
                  + " rejects the credentials ("
                  + said(answer)
                  + "); log in again, or name another kubeconfig or context");
      case 403 ->
          throw new UnansweredException(
              Why.REFUSED,
              "the API server "
                  + server
                  + " does not let these credentials read the run: "
                  + said(answer)
                  + "; grant a Role with the verb get on benchmarkruns of loadgen.dev in"
                  + " namespace "
                  + namespace);
      case 404 -> {
        // What the server does not know at all has another message, or no JSON.
        if (body.path("message").asText().startsWith("benchmarkruns.loadgen.dev \"")) {
          yield Optional.empty();
        }
        throw new UnansweredException(
            Why.NO_KIND,
            "the cluster "
                + server
                + " has no kind BenchmarkRun of loadgen.dev/v1alpha1; install the operator, or name"
                + " another cluster");
      }
      default ->
          throw new UnansweredException(
              Why.NO_ANSWER,
              "the API server " + server + " answers " + answer.code() + ": " + said(answer));
    };
  }

  private static JsonNode parsed(String body) {
    try {
      return Optional.ofNullable(JSON.readTree(body)).orElseGet(JSON::createObjectNode);
    } catch (JsonProcessingException noJson) {
      return JSON.createObjectNode(); // a page of a proxy, which is quoted as it is
    }
  }

  /** The server's own words, on one line. */
  private static String said(Answer answer) {
    String message = parsed(answer.body()).path("message").asText("");
    String words = (message.isEmpty() ? answer.body() : message).strip().replaceAll("\\s+", " ");
    return Excerpt.of(words, SHOWN);
  }

  private static String reason(IOException e) {
    return e.getMessage() == null ? e.getClass().getSimpleName() : e.getMessage();
  }

  @Override
  public void close() {
    requests.close();
  }
}
