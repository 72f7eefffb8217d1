package dev.loadgen.local.apiserver;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Label and field selectors of list and watch requests. */
final class Selector {
  private static final Pattern SET =
      Pattern.compile("(?<key>[^!=,\\s]+)\\s+(?<op>in|notin)\\s+\\((?<values>[^)]*)\\)");
  private static final Pattern EQUALITY =
      Pattern.compile("(?<key>[^!=\\s]+)\\s*(?<op>!=|==?)\\s*(?<value>.*)");
  // A comma inside parentheses separates values, not requirements.
  private static final Pattern SEPARATOR = Pattern.compile(",(?![^(]*\\))");

  private Selector() {}

  /**
   * Reads both selectors of a request; null or empty means all.
   *
   * @throws ApiException if one of them cannot be read
   */
  static Predicate<JsonNode> of(@Nullable String labelSelector, @Nullable String fieldSelector)
      throws ApiException {
    List<Predicate<JsonNode>> requirements = new ArrayList<>();
    for (String requirement : split(labelSelector)) {
      requirements.add(labels(requirement));
    }
    for (String requirement : split(fieldSelector)) {
      requirements.add(field(requirement));
    }
    return object -> requirements.stream().allMatch(requirement -> requirement.test(object));
  }

  private static List<String> split(@Nullable String selector) {
    return selector == null || selector.isBlank()
        ? List.of()
        : Arrays.stream(SEPARATOR.split(selector)).map(String::strip).toList();
  }

  private static Predicate<JsonNode> labels(String requirement) throws ApiException {
    Matcher set = SET.matcher(requirement);
    if (set.matches()) {
      String key = set.group("key");
      Set<String> values =
          Arrays.stream(set.group("values").split(",", -1))
              .map(String::strip)
              .collect(Collectors.toSet());
      boolean in = set.group("op").equals("in");
      return object -> {
        JsonNode value = label(object, key);
        return in == (!value.isMissingNode() && values.contains(value.asText()));
      };
    }
    Matcher equality = EQUALITY.matcher(requirement);
    if (equality.matches()) {
      String key = equality.group("key");
      String wanted = equality.group("value");
      boolean equal = !equality.group("op").equals("!=");
      return object -> {
        JsonNode value = label(object, key);
        return equal == (!value.isMissingNode() && value.asText().equals(wanted));
      };
    }
    if (requirement.startsWith("!")) {
      return object -> label(object, requirement.substring(1)).isMissingNode();
    }
    if (requirement.contains(" ")) {
      throw ApiException.badRequest("unable to parse requirement of labelSelector: " + requirement);
    }
    return object -> !label(object, requirement).isMissingNode();
  }

  private static JsonNode label(JsonNode object, String key) {
    return object.path("metadata").path("labels").path(key);
  }

  private static Predicate<JsonNode> field(String requirement) throws ApiException {
    Matcher equality = EQUALITY.matcher(requirement);
    if (!equality.matches()) {
      throw ApiException.badRequest("unable to parse requirement of fieldSelector: " + requirement);
    }
    String pointer = "/" + equality.group("key").replace('.', '/');
    String wanted = equality.group("value");
    boolean equal = !equality.group("op").equals("!=");
    return object -> equal == object.at(pointer).asText("").equals(wanted);
  }
}
