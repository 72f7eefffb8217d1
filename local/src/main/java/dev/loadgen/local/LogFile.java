package dev.loadgen.local;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.encoder.PatternLayoutEncoder;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.ConsoleAppender;
import ch.qos.logback.core.FileAppender;
import ch.qos.logback.core.OutputStreamAppender;
import java.nio.file.Path;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Sends the log of this JVM elsewhere, so that the console is the user's. */
final class LogFile {
  private static final String PATTERN = "%d{HH:mm:ss.SSS} %-5level %logger{24} %msg%n";

  private LogFile() {}

  static void open(Path file) {
    FileAppender<ILoggingEvent> appender = new FileAppender<>();
    appender.setFile(file.toString());
    send(appender, PATTERN, Level.INFO);
  }

  /**
   * Sends nothing but warnings to standard error, as of a command that a kubeconfig has started.
   */
  static void warnings() {
    ConsoleAppender<ILoggingEvent> appender = new ConsoleAppender<>();
    appender.setTarget("System.err");
    send(appender, "loadgen: %msg%n", Level.WARN);
  }

  private static void send(
      OutputStreamAppender<ILoggingEvent> appender, String pattern, Level level) {
    if (!(LoggerFactory.getILoggerFactory() instanceof LoggerContext context)) {
      throw new IllegalStateException("the log is not logback's, which this program comes with");
    }
    context.reset();
    PatternLayoutEncoder encoder = new PatternLayoutEncoder();
    encoder.setContext(context);
    encoder.setPattern(pattern);
    encoder.start();
    appender.setContext(context);
    appender.setEncoder(encoder);
    appender.start();
    ch.qos.logback.classic.Logger root = context.getLogger(Logger.ROOT_LOGGER_NAME);
    root.setLevel(level);
    root.addAppender(appender);
  }
}
