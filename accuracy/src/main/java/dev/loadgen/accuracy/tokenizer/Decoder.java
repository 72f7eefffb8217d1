package dev.loadgen.accuracy.tokenizer;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/** Turns the tokens' own spelling into text; the kinds that {@code tokenizers} calls decoders. */
sealed interface Decoder {
  /** The tokens' texts; their concatenation is the text. */
  List<String> decode(List<String> tokens);

  /**
   * The decoder of a {@code tokenizer.json}.
   *
   * @throws UnsupportedDecoderException if it is of a kind that is not decoded here
   */
  static Decoder of(JsonNode json) throws UnsupportedDecoderException {
    String type = json.path("type").asText("");
    return switch (type) {
      case "ByteLevel" -> new ByteLevel();
      case "ByteFallback" -> new ByteFallback();
      case "Fuse" -> new Fuse();
      case "Strip" ->
          new Strip(
              character(json, "content"), json.path("start").asInt(0), json.path("stop").asInt(0));
      case "Metaspace" ->
          new Metaspace(
              character(json, "replacement"),
              !json.path("prepend_scheme").asText("always").toLowerCase(Locale.ROOT).equals("never")
                  && json.path("add_prefix_space").asBoolean(true));
      case "Replace" -> {
        JsonNode pattern = json.path("pattern").path("String");
        if (!pattern.isTextual()) {
          throw new UnsupportedDecoderException("Replace by a regular expression");
        }
        yield new Replace(pattern.asText(), json.path("content").asText(""));
      }
      case "Sequence" -> {
        List<Decoder> steps = new ArrayList<>();
        for (JsonNode step : json.path("decoders")) {
          steps.add(of(step));
        }
        yield new Sequence(List.copyOf(steps));
      }
      default -> throw new UnsupportedDecoderException(type.isEmpty() ? "without a type" : type);
    };
  }

  private static int character(JsonNode json, String field) throws UnsupportedDecoderException {
    String text = json.path(field).asText("");
    if (text.codePointCount(0, text.length()) != 1) {
      throw new UnsupportedDecoderException(
          json.path("type").asText() + " whose " + field + " is not one character");
    }
    return text.codePointAt(0);
  }

  /** A decoder that is not known. */
  final class UnsupportedDecoderException extends Exception {
    UnsupportedDecoderException(String kind) {
      super(kind);
    }
  }

  /** One after another. */
  record Sequence(List<Decoder> steps) implements Decoder {
    @Override
    public List<String> decode(List<String> tokens) {
      List<String> result = tokens;
      for (Decoder step : steps) {
        result = step.decode(result);
      }
      return result;
    }
  }

  /**
   * GPT-2's alphabet: each byte is a printable character, the others moved to U+0100 and up. What
   * is no UTF-8 becomes U+FFFD.
   */
  record ByteLevel() implements Decoder {
    private static final int[] BYTES = bytes();

    private static int[] bytes() {
      int[] bytes = new int[0x200];
      Arrays.fill(bytes, -1);
      int moved = 0x100;
      for (int b = 0; b < 0x100; b++) {
        boolean printable =
            (b >= '!' && b <= '~') || (b >= 0xa1 && b <= 0xac) || (b >= 0xae && b <= 0xff);
        bytes[printable ? b : moved++] = b;
      }
      return bytes;
    }

    @Override
    public List<String> decode(List<String> tokens) {
      ByteArrayOutputStream text = new ByteArrayOutputStream();
      for (String token : tokens) {
        text.writeBytes(bytes(token));
      }
      return List.of(LossyUtf8.decode(text.toByteArray()));
    }

    /** A token with a character that is not one of the alphabet stands for itself. */
    private static byte[] bytes(String token) {
      byte[] bytes = new byte[token.length()];
      for (int i = 0; i < bytes.length; i++) {
        char c = token.charAt(i);
        if (c >= BYTES.length || BYTES[c] < 0) {
          return token.getBytes(StandardCharsets.UTF_8);
        }
        bytes[i] = (byte) BYTES[c];
      }
      return bytes;
    }
  }

  /** Tokens such as {@code <0xE2>} are bytes; a run of them that is no UTF-8 is U+FFFD each. */
  record ByteFallback() implements Decoder {
    @Override
    public List<String> decode(List<String> tokens) {
      List<String> texts = new ArrayList<>();
      ByteArrayOutputStream run = new ByteArrayOutputStream();
      for (String token : tokens) {
        int value = value(token);
        if (value >= 0) {
          run.write(value);
        } else {
          flush(run, texts);
          texts.add(token);
        }
      }
      flush(run, texts);
      return texts;
    }

    private static int value(String token) {
      if (token.length() != 6 || !token.startsWith("<0x") || !token.endsWith(">")) {
        return -1;
      }
      int high = Character.digit(token.charAt(3), 16);
      int low = Character.digit(token.charAt(4), 16);
      return high < 0 || low < 0 ? -1 : 16 * high + low;
    }

    private static void flush(ByteArrayOutputStream run, List<String> texts) {
      if (run.size() == 0) {
        return;
      }
      try {
        texts.add(
            StandardCharsets.UTF_8
                .newDecoder()
                .decode(ByteBuffer.wrap(run.toByteArray()))
                .toString());
      } catch (CharacterCodingException e) {
        texts.add("\ufffd".repeat(run.size()));
      }
      run.reset();
    }
  }

  /** All tokens become one. */
  record Fuse() implements Decoder {
    @Override
    public List<String> decode(List<String> tokens) {
      return List.of(String.join("", tokens));
    }
  }

  /** One text for another, in each token. */
  record Replace(String pattern, String content) implements Decoder {
    @Override
    public List<String> decode(List<String> tokens) {
      return tokens.stream().map(token -> token.replace(pattern, content)).toList();
    }
  }

  /** Takes away at most so many of a character at both ends of each token. */
  record Strip(int content, int start, int stop) implements Decoder {
    @Override
    public List<String> decode(List<String> tokens) {
      return tokens.stream().map(this::strip).toList();
    }

    private String strip(String token) {
      int[] characters = token.codePoints().toArray();
      int from = 0;
      while (from < characters.length && from < start && characters[from] == content) {
        from++;
      }
      int to = characters.length;
      while (to > from && characters.length - to < stop && characters[to - 1] == content) {
        to--;
      }
      return new String(characters, from, to - from);
    }
  }

  /** A character stands for a space; in the first token for nothing, where one was prepended. */
  record Metaspace(int replacement, boolean prepended) implements Decoder {
    @Override
    public List<String> decode(List<String> tokens) {
      String mark = Character.toString(replacement);
      List<String> texts = new ArrayList<>();
      for (String token : tokens) {
        texts.add(token.replace(mark, prepended && texts.isEmpty() ? "" : " "));
      }
      return texts;
    }
  }
}
