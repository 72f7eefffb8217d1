package dev.loadgen.rules.ruleset;

import com.fasterxml.jackson.annotation.JsonProperty;
import dev.loadgen.contract.RunPlan;
import dev.loadgen.rules.text.Wording;
import java.util.ArrayList;
import java.util.List;

/**
 * The one draft model that a round allows, and how it is to draft.
 *
 * @param draftModel its name on the Hugging Face hub
 * @param algorithm how engines call the algorithm, whatever the case
 * @param steps tokens that are drafted one after the other
 * @param topK candidates at each step
 * @param source where the rule comes from
 */
public record SpeculativeDecoding(
    @JsonProperty(required = true) String draftModel,
    @JsonProperty(required = true) String algorithm,
    @JsonProperty(required = true) int steps,
    @JsonProperty(required = true) int topK,
    @JsonProperty(required = true) String source) {
  /** Whether a draft is known well enough to be told from others; the model has the algorithm. */
  public boolean canJudge(RunPlan.Draft draft) {
    return draft.model() != null && draft.steps() != null && draft.topK() != null;
  }

  /**
   * What is known of a draft and not as it is to be; empty: nothing. A folder counts for the model
   * if its path ends with the model's whole name.
   */
  public List<String> differences(RunPlan.Draft draft) {
    List<String> differences = new ArrayList<>();
    String model = draft.model();
    if (model != null && !model.equals(draftModel) && !model.endsWith("/" + draftModel)) {
      differences.add("draft model " + model);
    }
    if (draft.algorithm() != null && !draft.algorithm().equalsIgnoreCase(algorithm)) {
      differences.add("algorithm " + draft.algorithm());
    }
    if (draft.steps() != null && draft.steps() != steps) {
      differences.add(Wording.count(draft.steps(), "step", "steps"));
    }
    if (draft.topK() != null && draft.topK() != topK) {
      differences.add("top-k " + draft.topK());
    }
    draft.others().forEach(other -> differences.add("setting " + other));
    return differences;
  }

  /** Such as {@code EAGLE3 with nvidia/gpt-oss-120b-Eagle3-long-context, 3 steps, top-k 1}. */
  public String inWords() {
    return "%s with %s, %s, top-k %s"
        .formatted(algorithm, draftModel, Wording.count(steps, "step", "steps"), topK);
  }
}
