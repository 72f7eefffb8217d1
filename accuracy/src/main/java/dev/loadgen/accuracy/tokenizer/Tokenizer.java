package dev.loadgen.accuracy.tokenizer;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.NullNode;
import dev.loadgen.accuracy.input.UnusableInputException;
import java.io.CharConversionException;
import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Decodes token ids as Hugging Face's {@code transformers} does with a model's {@code
 * tokenizer.json} and the {@code tokenizer_config.json} beside it, if there is one; a token that
 * either of them calls special is. It does not encode. Immutable and safe for use by many threads.
 */
public final class Tokenizer {
  /** The usual name of the file. */
  public static final String FILE_NAME = "tokenizer.json";

  /** Far above any vocabulary; a file that names a greater id is not a tokenizer. */
  private static final int MAX_ID = 10_000_000;

  // A vocabulary has hundreds of thousands of names, each of which is used once.
  private static final ObjectMapper JSON =
      new ObjectMapper(
          JsonFactory.builder()
              .disable(JsonFactory.Feature.CANONICALIZE_FIELD_NAMES)
              .disable(JsonFactory.Feature.INTERN_FIELD_NAMES)
              .streamReadConstraints(StreamReadConstraints.builder().maxNestingDepth(64).build())
              .build());

  private final @Nullable String[] tokens;
  private final Set<String> special;
  private final @Nullable Decoder decoder;
  private final boolean cleansUp;

  private Tokenizer(
      @Nullable String[] tokens, Set<String> special, @Nullable Decoder decoder, boolean cleansUp) {
    this.tokens = tokens;
    this.special = special;
    this.decoder = decoder;
    this.cleansUp = cleansUp;
  }

  /**
   * Reads a tokenizer.
   *
   * @throws UnusableInputException if the file is missing or is no tokenizer, or has a decoder that
   *     is not known here
   */
  public static Tokenizer read(Path file) throws UnusableInputException {
    try (JsonParser parser = JSON.createParser(Files.newInputStream(file))) {
      return new Reader(file, parser).read(TokenizerConfig.beside(file));
    } catch (NoSuchFileException e) {
      throw new UnusableInputException(
          "%s does not exist; copy the model's tokenizer.json there, or name it with spec.accuracy.tokenizerPath"
              .formatted(file),
          e);
    } catch (AccessDeniedException e) {
      throw new UnusableInputException(file + " is not readable; check its mode and owner", e);
    } catch (JsonProcessingException e) {
      throw UnusableInputException.noJson(file, FILE_NAME, e);
    } catch (CharConversionException e) {
      throw new UnusableInputException(file + " is not UTF-8", e);
    } catch (IOException e) {
      throw new UnusableInputException(file + " cannot be read: " + e, e);
    }
  }

  /**
   * The text of token ids. Ids that the vocabulary does not have give nothing, as {@code
   * tokenizers} has it.
   *
   * @param ids 0 or more each
   * @param skipsSpecialTokens whether special tokens give nothing
   */
  public String decode(int[] ids, boolean skipsSpecialTokens) {
    List<String> known = new ArrayList<>(ids.length);
    for (int id : ids) {
      String token = id < tokens.length ? tokens[id] : null;
      if (token != null && !(skipsSpecialTokens && special.contains(token))) {
        known.add(token);
      }
    }
    String text =
        decoder == null ? String.join(" ", known) : String.join("", decoder.decode(known));
    return cleansUp ? cleanedUp(text) : text;
  }

  /** Spaces before English punctuation and contractions, as {@code transformers} takes them out. */
  private static String cleanedUp(String text) {
    return text.replace(" .", ".")
        .replace(" ?", "?")
        .replace(" !", "!")
        .replace(" ,", ",")
        .replace(" ' ", "'")
        .replace(" n't", "n't")
        .replace(" 'm", "'m")
        .replace(" 's", "'s")
        .replace(" 've", "'ve")
        .replace(" 're", "'re");
  }

  private static final class Reader {
    private final Path file;
    private final JsonParser parser;
    private @Nullable String[] tokens = new String[1 << 17];
    private int size;
    private int vocabularySize;
    private final List<AddedToken> added = new ArrayList<>();
    private JsonNode decoder = NullNode.getInstance();
    private boolean vocabulary;

    Reader(Path file, JsonParser parser) {
      this.file = file;
      this.parser = parser;
    }

    private record AddedToken(int id, String content, boolean special) {}

