package dev.loadgen.contract;

/** The request field that carries the schema of a constrained answer. */
public enum GuidedDecodingField {
  /** {@code response_format}, as the OpenAI API has it. */
  ResponseFormat,
  /** {@code structured_outputs} of vLLM. */
  StructuredOutputs
}
