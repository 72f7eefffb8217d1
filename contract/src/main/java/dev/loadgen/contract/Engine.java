package dev.loadgen.contract;

/**
 * The server program behind an {@code InferenceBackend}; constants are spelled as the API spells
 * them.
 */
public enum Engine {
  /** vLLM: {@code vllm serve}, OpenAI routes, port 8000. */
  vllm(8000, EndpointType.completions),
  /** SGLang: {@code sglang.launch_server}, {@code /generate}, port 30000. */
  sglang(30000, EndpointType.generate);

  private final int defaultPort;
  private final EndpointType defaultEndpointType;

  Engine(int defaultPort, EndpointType defaultEndpointType) {
    this.defaultPort = defaultPort;
    this.defaultEndpointType = defaultEndpointType;
  }

  /** The port that the engine listens on unless told otherwise. */
  public int defaultPort() {
    return defaultPort;
  }

  /**
   * The route that takes token ids, so that no tokenizer of the server is part of the measurement.
   */
  public EndpointType defaultEndpointType() {
    return defaultEndpointType;
  }
}
