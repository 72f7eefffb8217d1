package dev.loadgen.local.kubelet;

import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Kubernetes' {@code $(NAME)} in command, args and env. */
final class Variables {
  // $$(NAME) is the escape for a literal $(NAME).
  private static final Pattern REFERENCE = Pattern.compile("\\$(\\$)?\\(([A-Za-z0-9_.-]+)\\)");

  private Variables() {}

  /** The text with references to known variables replaced; unknown ones stay as they are. */
  static String expand(String text, Map<String, String> variables) {
    return REFERENCE
        .matcher(text)
        .replaceAll(
            found -> {
              String all = found.group();
              if (found.group(1) != null) {
                return Matcher.quoteReplacement(all.substring(1));
              }
              String value = variables.get(found.group(2));
              return Matcher.quoteReplacement(value == null ? all : value);
            });
  }
}
