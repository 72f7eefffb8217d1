package dev.loadgen.runner;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.encoder.PatternLayoutEncoder;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.FileAppender;
import java.nio.file.Path;
import org.slf4j.LoggerFactory;

/** {@code runner.log} in the results folder: what the console shows, with full times. */
final class RunLog implements AutoCloseable {
  private final FileAppender<ILoggingEvent> appender;

  private RunLog(FileAppender<ILoggingEvent> appender) {
    this.appender = appender;
  }

  static RunLog open(Path file) {
    LoggerContext context = (LoggerContext) LoggerFactory.getILoggerFactory();
    PatternLayoutEncoder encoder = new PatternLayoutEncoder();
    encoder.setContext(context);
    encoder.setPattern("%d{yyyy-MM-dd'T'HH:mm:ss.SSSXXX} %-5level %msg%n");
    encoder.start();
    FileAppender<ILoggingEvent> appender = new FileAppender<>();
    appender.setContext(context);
    appender.setFile(file.toString());
    appender.setEncoder(encoder);
    appender.start();
    root(context).addAppender(appender);
    return new RunLog(appender);
  }

  @Override
  public void close() {
    root((LoggerContext) LoggerFactory.getILoggerFactory()).detachAppender(appender);
    appender.stop();
  }

  private static Logger root(LoggerContext context) {
    return context.getLogger(org.slf4j.Logger.ROOT_LOGGER_NAME);
  }
}
