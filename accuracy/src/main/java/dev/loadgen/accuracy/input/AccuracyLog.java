package dev.loadgen.accuracy.input;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.core.io.JsonEOFException;
import java.io.CharConversionException;
import java.io.IOException;
import java.nio.CharBuffer;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.BitSet;
import java.util.HexFormat;
import org.jspecify.annotations.Nullable;

/**
 * Reads {@code mlperf_log_accuracy.json}: a JSON array with an object for each completed sample,
 * whose fields are {@code seq_id}, {@code qsl_idx} and {@code data} in hexadecimal, and where
 * LoadGen measures tokens {@code token_data} and {@code token_count}. Other fields are ignored. One
 * entry at a time is in memory, so the file may be of any size.
 */
public final class AccuracyLog {
  /** LoadGen's name of the file. */
  public static final String FILE_NAME = "mlperf_log_accuracy.json";

  /** The longest answer, in hexadecimal digits: 32 MiB, 250 times what any benchmark allows. */
  private static final int MAX_DATA_DIGITS = 64 << 20;

  private static final JsonFactory JSON =
      JsonFactory.builder()
          .streamReadConstraints(
              StreamReadConstraints.builder()
                  .maxStringLength(MAX_DATA_DIGITS)
                  .maxNestingDepth(16)
                  .build())
          .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
          .build();

  private AccuracyLog() {}

  /** Takes answers, in the order of the log. */
  @FunctionalInterface
  public interface Sink {
    /** Takes one answer. */
    void accept(LoggedAnswer answer) throws UnusableInputException;
  }

  /** Takes entries, in the order of the log. */
  @FunctionalInterface
  public interface EntrySink {
    /** Takes one entry. */
    void accept(LoggedSample sample) throws UnusableInputException;
  }

  /**
   * What a log holds.
   *
   * @param samples samples with an answer
   * @param duplicates further answers to a sample that had one before; they are not handed over, as
   *     the reference of llama3.1-8b has it
   */
  public record Summary(int samples, int duplicates) {}

  /**
   * Hands the first answer of each sample to {@code sink}.
   *
   * @param samples rows of the dataset; an answer to a sample beyond it makes the log unusable
   * @throws UnusableInputException if the file is not there, is not a valid accuracy log, ends too
   *     early, or {@code sink} refuses an answer
   */
  public static Summary read(Path file, int samples, Sink sink) throws UnusableInputException {
    BitSet seen = new BitSet();
    return readAll(
        file,
        samples,
        entry -> {
          if (!seen.get(entry.answer().sampleIndex())) {
            seen.set(entry.answer().sampleIndex());
            sink.accept(entry.answer());
          }
        });
  }

  /**
   * Hands every entry to {@code sink}, also further answers to a sample.
   *
   * @param samples rows of the dataset; an answer to a sample beyond it makes the log unusable
   * @throws UnusableInputException as for {@link #read}
   */
  public static Summary readAll(Path file, int samples, EntrySink sink)
      throws UnusableInputException {
    try (JsonParser parser = JSON.createParser(Files.newInputStream(file))) {
      return new Reader(file, parser, samples, sink).read();
    } catch (NoSuchFileException e) {
      throw new UnusableInputException(
          file + " does not exist; name the folder of a test in accuracy mode", e);
    } catch (AccessDeniedException e) {
      throw new UnusableInputException(file + " is not readable; check its mode and owner", e);
    } catch (JsonEOFException e) {
      throw new UnusableInputException(
          file
              + " ends in the middle; LoadGen did not finish it, or truncate_accuracy_log.py has cut it for a submission; score the whole log",
          e);
    } catch (JsonProcessingException e) {
      throw UnusableInputException.noJson(file, "accuracy log", e);
    } catch (CharConversionException e) {
      throw new UnusableInputException(file + " is not UTF-8", e);
    } catch (IOException e) {
      throw new UnusableInputException(file + " cannot be read: " + e, e);
    }
  }

