package dev.loadgen.contract;

import com.fasterxml.jackson.core.JacksonException;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.exc.InputCoercionException;
import com.fasterxml.jackson.core.io.JsonEOFException;
import com.fasterxml.jackson.databind.JsonMappingException;
import com.fasterxml.jackson.databind.JsonMappingException.Reference;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.exc.MismatchedInputException;
import com.fasterxml.jackson.databind.exc.UnrecognizedPropertyException;
import java.util.Arrays;
import java.util.Collection;
import java.util.stream.Collectors;

/** What is wrong with JSON that should have been something else, in words that name no Java. */
public final class JsonWords {
  private static final ObjectMapper JSON = new ObjectMapper();

  private JsonWords() {}

  /**
   * Where it is wrong and why, such as {@code server.replicas[0].url: is not text} or {@code not
   * valid JSON at line 3: Unexpected character}.
   */
  public static String of(JsonProcessingException e) {
    Throwable cause = e;
    while (cause instanceof JsonMappingException
        && cause.getCause() instanceof JsonProcessingException) {
      cause = cause.getCause();
    }
    if (String.valueOf(e.getOriginalMessage()).startsWith("Trailing token")) {
      return "not valid JSON: there is more after its end";
    }
    if (!(cause instanceof JsonMappingException) && !(cause instanceof InputCoercionException)) {
      JsonProcessingException syntax = (JsonProcessingException) cause;
      return "not valid JSON" + place(syntax) + ": " + syntax(syntax);
    }
    String path = e instanceof JsonMappingException mapping ? path(mapping) : "";
    return (path.isEmpty() ? "" : path + ": ") + why(cause);
  }

  /** A bound of the parser is broken at no place in particular. */
  private static String place(JsonProcessingException e) {
    return e.getLocation() == null ? "" : " at line " + e.getLocation().getLineNr();
  }

  /** What is wrong with what is no JSON, without its place. */
  public static String syntax(JacksonException e) {
    // the parser says where a bracket was opened by its own object, and which method set a bound
    return e instanceof JsonEOFException
        ? "it ends in the middle of a value"
        : String.valueOf(e.getOriginalMessage())
            .replaceAll(", from `[^`]*`", "")
            .replaceAll(" \\(for (\\w+) starting at \\[.*", "");
  }

  private static String path(JsonMappingException e) {
    StringBuilder path = new StringBuilder();
    for (Reference step : e.getPath()) {
      if (step.getFieldName() == null) {
        path.append('[').append(step.getIndex()).append(']');
      } else {
        path.append(path.length() == 0 ? "" : ".").append(step.getFieldName());
      }
    }
    return path.toString();
  }

  private static String why(Throwable e) {
    if (e instanceof UnrecognizedPropertyException) {
      return "is not a field that this version knows";
    }
    Class<?> type =
        e instanceof MismatchedInputException mismatched
            ? mismatched.getTargetType()
            : e instanceof InputCoercionException coerced ? coerced.getTargetType() : null;
    if (type == null) {
      return "cannot be understood";
    }
    return type.isEnum()
        ? "is not one of "
            + Arrays.stream(type.getEnumConstants())
                .map(constant -> JSON.convertValue(constant, String.class))
                .collect(Collectors.joining(", "))
        : isNo(type);
  }

  /** That a value is not of a type. */
  private static String isNo(Class<?> type) {
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
}
