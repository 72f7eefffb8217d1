package dev.loadgen.contract;

import java.util.List;
import java.util.Set;

/** vLLM 0.32 and before. */
record VllmProfile() implements EngineProfile {
  @Override
  public String healthPath() {
    return "/health";
  }

  @Override
  public Set<EndpointType> tokenIdRoutes() {
    return routes();
  }

  @Override
  public Set<EndpointType> batchRoutes() {
    return Set.of(EndpointType.completions);
  }

  @Override
  public boolean takesReturnTokenIds() {
    return true;
  }

  @Override
  public boolean extendsOpenAi() {
    return true;
  }

  @Override
  public Set<GuidedDecodingField> guidedFields(EndpointType route) {
    return Set.of(GuidedDecodingField.ResponseFormat, GuidedDecodingField.StructuredOutputs);
  }

  @Override
  public boolean hasCounters() {
    return true;
  }

  @Override
  public List<String> accountPaths() {
    return List.of("/version");
  }

  /** Since 0.8, and before. */
  @Override
  public List<String> argumentsInLog() {
    return List.of("non-default args: {", "args: Namespace(");
  }
}