  private static final class Reader {
    private final Path file;
    private final JsonParser parser;
    private final int size;
    private final EntrySink sink;
    private final BitSet seen = new BitSet();
    private int samples;
    private int duplicates;

    Reader(Path file, JsonParser parser, int size, EntrySink sink) {
      this.file = file;
      this.parser = parser;
      this.size = size;
      this.sink = sink;
    }

    Summary read() throws IOException, UnusableInputException {
      JsonToken start = parser.nextToken();
      if (start == null) {
        throw new UnusableInputException(
            file + " is empty; LoadGen writes it when a test in accuracy mode has ended");
      }
      if (start != JsonToken.START_ARRAY) {
        throw refused("a JSON array is expected");
      }
      while (parser.nextToken() == JsonToken.START_OBJECT) {
        entry();
      }
      if (parser.currentToken() != JsonToken.END_ARRAY) {
        throw refused("each entry must be an object with seq_id, qsl_idx and data");
      }
      if (parser.nextToken() != null) {
        throw refused("there is something after the array");
      }
      if (samples == 0) {
        throw new UnusableInputException(
            file + " holds no answer; LoadGen logs answers in accuracy mode only");
      }
      return new Summary(samples, duplicates);
    }

    private void entry() throws IOException, UnusableInputException {
      boolean sequence = false;
      int index = -1;
      byte @Nullable [] data = null;
      byte @Nullable [] firstToken = null;
      Long tokenCount = null;
      while (parser.nextToken() == JsonToken.FIELD_NAME) {
        String field = parser.currentName();
        JsonToken value = parser.nextToken();
        switch (field) {
          case "seq_id" -> {
            if (value != JsonToken.VALUE_NUMBER_INT) {
              throw refused("seq_id must be an integer");
            }
            sequence = true;
          }
          case "qsl_idx" -> index = index(value);
          case "data" -> data = bytes("data", value);
          case "token_data" -> firstToken = bytes("token_data", value);
          case "token_count" -> tokenCount = count(value);
          default -> parser.skipChildren();
        }
      }
      if (!sequence || index < 0 || data == null) {
        throw refused("an entry lacks " + (!sequence ? "seq_id" : index < 0 ? "qsl_idx" : "data"));
      }
      if (seen.get(index)) {
        duplicates++;
      } else {
        seen.set(index);
        samples++;
      }
      sink.accept(new LoggedSample(new LoggedAnswer(index, data), firstToken, tokenCount));
    }

    private int index(JsonToken value) throws IOException, UnusableInputException {
      if (value != JsonToken.VALUE_NUMBER_INT) {
        throw refused("qsl_idx must be an integer");
      }
      long index =
          parser.getNumberType() == JsonParser.NumberType.BIG_INTEGER ? -1 : parser.getLongValue();
      if (index < 0 || index >= size) {
        throw refused(
            "qsl_idx %s, but the dataset has %d rows; give the dataset that the test was run with"
                .formatted(parser.getText(), size));
      }
      return (int) index;
    }

    private Long count(JsonToken value) throws IOException, UnusableInputException {
      if (value != JsonToken.VALUE_NUMBER_INT
          || parser.getNumberType() == JsonParser.NumberType.BIG_INTEGER) {
        throw refused("token_count must be an integer");
      }
      return parser.getLongValue();
    }

    private byte[] bytes(String field, JsonToken value) throws IOException, UnusableInputException {
      if (value != JsonToken.VALUE_STRING) {
        throw refused(field + " must be a string of hexadecimal digits");
      }
      try {
        return HexFormat.of()
            .parseHex(
                CharBuffer.wrap(
                    parser.getTextCharacters(), parser.getTextOffset(), parser.getTextLength()));
      } catch (IllegalArgumentException e) {
        throw refused(field + " must be an even number of hexadecimal digits");
      }
    }

    private UnusableInputException refused(String problem) {
      return new UnusableInputException(
          "%s is not a valid accuracy log: line %d: %s"
              .formatted(file, parser.currentTokenLocation().getLineNr(), problem));
    }
  }
}
