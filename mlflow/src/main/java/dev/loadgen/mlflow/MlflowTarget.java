package dev.loadgen.mlflow;

import java.util.Map;
import okhttp3.HttpUrl;
import org.jspecify.annotations.Nullable;

/**
 * Where a run goes to.
 *
 * @param url base URL of the tracking server, http or https; it may have a path
 * @param experiment name of the experiment; made when it is not there
 * @param description of the MLflow run; null: one that says what was tested
 * @param tags of the MLflow run
 * @param token sent as bearer token; null: none
 */
public record MlflowTarget(
    HttpUrl url,
    String experiment,
    @Nullable String description,
    Map<String, String> tags,
    @Nullable String token) {
  /**
   * Checks a target.
   *
   * @throws IllegalArgumentException naming what is wrong
   */
  public static MlflowTarget of(
      String url,
      String experiment,
      @Nullable String description,
      @Nullable Map<String, String> tags,
      @Nullable String token) {
    HttpUrl parsed = HttpUrl.parse(url);
    if (parsed == null) {
      throw new IllegalArgumentException(
          "\"" + url + "\" is not an http or https URL; give one such as http://mlflow:5000");
    }
    if (!parsed.username().isEmpty() || !parsed.password().isEmpty()) {
      // Not shown: the URL is in the plan, the log and the report.
      throw new IllegalArgumentException(
          "the URL holds a user or a password; remove them and give the server a token");
    }
    if (experiment.isBlank()) {
      throw new IllegalArgumentException("the experiment has no name; give one");
    }
    if (token != null && !token.chars().allMatch(c -> c > ' ' && c < 127)) {
      throw new IllegalArgumentException(
          "the token is empty or holds characters that no HTTP header takes");
    }
    return new MlflowTarget(
        parsed, experiment, description, tags == null ? Map.of() : Map.copyOf(tags), token);
  }

  /** Without the token. */
  @Override
  public String toString() {
    return "experiment " + experiment + " at " + url;
  }
}
