package dev.loadgen.api.v1alpha1;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.exc.InputCoercionException;
import com.fasterxml.jackson.databind.DeserializationContext;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonDeserializer;
import com.fasterxml.jackson.databind.JsonMappingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.annotation.JsonDeserialize;
import com.fasterxml.jackson.databind.cfg.CoercionAction;
import com.fasterxml.jackson.databind.cfg.CoercionInputShape;
import com.fasterxml.jackson.databind.exc.MismatchedInputException;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.fabric8.kubernetes.api.model.Quantity;
import java.io.IOException;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.Arrays;
import java.util.Collection;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * Makes records of JSON, whatever it holds: a field that its type cannot hold is taken out and
 * told, by its path and its value. Of a spec the list goes whole, since it is not what was asked
 * for without an entry; of a status only the field itself, so that conditions outlast what a newer
 * version has put beside them.
 */
final class TolerantReading {
  /** Levels that are read. A pod template has about fifteen; more would end in a stack overflow. */
  static final int LEVELS = 64;

  /** Fields that are taken out one by one; with more of them nothing is left to be used. */
  private static final int FIELDS = 64;

  /** Characters of a path or a value in a message. */
  private static final int SHOWN = 120;

  /** The one field whose content is not of ours, and where null is a value. */
  private static final String TEMPLATE = "podTemplate";

  private static final JsonMapper JSON =
      JsonMapper.builder()
          .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
          .addMixIn(Quantity.class, ReadStrictly.class)
          // else an empty text would be a number that is null
          .withCoercionConfigDefaults(
              config -> config.setCoercion(CoercionInputShape.EmptyString, CoercionAction.Fail))
          .build();

  private TolerantReading() {}

  /** A spec; one without any field if there is none. */
  static <S> S spec(JsonNode tree, Class<S> type, List<String> unreadable) {
    return read("spec", tree.isObject() ? tree : JSON.createObjectNode(), type, unreadable, true);
  }

  /** A status; null if there is none. */
  static <S> S status(JsonNode tree, Class<S> type, List<String> unreadable) {
    if (!tree.isObject()) {
      return null;
    }
    times("status", (ObjectNode) tree, 1, unreadable);
    return read("status", tree, type, unreadable, false);
  }

  private static <S> S read(
      String root, JsonNode tree, Class<S> type, List<String> unreadable, boolean wholeLists) {
    tidy(root, tree, 1, unreadable);
    for (int i = 0; i < FIELDS; i++) {
      try {
        return JSON.treeToValue(tree, type);
      } catch (JsonMappingException e) {
        if (!takeOut(root, tree, e, unreadable, wholeLists)) {
          break;
        }
      } catch (JsonProcessingException | RuntimeException e) {
        break;
      }
    }
    unreadable.add(root + ": cannot be read by this version of the operator");
    try {
      return JSON.treeToValue(JSON.createObjectNode(), type);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("a record of no field at all", e);
    }
  }

  /** Takes out what an exception names; false if it names nothing that is there. */
  private static boolean takeOut(
      String root,
      JsonNode tree,
      JsonMappingException e,
      List<String> unreadable,
      boolean wholeLists) {
    StringBuilder path = new StringBuilder(root);
    JsonNode at = tree;
    ObjectNode owner = null;
    String field = null;
    ArrayNode list = null;
    int index = -1;
    boolean inList = false;
    for (JsonMappingException.Reference step : e.getPath()) {
      if (at instanceof ObjectNode object && object.has(String.valueOf(step.getFieldName()))) {
        path.append('.').append(step.getFieldName());
        if (!(wholeLists && inList)) {
          owner = object;
          field = step.getFieldName();
          list = null;
        }
        at = object.get(step.getFieldName());
      } else if (at instanceof ArrayNode array && array.has(step.getIndex())) {
        path.append('[').append(step.getIndex()).append(']');
        inList = true;
        if (!wholeLists) {
          list = array;
          index = step.getIndex();
        }
        at = array.get(step.getIndex());
      } else {
        break;
      }
    }
    if (owner == null) {
      return false;
    }
    unreadable.add(shortened(path.toString()) + ": " + shown(at) + " " + why(e));
    if (list != null) {
      list.remove(index);
    } else {
      owner.remove(field);
    }
    return true;
  }

  /** Takes out nulls, which stand for nothing, and what is nested too deep to be worked with. */
  private static void tidy(String path, JsonNode node, int level, List<String> unreadable) {
    if (node instanceof ObjectNode object) {
      for (Iterator<Map.Entry<String, JsonNode>> fields = object.properties().iterator();
          fields.hasNext(); ) {
        Map.Entry<String, JsonNode> field = fields.next();
        String at = path + "." + field.getKey();
        JsonNode value = field.getValue();
        boolean template = path.contains("." + TEMPLATE);
        if (value.isNull() && !template) {
          fields.remove();
        } else if (value instanceof ArrayNode list && !template && hasNull(list)) {
          unreadable.add(shortened(at) + ": has an entry that is null; remove it");
          fields.remove();
        } else if (value.isContainerNode() && level >= LEVELS) {
          unreadable.add(shortened(at) + ": is nested deeper than " + LEVELS + " levels");
          fields.remove();
        } else {
          tidy(at, value, level + 1, unreadable);
        }
      }
    } else if (node instanceof ArrayNode list) {
      for (int i = list.size() - 1; i >= 0; i--) {
        if (list.get(i).isContainerNode() && level >= LEVELS) {
          unreadable.add(shortened(path) + ": is nested deeper than " + LEVELS + " levels");
          list.remove(i);
        } else {
          tidy(path + "[" + i + "]", list.get(i), level + 1, unreadable);
        }
      }
    }
  }

