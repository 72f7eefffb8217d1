package dev.loadgen.simulator;

import org.jspecify.annotations.Nullable;

/** The inference server whose wire format is spoken, and how it starts. */
public enum SimulatedEngine {
  /**
   * vLLM's OpenAI server, contract of version 0.32. Listens on 8000; refuses connections until
   * ready.
   */
  VLLM(8000, "0.32.0", "", 16),

  /** SGLang's server, contract of version 0.5.23. Listens on 30000; answers 503 until ready. */
  SGLANG(30000, "0.5.23", "", 1),

  /**
   * A gateway before a vLLM that lets through what OpenAI's API has and nothing else: no other
   * field of a request, and no other route. Its routes are below {@code /openai}.
   */
  OPENAI(8000, VLLM.version, "/openai", VLLM.cachePage);

  private final int defaultPort;
  private final String version;
  private final String basePath;
  private final int cachePage;

  SimulatedEngine(int defaultPort, String version, String basePath, int cachePage) {
    this.defaultPort = defaultPort;
    this.version = version;
    this.basePath = basePath;
    this.cachePage = cachePage;
  }

  /** The port that the engine takes when none is given. */
  public int defaultPort() {
    return defaultPort;
  }

  /** The version of the engine whose answers are reproduced, as its own routes report it. */
  public String version() {
    return version;
  }

  /** What the paths of its routes begin with. */
  String basePath() {
    return basePath;
  }

  /** Tokens per page of the prefix cache: vLLM's default block, and SGLang's default page. */
  int cachePage() {
    return cachePage;
  }

  /** Whether it answers 503 while it loads; others refuse connections. */
  boolean answersWhileLoading() {
    return this == SGLANG;
  }

  /** Whether it has routes for a profiler without being asked for them. */
  boolean alwaysProfiles() {
    return this == SGLANG;
  }

  /** Whether it has {@code /metrics} without being asked for them. */
  boolean alwaysMeters() {
    return this == VLLM;
  }

  /** Whether it says at its start what it was given. */
  boolean tellsArguments() {
    return this == VLLM;
  }

  /** The variable that has the key of its API unless an argument has; null: none. */
  @Nullable String apiKeyVariable() {
    return this == VLLM ? "VLLM_API_KEY" : null;
  }
}
