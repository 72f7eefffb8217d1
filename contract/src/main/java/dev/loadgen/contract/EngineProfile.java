package dev.loadgen.contract;

import java.util.List;
import java.util.Set;

/**
 * What the servers of an engine can be asked for, and what they say: one class an engine. The
 * operator refuses by it what the runner could not send. An engine has what OpenAI's API has, and
 * whatever else its class says.
 */
public sealed interface EngineProfile permits VllmProfile, SglangProfile, OpenAiProfile {
  /** OpenAI's list of models: the one {@code GET} that each server of its API has. */
  String MODELS_PATH = "/v1/models";

  /** The profile of an engine. */
  static EngineProfile of(Engine engine) {
    return switch (engine) {
      case vllm -> new VllmProfile();
      case sglang -> new SglangProfile();
      case openai -> new OpenAiProfile();
    };
  }

  /** Path below a server's base URL that answers {@code GET} with 200 when it is healthy. */
  default String healthPath() {
    return MODELS_PATH;
  }

  /** Routes that generate text. */
  default Set<EndpointType> routes() {
    return Set.of(EndpointType.completions, EndpointType.chat_completions);
  }

  /** Routes whose answers can have the ids of their tokens. */
  default Set<EndpointType> tokenIdRoutes() {
    return Set.of();
  }

  /** Routes that take several prompts at once and count the tokens of each answer. */
  default Set<EndpointType> batchRoutes() {
    return Set.of();
  }

  /** Whether its OpenAI routes give the ids of tokens to requests with return_token_ids. */
  default boolean takesReturnTokenIds() {
    return false;
  }

  /** Whether requests may have sampling parameters that OpenAI's API does not have. */
  default boolean extendsOpenAi() {
    return false;
  }

  /** The fields by which a route takes a schema for answers. */
  default Set<GuidedDecodingField> guidedFields(EndpointType route) {
    return route == EndpointType.chat_completions
        ? Set.of(GuidedDecodingField.ResponseFormat)
        : Set.of();
  }

  /** Whether {@code /metrics} has counters of tokens, caches and drafts by names that are known. */
  default boolean hasCounters() {
    return false;
  }

  /** Paths at which a server tells its version or arguments; the first that answers is believed. */
  default List<String> accountPaths() {
    return List.of();
  }

  /** What {@code POST /start_profile} has to name besides the files, for a tool's window. */
  default List<String> profilerActivities(ProfilingTool tool) {
    return List.of();
  }

  /** What goes before the arguments in the line of a server's log that has them. */
  default List<String> argumentsInLog() {
    return List.of();
  }
}
