package dev.loadgen.operator.logging;

import ch.qos.logback.classic.pattern.ClassicConverter;
import ch.qos.logback.classic.spi.ILoggingEvent;
import java.util.Objects;

/** The message of an event as one line. */
public final class EscapedMessageConverter extends ClassicConverter {
  /** As logback makes it. */
  public EscapedMessageConverter() {}

  @Override
  public String convert(ILoggingEvent event) {
    return Objects.toString(ControlCharacters.escaped(event.getFormattedMessage()));
  }
}
