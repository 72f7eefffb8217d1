package dev.loadgen.operator.logging;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.joran.JoranConfigurator;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.LoggingEvent;
import ch.qos.logback.core.Appender;
import ch.qos.logback.core.ConsoleAppender;
import ch.qos.logback.core.joran.spi.JoranException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The operator's own configuration of its log, without the console. */
class LogLinesTest {
  private static final String FORGED =
      "it ended\n2026-11-21T10:00:00.000Z INFO  BenchmarkRunReconciler run completed verdict=Valid";

  private static List<Appender<ILoggingEvent>> appenders(LoggerContext context) {
    List<Appender<ILoggingEvent>> appenders = new ArrayList<>();
    context
        .getLogger(Logger.ROOT_LOGGER_NAME)
        .iteratorForAppenders()
        .forEachRemaining(appenders::add);
    return appenders;
  }

  private static LoggerContext context(String format) {
    LoggerContext context = new LoggerContext();
    context.putProperty("loadgen.log.format", format);
    JoranConfigurator configurator = new JoranConfigurator();
    configurator.setContext(context);
    try {
      configurator.doConfigure(
          Objects.requireNonNull(
              LogLinesTest.class.getResource("/dev/loadgen/operator/logback.xml")));
    } catch (JoranException e) {
      throw new IllegalStateException(e);
    }
    return context;
  }

  /** What is written for a message and an exception. */
  private static String written(String format, String message, @Nullable Throwable problem) {
    LoggerContext context = context(format);
    LoggingEvent event =
        new LoggingEvent(
            "none",
            context.getLogger("dev.loadgen.operator.Main"),
            Level.WARN,
            "run failed message={}",
            problem,
            new Object[] {message});
    event.setInstant(Instant.parse("2026-11-21T10:00:00.120Z"));
    ConsoleAppender<ILoggingEvent> appender =
        (ConsoleAppender<ILoggingEvent>) appenders(context).getFirst();
    return new String(appender.getEncoder().encode(event), StandardCharsets.UTF_8);
  }

  @ParameterizedTest
  @ValueSource(strings = {"text", "json"})
  void oneAppenderWritesAndItIsTheOneThatWasAskedFor(String format) {
    assertThat(appenders(context(format))).extracting(Appender::getName).containsExactly(format);
  }

  @Test
  void textHasTheTimeInUtc() {
    assertThat(written("text", "it ended", null))
        .isEqualTo("2026-11-21T10:00:00.120Z WARN  Main run failed message=it ended\n");
  }

  @Test
  void aMessageCannotForgeALine() {
    assertThat(written("text", FORGED, null))
        .isEqualTo(
            "2026-11-21T10:00:00.120Z WARN  Main run failed message=it ended\\n"
                + "2026-11-21T10:00:00.000Z INFO  BenchmarkRunReconciler run completed verdict=Valid\n");
  }

  @ParameterizedTest
  @CsvSource({
    "0a, \\n",
    "0d, \\r",
    "09, \\t",
    "00, \\u0000",
    "1b, \\u001b", // ESC, which begins what terminals obey
    "7f, \\u007f",
    "85, \\u0085", // next line
    "9b, \\u009b", // ESC [
    "2028, \\u2028",
    "2029, \\u2029",
    "202e, \\u202e", // what follows is shown from right to left
    "200b, \\u200b", // is not seen
    "feff, \\ufeff",
    "e0041, \\udb40\\udc41", // is not seen, and no single char
    "41, A",
    "5c, \\",
    "e4, ä",
    "4e2d, 中",
    "1f600, 😀"
  })
  void whatBreaksLinesControlsTerminalsOrHidesIsEscaped(String codePoint, String shown) {
    String character = Character.toString(Integer.parseInt(codePoint, 16));

    assertThat(written("text", "a" + character + "b", null)).endsWith(" message=a" + shown + "b\n");
  }

  @Test
  void anExceptionStaysReadableAndItsMessageIsOneLine() {
    Exception problem = new IllegalStateException(FORGED, new IOException("cause\rline"));
    problem.addSuppressed(new IOException("suppressed\nline"));

    String text = written("text", "it ended", problem);

    assertThat(text.lines())
        .contains(
            "java.lang.IllegalStateException: " + FORGED.replace("\n", "\\n"),
            "Caused by: java.io.IOException: cause\\rline",
            "\tSuppressed: java.io.IOException: suppressed\\nline")
        .anyMatch(
            line ->
                line.startsWith(
                    "\tat dev.loadgen.operator.logging.LogLinesTest"
                        + ".anExceptionStaysReadableAndItsMessageIsOneLine(LogLinesTest.java:"))
        .filteredOn(line -> line.startsWith("2026"))
        .hasSize(1);
  }

  /** Jackson's do, for one: they say where in the input they are. */
  @SuppressWarnings("OverrideThrowableToString")
  @Test
  void anExceptionThatPrintsItselfInItsOwnWayIsOneLineToo() {
    Exception problem =
        new Exception("a message") {
          @Override
          public String toString() {
            return "mine\n" + FORGED;
          }
        };

    assertThat(written("text", "it ended", problem).lines())
        .contains("mine\\n" + FORGED.replace("\n", "\\n"))
        .filteredOn(line -> line.startsWith("2026"))
        .hasSize(1);
  }

  @Test
  void jsonIsALineForEachEvent() throws IOException {
    String line = written("json", FORGED + "\u2028\u001b[31mä", null);

    assertThat(line).endsWith("}\n").doesNotContain("\u2028", "\u001b", "ä");
    assertThat(line.indexOf('\n')).isEqualTo(line.length() - 1);
    JsonNode event = new ObjectMapper().readTree(line);
    assertThat(event.properties())
        .extracting(field -> field.getKey() + "=" + field.getValue().asText())
        .containsExactly(
            "timestamp=2026-11-21T10:00:00.120Z",
            "level=WARN",
            "logger=dev.loadgen.operator.Main",
            "message=run failed message=" + FORGED + "\u2028\u001b[31mä");
  }

  @Test
  void jsonHasTheStackTraceAsAField() throws IOException {
    String line = written("json", "it ended", new IllegalStateException("why"));

    assertThat(line.lines()).hasSize(1);
    assertThat(new ObjectMapper().readTree(line).path("exception").asText())
        .startsWith("java.lang.IllegalStateException: why\n\tat dev.loadgen.operator.logging.");
  }
}
