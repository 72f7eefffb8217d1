package dev.loadgen.desired;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.loadgen.contract.RunPlan;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * What a server's arguments say of speculative decoding. Both engines begin the names of its
 * options with {@code --spec}; what is not understood is not known, and never taken for right.
 */
final class DraftArguments {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final Pattern OPTION =
      Pattern.compile("(?:--(spec[^=]*)|-(sc))(?:=(.*))?", Pattern.DOTALL);

  /** How work is spread, which changes no token: {@code vllm/config/speculative.py}. */
  private static final Set<String> NEUTRAL_IN_VLLM =
      Set.of("draft_tensor_parallel_size", "max_model_len");

  /** By what programs it is computed: {@code sglang/srt/arg_groups/fields/spec.py}. */
  private static final Set<String> NEUTRAL_IN_SGLANG =
      Set.of(
          "speculative-attention-mode",
          "speculative-draft-attention-backend",
          "speculative-moe-a2a-backend",
          "speculative-moe-runner-backend");

  private DraftArguments() {}

  /** Of {@code vllm serve}, which drafts one candidate a step. Null: it has none. */
  static RunPlan.@Nullable Draft ofVllm(@Nullable List<String> arguments) {
    Map<String, String> options = options(arguments);
    if (options.isEmpty()) {
      return null;
    }
    Map<String, String> settings = new LinkedHashMap<>();
    options.forEach(
        (name, value) -> {
          switch (name) {
            case "sc", "speculative-config" -> settings.putAll(fields(value));
            case "spec-method" -> settings.put("method", value);
            case "spec-model" -> settings.put("model", value);
            case "spec-tokens" -> settings.put("num_speculative_tokens", value);
            default ->
                settings.put(
                    name.replaceFirst("^(sc|speculative-config)\\.", "").replace('-', '_'), value);
          }
        });
    String model = settings.remove("model");
    String method = settings.remove("method");
    Integer steps = number(settings.remove("num_speculative_tokens"));
    settings.keySet().removeAll(NEUTRAL_IN_VLLM);
    return new RunPlan.Draft(model, method, steps, 1, List.copyOf(settings.keySet()));
  }

  /** Of SGLang. Null: it has none. */
  static RunPlan.@Nullable Draft ofSglang(@Nullable List<String> arguments) {
    Map<String, String> options = options(arguments);
    if (options.isEmpty()) {
      return null;
    }
    String algorithm = take(options, "speculative-algorithm");
    String model = take(options, "speculative-draft-model-path");
    Integer steps = number(take(options, "speculative-num-steps"));
    Integer topK = number(take(options, "speculative-eagle-topk"));
    // The last token of a step is the model's own, so that this follows from the steps.
    if (steps != null
        && String.valueOf(steps + 1).equals(options.get("speculative-num-draft-tokens"))) {
      options.remove("speculative-num-draft-tokens");
    }
    options.keySet().removeAll(NEUTRAL_IN_SGLANG);
    return new RunPlan.Draft(model, algorithm, steps, topK, List.copyOf(options.keySet()));
  }

  /** The options of speculative decoding without their dashes; a flag's value is empty. */
  private static Map<String, String> options(@Nullable List<String> arguments) {
    Map<String, String> options = new LinkedHashMap<>();
    if (arguments == null) {
      return options;
    }
    for (int i = 0; i < arguments.size(); i++) {
      Matcher option = OPTION.matcher(arguments.get(i));
      if (option.matches()) {
        String name = option.group(1) == null ? option.group(2) : option.group(1);
        boolean follows = i + 1 < arguments.size() && !arguments.get(i + 1).startsWith("-");
        String value =
            option.group(3) != null ? option.group(3) : follows ? arguments.get(i + 1) : "";
        options.put(name.replace('_', '-'), value);
      }
    }
    return options;
  }

  /** The value of an option by its name or the beginning of it, as Python's argparse reads both. */
  private static @Nullable String take(Map<String, String> options, String name) {
    for (String given : List.copyOf(options.keySet())) {
      if (name.startsWith(given)) {
        return options.remove(given);
      }
    }
    return null;
  }

  /** The fields of a JSON object; none if it is not one. */
  private static Map<String, String> fields(String json) {
    Map<String, String> fields = new LinkedHashMap<>();
    try {
      JsonNode tree = JSON.readTree(json);
      tree.properties()
          .forEach(
              field -> fields.put(field.getKey().replace('-', '_'), field.getValue().asText()));
    } catch (JsonProcessingException e) {
      return Map.of();
    }
    return fields;
  }

  private static @Nullable Integer number(@Nullable String text) {
    try {
      return text == null ? null : Integer.valueOf(text);
    } catch (NumberFormatException e) {
      return null;
    }
  }
}
