package dev.loadgen.contract;

import java.util.List;
import java.util.Set;

/**
 * SGLang 0.5.23 and before. Its OpenAI routes give no ids, and one token count for a whole batch;
 * its own route, {@code /generate}, has both.
 */
record SglangProfile() implements EngineProfile {
  @Override
  public String healthPath() {
    return "/health";
  }

  @Override
  public Set<EndpointType> routes() {
    return Set.of(EndpointType.values());
  }

  @Override
  public Set<EndpointType> tokenIdRoutes() {
    return Set.of(EndpointType.generate);
  }

  @Override
  public Set<EndpointType> batchRoutes() {
    return Set.of(EndpointType.generate);
  }

  @Override
  public boolean extendsOpenAi() {
    return true;
  }

  @Override
  public Set<GuidedDecodingField> guidedFields(EndpointType route) {
    return Set.of(GuidedDecodingField.ResponseFormat);
  }

  @Override
  public boolean hasCounters() {
    return true;
  }

  /** The second is that of older versions. */
  @Override
  public List<String> accountPaths() {
    return List.of("/server_info", "/get_server_info");
  }

  /** It marks the window for nsys; without it SGLang writes a trace of PyTorch's. */
  @Override
  public List<String> profilerActivities(ProfilingTool tool) {
    return tool == ProfilingTool.Nsys ? List.of("CUDA_PROFILER") : List.of();
  }

  /** Since 0.5.20, and before. */
  @Override
  public List<String> argumentsInLog() {
    return List.of("server_args={", "server_args=ServerArgs(");
  }
}
