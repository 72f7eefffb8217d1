package dev.loadgen.rules.ruleset;

import com.fasterxml.jackson.annotation.JsonProperty;
import java.util.regex.Pattern;

/**
 * The LoadGen of a ruleset. Seeds and limits are compiled into it.
 *
 * @param version of mlcommons-loadgen, such as {@code 6.0.17}
 * @param source why this one, and which others have the same configuration
 */
public record LoadGenRelease(
    @JsonProperty(required = true) String version, @JsonProperty(required = true) String source) {
  private static final Pattern VERSION = Pattern.compile("\\d+\\.\\d+\\.\\d+");

  /** Checks the version. */
  public LoadGenRelease {
    if (!VERSION.matcher(version).matches()) {
      throw new IllegalArgumentException(
          "loadGen.version must be one of mlcommons-loadgen, such as 6.0.17: " + version);
    }
  }
}
