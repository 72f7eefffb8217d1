package dev.loadgen.operator.provenance;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.TextNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import com.fasterxml.jackson.dataformat.yaml.YAMLGenerator;
import dev.loadgen.contract.SecretNames;
import dev.loadgen.contract.Urls;
import io.fabric8.kubernetes.api.model.HasMetadata;
import java.util.List;
import java.util.Optional;
import java.util.stream.StreamSupport;

/**
 * An object as its author has written it, to be kept with results: without its status, without what
 * the API server keeps for itself, without the values of variables and arguments that are secrets
 * by their names, and without what in a URL lets somebody in. Pure.
 */
final class UserYaml {
  /** A ConfigMap has a mebibyte for everything. */
  static final int LONGEST = 256 * 1024;

  private static final ObjectMapper JSON = new ObjectMapper();

  private static final ObjectMapper YAML =
      new ObjectMapper(
          YAMLFactory.builder()
              .disable(YAMLGenerator.Feature.WRITE_DOC_START_MARKER)
              .enable(YAMLGenerator.Feature.MINIMIZE_QUOTES)
              .enable(YAMLGenerator.Feature.ALWAYS_QUOTE_NUMBERS_AS_STRINGS)
              .build());

  private static final List<String> METADATA =
      List.of("name", "namespace", "uid", "generation", "labels", "annotations");

  private UserYaml() {}

  /** The object; in place of one that is too long a comment that says so. */
  static String of(HasMetadata object) {
    JsonNode tree = JSON.valueToTree(object);
    ObjectNode kept = JSON.createObjectNode();
    kept.set("apiVersion", tree.path("apiVersion"));
    kept.set("kind", tree.path("kind"));
    ObjectNode metadata = kept.putObject("metadata");
    for (String field : METADATA) {
      JsonNode value = tree.path("metadata").path(field);
      if (!value.isMissingNode() && !value.isNull()) {
        metadata.set(field, value);
      }
    }
    if (metadata.get("annotations") instanceof ObjectNode annotations) {
      // Of client-side apply: the same once more.
      annotations.remove("kubectl.kubernetes.io/last-applied-configuration");
    }
    JsonNode spec = withoutNulls(tree.path("spec").deepCopy());
    clean(spec);
    kept.set("spec", spec);
    try {
      String yaml = YAML.writeValueAsString(kept);
      return yaml.length() <= LONGEST
          ? yaml
          : "# The "
              + object.getKind()
              + " is not here: it has "
              + yaml.length()
              + " characters, and there is room for "
              + LONGEST
              + ".\n";
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("every Kubernetes object is YAML", e);
    }
  }

  /**
   * What a record does not have is not written; nulls of a pod template are, as they mean
   * something.
   */
  private static JsonNode withoutNulls(JsonNode node) {
    if (node instanceof ObjectNode object) {
      object
          .properties()
          .removeIf(field -> field.getValue().isNull() && !field.getKey().equals("podTemplate"));
      object.properties().stream()
          .filter(field -> !field.getKey().equals("podTemplate"))
          .forEach(field -> withoutNulls(field.getValue()));
    } else if (node instanceof ArrayNode array) {
      array.forEach(UserYaml::withoutNulls);
    }
    return node;
  }

  private static void clean(JsonNode node) {
    if (node instanceof ObjectNode object) {
      if (object.path("name").isTextual()
          && object.path("value").isTextual()
          && SecretNames.isVariable(object.path("name").textValue())) {
        object.put("value", SecretNames.REMOVED);
      }
      if (object.get("args") instanceof ArrayNode args
          && StreamSupport.stream(args.spliterator(), false).allMatch(JsonNode::isTextual)) {
        List<String> removed =
            SecretNames.removed(
                StreamSupport.stream(args.spliterator(), false).map(JsonNode::textValue).toList());
        args.removeAll();
        removed.forEach(args::add);
      }
      object
          .properties()
          .forEach(field -> withoutCredentials(field.getValue()).ifPresent(field::setValue));
    } else if (node instanceof ArrayNode array) {
      for (int i = 0; i < array.size(); i++) {
        Optional<JsonNode> shown = withoutCredentials(array.get(i));
        if (shown.isPresent()) {
          array.set(i, shown.get());
        }
      }
    }
    node.forEach(UserYaml::clean);
  }

  /** A text as it may be shown; empty: it can stay as it is. */
  private static Optional<JsonNode> withoutCredentials(JsonNode text) {
    return text.isTextual()
        ? Optional.of(Urls.shownIn(text.textValue()))
            .filter(shown -> !shown.equals(text.textValue()))
            .map(TextNode::valueOf)
        : Optional.empty();
  }
}
