package dev.loadgen.contract;

/**
 * The server program behind an {@code InferenceBackend}; constants are spelled as the API spells
 * them.
 */
public enum Engine {
  /** vLLM: {@code vllm serve}, OpenAI routes, port 8000. */
  vllm(8000, EndpointType.completions),
  /** SGLang: {@code sglang.launch_server}, {@code /generate}, port 30000. */
  sglang(30000, EndpointType.generate),
  /** Any external server or gateway of which nothing is known but that it speaks OpenAI's API. */
  openai(0, EndpointType.chat_completions);

  private final int defaultPort;
  private final EndpointType defaultEndpointType;

  Engine(int defaultPort, EndpointType defaultEndpointType) {
    this.defaultPort = defaultPort;
    this.defaultEndpointType = defaultEndpointType;
  }

  /** Whether its servers are always external: the operator has no command that starts one. */
  public boolean externalOnly() {
    return this == openai;
  }

  /** The port that the engine listens on by default; 0 if it is external only. */
  public int defaultPort() {
    return defaultPort;
  }

  /**
   * The default route of runs. For vLLM and SGLang it takes token ids, so that no tokenizer of the
   * server is part of the measurement.
   */
  public EndpointType defaultEndpointType() {
    return defaultEndpointType;
  }
}
