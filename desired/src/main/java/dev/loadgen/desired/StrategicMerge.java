package dev.loadgen.desired;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Strategic merge patches of pod templates, as Kubernetes defines them: objects are merged field by
 * field, lists that have a merge key element by element, other lists are replaced; null removes a
 * field, {@code $patch: delete} an element and {@code $patch: replace} what was there before.
 */
final class StrategicMerge {
  private static final String DIRECTIVE = "$patch";
  private static final String DELETE = "delete";
  private static final String REPLACE = "replace";

  /** What the elements of a list are told apart by; lists without one are replaced. */
  private static final Map<String, String> MERGE_KEYS =
      Map.ofEntries(
          Map.entry("containers", "name"),
          Map.entry("initContainers", "name"),
          Map.entry("volumes", "name"),
          Map.entry("env", "name"),
          Map.entry("imagePullSecrets", "name"),
          Map.entry("resourceClaims", "name"),
          Map.entry("schedulingGates", "name"),
          Map.entry("ports", "containerPort"),
          Map.entry("volumeMounts", "mountPath"),
          Map.entry("volumeDevices", "devicePath"),
          Map.entry("hostAliases", "ip"),
          Map.entry("topologySpreadConstraints", "topologyKey"));

  /** Lists whose elements are of one kind or another: a new kind replaces the one before. */
  private static final Set<String> UNIONS = Set.of("volumes");

  private StrategicMerge() {}

  /** What {@code patch} makes of {@code target}, neither of which is changed. */
  static ObjectNode merged(ObjectNode target, ObjectNode patch) {
    return mergedObject(target, patch);
  }

  /** What a patch says without its directives: the fields that it sets. */
  static ObjectNode withoutDirectives(ObjectNode patch) {
    return mergedObject(JsonNodeFactory.instance.objectNode(), patch);
  }

  /** What is wrong with the directives of a patch and the keys of its list elements. */
  static List<String> problems(String path, ObjectNode patch) {
    List<String> found = new ArrayList<>();
    check(path, patch, found);
    return found;
  }

  private static void check(String path, ObjectNode patch, List<String> found) {
    for (Map.Entry<String, JsonNode> field : patch.properties()) {
      String name = field.getKey();
      String at = path + "." + name;
      if (name.equals(DIRECTIVE)) {
        if (!Set.of(DELETE, REPLACE).contains(field.getValue().asText())) {
          found.add(at + ": must be delete or replace, not " + field.getValue().asText());
        }
      } else if (name.startsWith("$")) {
        found.add(at + ": is not supported; $patch: delete and $patch: replace are");
      } else if (field.getValue() instanceof ObjectNode object) {
        check(at, object, found);
      } else if (field.getValue() instanceof ArrayNode list) {
        check(at, list, MERGE_KEYS.get(name), found);
      }
    }
  }

  private static void check(String path, ArrayNode list, @Nullable String key, List<String> found) {
    for (int i = 0; i < list.size(); i++) {
      String at = path + "[" + i + "]";
      if (list.get(i) instanceof ObjectNode element) {
        check(at, element, found);
        if (key != null && !element.path(key).isValueNode() && !isReplacement(element)) {
          found.add(at + "." + key + ": is missing; elements are merged by it");
        }
      } else if (key != null) {
        found.add(at + ": must be an object with " + key);
      }
    }
  }

  private static ObjectNode mergedObject(ObjectNode target, ObjectNode patch) {
    ObjectNode result =
        patch.has(DIRECTIVE) ? JsonNodeFactory.instance.objectNode() : target.deepCopy();
    if (DELETE.equals(patch.path(DIRECTIVE).asText())) {
      return result;
    }
    for (Map.Entry<String, JsonNode> field : patch.properties()) {
      String name = field.getKey();
      if (name.equals(DIRECTIVE)) {
        continue;
      }
      switch (field.getValue()) {
        case ObjectNode object -> result.set(name, mergedObject(objectOf(result, name), object));
        case ArrayNode list -> result.set(name, mergedList(result.get(name), list, name));
        case JsonNode value when value.isNull() -> result.remove(name);
        case JsonNode value -> result.set(name, value);
      }
    }
    return result;
  }

  private static ObjectNode objectOf(ObjectNode parent, String name) {
    return parent.get(name) instanceof ObjectNode object
        ? object
        : JsonNodeFactory.instance.objectNode();
  }

  private static ArrayNode mergedList(@Nullable JsonNode target, ArrayNode patch, String name) {
    String key = MERGE_KEYS.get(name);
    boolean replaces = key == null || patch.valueStream().anyMatch(StrategicMerge::isReplacement);
    List<JsonNode> result = new ArrayList<>();
    if (!replaces && target instanceof ArrayNode there) {
      there.forEach(result::add);
    }
    for (JsonNode element : patch) {
      if (!(element instanceof ObjectNode object)) {
        result.add(element);
      } else if (!isReplacement(object)) {
        mergeElement(result, object, key, UNIONS.contains(name));
      }
    }
    return JsonNodeFactory.instance.arrayNode().addAll(result);
  }

  private static void mergeElement(
      List<JsonNode> list, ObjectNode patch, @Nullable String key, boolean union) {
    Optional<JsonNode> same =
        key == null
            ? Optional.empty()
            : list.stream().filter(e -> e.path(key).equals(patch.path(key))).findFirst();
    if (DELETE.equals(patch.path(DIRECTIVE).asText())) {
      same.ifPresent(list::remove);
      return;
    }
    if (same.orElse(null) instanceof ObjectNode before) {
      ObjectNode base = before;
      if (union && patch.size() > 1) {
        base =
            before.deepCopy().retain(patch.properties().stream().map(Map.Entry::getKey).toList());
      }
      list.set(list.indexOf(before), mergedObject(base, patch));
    } else {
      list.add(withoutDirectives(patch));
    }
  }

  /** Whether an element stands for "the others replace the whole list". */
  private static boolean isReplacement(JsonNode element) {
    return element.size() == 1 && REPLACE.equals(element.path(DIRECTIVE).asText());
  }
}
