package dev.loadgen.desired;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.List;
import java.util.Locale;
import java.util.OptionalInt;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * What a server's arguments say of the length of its answers, whatever a request asks for. What is
 * not understood is not known.
 */
final class LengthArguments {
  private static final ObjectMapper JSON = new ObjectMapper();

  /** vLLM takes 16k for 16 000, 16K for 16 384 ({@code vllm/utils/argparse_utils.py}). */
  private static final Pattern NUMBER = Pattern.compile("(\\d{1,9})([kKmM]?)");

  private LengthArguments() {}

  /** Of {@code vllm serve}: most new tokens; empty: no bound is known. */
  static OptionalInt ofVllm(List<String> arguments) {
    OptionalInt own = number(last(arguments, "--override-generation-config.max_new_tokens"));
    if (own.isEmpty()) {
      own = field(last(arguments, "--override-generation-config"), "max_new_tokens");
    }
    return least(own, beside(last(arguments, "--max-model-len")));
  }

  /** Of SGLang: most new tokens; empty: no bound is known. */
  static OptionalInt ofSglang(List<String> arguments) {
    return beside(last(arguments, "--context-length"));
  }

  /** What a context leaves to an answer: all but one token of the prompt. */
  private static OptionalInt beside(@Nullable String context) {
    OptionalInt tokens = number(context);
    return tokens.isPresent() && tokens.getAsInt() > 1
        ? OptionalInt.of(tokens.getAsInt() - 1)
        : OptionalInt.empty();
  }

  private static OptionalInt least(OptionalInt one, OptionalInt other) {
    if (one.isEmpty() || other.isEmpty()) {
      return one.isEmpty() ? other : one;
    }
    return OptionalInt.of(Math.min(one.getAsInt(), other.getAsInt()));
  }

  /** The value of an option, of several the last, as both engines read them; null: it has none. */
  private static @Nullable String last(List<String> arguments, String name) {
    String value = null;
    for (int i = 0; i < arguments.size(); i++) {
      String[] parts = arguments.get(i).split("=", 2);
      if (plain(parts[0]).equals(plain(name))) {
        value =
            parts.length > 1 ? parts[1] : i + 1 < arguments.size() ? arguments.get(i + 1) : null;
      }
    }
    return value;
  }

  private static String plain(String name) {
    return name.replace('_', '-').toLowerCase(Locale.ROOT);
  }

  private static OptionalInt number(@Nullable String text) {
    Matcher number = NUMBER.matcher(text == null ? "" : text);
    if (!number.matches()) {
      return OptionalInt.empty();
    }
    long factor =
        switch (number.group(2)) {
          case "k" -> 1_000;
          case "K" -> 1_024;
          case "m" -> 1_000_000;
          case "M" -> 1_048_576;
          default -> 1;
        };
    long value = Long.parseLong(number.group(1)) * factor;
    return value > Integer.MAX_VALUE ? OptionalInt.empty() : OptionalInt.of((int) value);
  }

  private static OptionalInt field(@Nullable String json, String name) {
    if (json == null) {
      return OptionalInt.empty();
    }
    try {
      JsonNode field = JSON.readTree(json).path(name);
      return field.isInt() ? OptionalInt.of(field.intValue()) : OptionalInt.empty();
    } catch (JsonProcessingException e) {
      // The server refuses it when it starts, and says so.
      return OptionalInt.empty();
    }
  }
}
