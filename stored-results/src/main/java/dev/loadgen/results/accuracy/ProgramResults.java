package dev.loadgen.results.accuracy;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.loadgen.accuracy.input.UnusableInputException;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.CharacterCodingException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;

/**
 * Whether programs passed their tests, from a file with a JSON object a line: {@code sample}, the
 * row of the dataset, and {@code passed}.
 */
public final class ProgramResults {
  private static final ObjectMapper JSON = new ObjectMapper();

  private ProgramResults() {}

  /**
   * Reads a file.
   *
   * @return whether a program passed, by row of the dataset
   * @throws UnusableInputException if it cannot be read, or a line is not as described
   */
  public static Map<Integer, Boolean> read(Path file) throws UnusableInputException {
    Map<Integer, Boolean> results = new HashMap<>();
    int number = 0;
    try (BufferedReader reader = Files.newBufferedReader(file)) {
      for (String line = reader.readLine(); line != null; line = reader.readLine()) {
        number++;
        JsonNode result = JSON.readTree(line);
        if (!result.path("sample").canConvertToInt()
            || !result.path("sample").isIntegralNumber()
            || !result.path("passed").isBoolean()) {
          throw new UnusableInputException(
              "%s: line %d: write {\"sample\": ROW, \"passed\": true or false}"
                  .formatted(file, number));
        }
        Boolean before =
            results.put(result.path("sample").asInt(), result.path("passed").asBoolean());
        if (before != null) {
          throw new UnusableInputException(
              "%s: line %d: sample %d has two results; keep one"
                  .formatted(file, number, result.path("sample").asInt()));
        }
      }
      return results;
    } catch (JsonProcessingException e) {
      throw new UnusableInputException(
          "%s: line %d is not valid JSON: write {\"sample\": ROW, \"passed\": true or false}"
              .formatted(file, number),
          e);
    } catch (NoSuchFileException e) {
      throw new UnusableInputException(file + " does not exist", e);
    } catch (CharacterCodingException e) {
      throw new UnusableInputException(file + " is not UTF-8", e);
    } catch (IOException e) {
      throw new UnusableInputException(file + " cannot be read: " + e, e);
    }
  }
}
