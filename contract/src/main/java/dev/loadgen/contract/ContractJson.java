package dev.loadgen.contract;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.module.SimpleModule;
import java.util.ArrayList;
import java.util.List;

/** The one way in which plans and summaries are written and read. */
public final class ContractJson {
  // A plan from a newer operator may hold fields that this runner would ignore to the result's
  // harm: unknown fields fail.
  private static final ObjectMapper MAPPER =
      JsonMapper.builder()
          .enable(DeserializationFeature.FAIL_ON_NULL_FOR_PRIMITIVES)
          .enable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
          .build();

  // What it does not know of a result takes nothing from the rest, and neither does a number that
  // no status can hold.
  private static final ObjectMapper TOLERANT =
      JsonMapper.builder()
          .enable(DeserializationFeature.FAIL_ON_NULL_FOR_PRIMITIVES)
          .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
          .addModule(new SimpleModule().addDeserializer(Double.class, new FiniteNumbers()))
          .build();

  private ContractJson() {}

  /** Reads a value; the exception's message names the field. */
  public static <T> T read(String json, Class<T> type) throws JsonProcessingException {
    return MAPPER.readValue(json, type);
  }

  /** Reads a value of a program that may be newer; what it adds is left out. */
  public static <T> T readTolerantly(String json, Class<T> type) throws JsonProcessingException {
    return TOLERANT
        .readerFor(type)
        .withAttribute(FiniteNumbers.LEFT_OUT, new ArrayList<>())
        .readValue(json);
  }

  /**
   * Reads a summary of any version. Of one that is not this version's it has the version and the
   * folder alone, since its other fields may mean something else; what a newer runner of this
   * version adds is left out.
   *
   * @param leftOut is given the paths of numbers that are none, such as {@code NaN}, which the
   *     summary does not have
   */
  public static RunSummary readSummary(String json, List<String> leftOut)
      throws JsonProcessingException {
    JsonNode tree = MAPPER.readTree(json);
    if (!tree.path("version").isInt()) {
      return read(json, RunSummary.class); // a line of a log, which the exception names
    }
    int version = tree.path("version").intValue();
    return version == RunSummary.VERSION
        ? TOLERANT
            .readerFor(RunSummary.class)
            .withAttribute(FiniteNumbers.LEFT_OUT, leftOut)
            .readValue(json)
        : RunSummaryBuilder.builder()
            .version(version)
            .resultsPath(tree.path("resultsPath").textValue())
            .build();
  }

  /** Writes a value on one line. */
  public static String write(Object value) {
    try {
      return MAPPER.writeValueAsString(value);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException(
          "a contract type that JSON cannot hold: " + value.getClass(), e);
    }
  }

  /** Writes a value for people, indented. */
  public static String writePretty(Object value) {
    try {
      return MAPPER.writerWithDefaultPrettyPrinter().writeValueAsString(value);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException(
          "a contract type that JSON cannot hold: " + value.getClass(), e);
    }
  }
}
