package dev.loadgen.simulator;

/** The inference server whose wire format is spoken. */
public enum Engine {
  /**
   * vLLM's OpenAI server, contract of version 0.32. Listens on 8000; refuses connections until
   * ready.
   */
  VLLM(8000, "0.32.0"),

  /** SGLang's server, contract of version 0.5.23. Listens on 30000; answers 503 until ready. */
  SGLANG(30000, "0.5.23");

  private final int defaultPort;
  private final String version;

  Engine(int defaultPort, String version) {
    this.defaultPort = defaultPort;
    this.version = version;
  }

  /** The port that the engine takes when none is given. */
  public int defaultPort() {
    return defaultPort;
  }

  /** The version of the engine whose answers are reproduced, as its own routes report it. */
  public String version() {
    return version;
  }
}
