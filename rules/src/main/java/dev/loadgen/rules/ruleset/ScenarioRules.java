package dev.loadgen.rules.ruleset;

import com.fasterxml.jackson.annotation.JsonProperty;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What one benchmark must do in one scenario.
 *
 * @param modelKey LoadGen's key into its embedded configuration; null: no key, LoadGen's wildcard
 *     settings
 * @param tokenLatencies whether LoadGen measures TTFT and TPOT, which needs streamed answers
 *     outside Offline
 * @param limits latency limits; a run hands them to LoadGen, since its key may have looser ones
 * @param maxTargetLatencyMs greatest latency of whole queries that LoadGen may be told to aim at,
 *     also where token latencies are what is limited; null: any
 * @param minDurationMs least {@code min_duration}; null: what the run itself asks for
 * @param minSampleCount Offline: least samples of LoadGen's one query, before it is padded to whole
 *     datasets; null: what the run itself asks for
 * @param embeddedMinQueryCount LoadGen's own least queries, in Offline samples, where its
 *     configuration has more than 100 for the key
 * @param performanceSampleCount samples that a performance test uses; null: all of the dataset
 * @param accuracySampleCount samples that an accuracy test sends; null: all of the dataset
 * @param equalIssue whether LoadGen issues whole copies of the performance set ({@code
 *     sample_concatenate_permutation})
 * @param speculativeDecoding the draft model that the round allows; null: none
 * @param sources where the numbers come from
 */
public record ScenarioRules(
    @Nullable String modelKey,
    @JsonProperty(required = true) boolean tokenLatencies,
    @JsonProperty(required = true) Limits limits,
    @Nullable Long maxTargetLatencyMs,
    @Nullable Long minDurationMs,
    @Nullable Long minSampleCount,
    @Nullable Long embeddedMinQueryCount,
    @Nullable Integer performanceSampleCount,
    @Nullable Integer accuracySampleCount,
    @JsonProperty(required = true) boolean equalIssue,
    @Nullable SpeculativeDecoding speculativeDecoding,
    @JsonProperty(required = true) List<String> sources) {
  /** Copies the list. */
  public ScenarioRules {
    sources = List.copyOf(sources);
  }
}
