package dev.loadgen.local.apiserver;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Iterator;
import java.util.Map;

/** JSON merge patch as RFC 7396 has it: objects merge, all else is replaced, null removes. */
final class MergePatch {
  private MergePatch() {}

  /** The target with the patch applied; neither argument is changed. */
  static JsonNode apply(JsonNode target, JsonNode patch) {
    if (!(patch instanceof ObjectNode patchObject)) {
      return patch.deepCopy();
    }
    ObjectNode merged =
        target instanceof ObjectNode object
            ? object.deepCopy()
            : JsonNodeFactory.instance.objectNode();
    for (Map.Entry<String, JsonNode> field : patchObject.properties()) {
      if (field.getValue().isNull()) {
        merged.remove(field.getKey());
      } else {
        merged.set(field.getKey(), apply(merged.path(field.getKey()), field.getValue()));
      }
    }
    return merged;
  }

  /**
   * Removes from {@code live} what {@code before} holds and {@code now} does not: what an applier
   * once set and has left out of its new configuration.
   */
  static void removeAbandoned(ObjectNode live, ObjectNode before, ObjectNode now) {
    for (Map.Entry<String, JsonNode> field : before.properties()) {
      JsonNode kept = now.get(field.getKey());
      if (kept == null) {
        live.remove(field.getKey());
      } else if (field.getValue() instanceof ObjectNode beforeObject
          && kept instanceof ObjectNode nowObject
          && live.get(field.getKey()) instanceof ObjectNode liveObject) {
        removeAbandoned(liveObject, beforeObject, nowObject);
      }
    }
  }

  /** Removes all fields that are null, at any depth of objects. */
  static void dropNulls(JsonNode node) {
    if (node instanceof ObjectNode object) {
      for (Iterator<JsonNode> values = object.elements(); values.hasNext(); ) {
        JsonNode value = values.next();
        if (value.isNull()) {
          values.remove();
        } else {
          dropNulls(value);
        }
      }
    } else if (node.isArray()) {
      node.forEach(MergePatch::dropNulls);
    }
  }
}