  private static boolean hasNull(ArrayNode list) {
    for (JsonNode entry : list) {
      if (entry.isNull()) {
        return true;
      }
    }
    return false;
  }

  /** Takes out times of a status that are none. */
  private static void times(String path, ObjectNode object, int level, List<String> unreadable) {
    for (Iterator<Map.Entry<String, JsonNode>> fields = object.properties().iterator();
        fields.hasNext(); ) {
      Map.Entry<String, JsonNode> field = fields.next();
      String at = path + "." + field.getKey();
      if (StatusTimes.isTime(field.getKey())
          && field.getValue().isTextual()
          && !isTime(field.getValue().asText())) {
        unreadable.add(shortened(at) + ": " + shown(field.getValue()) + " is not a valid time");
        fields.remove();
      } else if (level < LEVELS && field.getValue() instanceof ObjectNode below) {
        times(at, below, level + 1, unreadable);
      } else if (level < LEVELS && field.getValue() instanceof ArrayNode list) {
        for (JsonNode entry : list) {
          if (entry instanceof ObjectNode below) {
            times(at + "[]", below, level + 1, unreadable);
          }
        }
      }
    }
  }

  /** Whether a text is a time that one can calculate with. */
  private static boolean isTime(String text) {
    try {
      int year = Instant.parse(text).atOffset(ZoneOffset.UTC).getYear();
      return year >= 1970 && year < 10_000;
    } catch (DateTimeException e) {
      return false;
    }
  }

  private static String why(JsonMappingException e) {
    Class<?> type =
        e instanceof MismatchedInputException mismatched
            ? mismatched.getTargetType()
            : e.getCause() instanceof InputCoercionException coerced
                ? coerced.getTargetType()
                : null;
    if (type == null) {
      return "cannot be read by this version of the operator";
    }
    if (type.isEnum()) {
      return "is not known to this version of the operator, which knows "
          + Arrays.stream(type.getEnumConstants())
              .map(constant -> JSON.convertValue(constant, String.class))
              .collect(Collectors.joining(", "));
    }
    if (type == Quantity.class) {
      return "is not a valid quantity; write it like 500m, 4 or 16Gi";
    }
    if (type == Integer.class || type == int.class) {
      return "is not a whole number from " + Integer.MIN_VALUE + " to " + Integer.MAX_VALUE;
    }
    if (type == Long.class || type == long.class) {
      return "is not a whole number of at most 64 bits";
    }
    if (type == Double.class || type == double.class) {
      return "is not a number";
    }
    if (type == Boolean.class || type == boolean.class) {
      return "is neither true nor false";
    }
    if (type == String.class) {
      return "is not text";
    }
    return Collection.class.isAssignableFrom(type)
        ? "is not a list"
        : "is not an object with fields";
  }

  private static String shown(JsonNode value) {
    return shortened(value.toString());
  }

  /** Of a text that a user chose, on one line of a log. */
  private static String shortened(String text) {
    String shown = text.length() <= SHOWN ? text : text.substring(0, SHOWN) + "…";
    return shown.replaceAll("\\p{Cntrl}", "?");
  }

  /** Kubernetes' own class takes any text, and throws when it is asked for the amount. */
  @JsonDeserialize(using = QuantityDeserializer.class)
  private interface ReadStrictly {}

  /** Reads only quantities whose amount can be told. */
  static final class QuantityDeserializer extends JsonDeserializer<Quantity> {
    private static final Pattern FORM = Pattern.compile(KindCustomizer.QUANTITY);
    private static final Pattern EXPONENT = Pattern.compile("[eE][+-]?0*([0-9]+)$");

    /** Exa, the largest unit. */
    private static final int MOST = 18;

    @Override
    public Quantity deserialize(JsonParser parser, DeserializationContext context)
        throws IOException {
      String text = parser.currentToken().isScalarValue() ? parser.getValueAsString() : null;
      if (text == null) {
        return (Quantity) context.handleUnexpectedToken(Quantity.class, parser);
      }
      Matcher exponent = EXPONENT.matcher(text);
      boolean usable =
          text.length() <= KindCustomizer.QUANTITY_LENGTH
              && FORM.matcher(text).matches()
              && !text.matches(".*[eE][+-]?[0-9]*\\.[0-9]*$")
              && (!exponent.find()
                  || (exponent.group(1).length() <= 2
                      && Integer.parseInt(exponent.group(1)) <= MOST));
      return usable
          ? new Quantity(text)
          : (Quantity) context.handleWeirdStringValue(Quantity.class, text, "no quantity");
    }
  }
}