    Tokenizer read(TokenizerConfig config) throws IOException, UnusableInputException {
      if (parser.nextToken() != JsonToken.START_OBJECT) {
        throw refused("a JSON object is expected");
      }
      while (parser.nextToken() == JsonToken.FIELD_NAME) {
        String field = parser.currentName();
        parser.nextToken();
        switch (field) {
          case "added_tokens" -> readAddedTokens();
          case "decoder" -> decoder = JSON.readTree(parser);
          case "model" -> readModel();
          default -> parser.skipChildren();
        }
      }
      if (!vocabulary) {
        throw refused("it has no model.vocab");
      }
      Set<String> special = new HashSet<>();
      int last = -1;
      for (AddedToken token : added) {
        put(token.id(), token.content());
        last = Math.max(last, token.id());
        if (token.special()) {
          special.add(token.content());
        }
      }
      Set<String> known = new HashSet<>();
      Arrays.stream(tokens, 0, size).filter(Objects::nonNull).forEach(known::add);
      for (TokenizerConfig.Named token : config.tokens()) {
        if (token.special()) {
          special.add(token.content());
        }
        if (known.add(token.content())) {
          last = Math.max(last + 1, vocabularySize);
          put(last, token.content());
        }
      }
      try {
        return new Tokenizer(
            Arrays.copyOf(tokens, size),
            Set.copyOf(special),
            decoder.isNull() ? null : Decoder.of(decoder),
            config.cleansUp());
      } catch (Decoder.UnsupportedDecoderException e) {
        throw new UnusableInputException(
            "%s has the decoder %s, which cannot be decoded here; score the log with the benchmark's own script"
                .formatted(file, e.getMessage()),
            e);
      }
    }

    private void readAddedTokens() throws IOException, UnusableInputException {
      for (JsonNode token : JSON.<JsonNode>readTree(parser)) {
        JsonNode id = token.path("id");
        JsonNode content = token.path("content");
        if (!id.isInt() || !content.isTextual()) {
          throw refused("an entry of added_tokens lacks id or content");
        }
        added.add(
            new AddedToken(id.asInt(), content.asText(), token.path("special").asBoolean(false)));
      }
    }

    private void readModel() throws IOException, UnusableInputException {
      if (parser.currentToken() != JsonToken.START_OBJECT) {
        throw refused("model must be an object");
      }
      while (parser.nextToken() == JsonToken.FIELD_NAME) {
        String field = parser.currentName();
        JsonToken value = parser.nextToken();
        if (field.equals("vocab") && value == JsonToken.START_OBJECT) {
          readVocabulary();
        } else if (field.equals("vocab") && value == JsonToken.START_ARRAY) {
          readScoredVocabulary();
        } else {
          parser.skipChildren();
        }
      }
    }

    private void readVocabulary() throws IOException, UnusableInputException {
      while (parser.nextToken() == JsonToken.FIELD_NAME) {
        String token = parser.currentName();
        if (parser.nextToken() != JsonToken.VALUE_NUMBER_INT) {
          throw refused("model.vocab must have an integer for each token");
        }
        put(parser.getValueAsInt(-1), token);
        vocabularySize++;
      }
      vocabulary = true;
    }

    /** Unigram models list token and score; the position is the id. */
    private void readScoredVocabulary() throws IOException, UnusableInputException {
      int id = 0;
      while (parser.nextToken() != JsonToken.END_ARRAY) {
        if (parser.currentToken() != JsonToken.START_ARRAY
            || parser.nextToken() != JsonToken.VALUE_STRING) {
          throw refused("model.vocab must have a token and a score in each entry");
        }
        put(id++, parser.getText());
        vocabularySize++;
        while (parser.nextToken() != JsonToken.END_ARRAY) {
          parser.skipChildren();
        }
      }
      vocabulary = true;
    }

    private void put(int id, String token) throws UnusableInputException {
      if (id < 0 || id > MAX_ID) {
        throw refused("the id %d is not between 0 and %d".formatted(id, MAX_ID));
      }
      if (id >= tokens.length) {
        tokens = Arrays.copyOf(tokens, Math.max(id + 1, 2 * tokens.length));
      }
      tokens[id] = token;
      size = Math.max(size, id + 1);
    }

    private UnusableInputException refused(String problem) {
      return new UnusableInputException(
          "%s is not a valid tokenizer.json: line %d: %s"
              .formatted(file, parser.currentTokenLocation().getLineNr(), problem));
    }
  }
}
