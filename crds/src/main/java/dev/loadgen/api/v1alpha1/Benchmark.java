package dev.loadgen.api.v1alpha1;

import com.fasterxml.jackson.annotation.JsonProperty;

/**
 * An MLPerf benchmark: it fixes LoadGen's model key, sample counts, latency limits and token
 * limits.
 */
public enum Benchmark {
  /** gpt-oss-120b. */
  @JsonProperty("gpt-oss-120b")
  GPT_OSS_120B("gpt-oss-120b"),
  /** Qwen3-VL-235B-A22B. */
  @JsonProperty("qwen3-vl-235b-a22b")
  QWEN3_VL_235B_A22B("qwen3-vl-235b-a22b"),
  /** Llama 3.1 8B. */
  @JsonProperty("llama3.1-8b")
  LLAMA3_1_8B("llama3.1-8b"),
  /** Any other model; the run itself says what the benchmark would have fixed. */
  @JsonProperty("custom")
  CUSTOM("custom");

  private final String id;

  Benchmark(String id) {
    this.id = id;
  }

  /** The name in manifests and rulesets, such as {@code llama3.1-8b}. */
  public String id() {
    return id;
  }
}
