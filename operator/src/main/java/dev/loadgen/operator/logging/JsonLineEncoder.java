package dev.loadgen.operator.logging;

import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.IThrowableProxy;
import ch.qos.logback.classic.spi.ThrowableProxyUtil;
import ch.qos.logback.core.encoder.EncoderBase;
import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonFactoryBuilder;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.json.JsonWriteFeature;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;

/**
 * Each event as a line of JSON: {@code timestamp} in UTC as ISO 8601, {@code level}, {@code
 * logger}, {@code message}, and {@code exception} with its stack trace if there is one. Logback's
 * own encoder has times as numbers, and a message apart from its arguments.
 *
 * <p>All but ASCII is escaped, so that a line stays one for whoever counts U+2028 as its end.
 */
public final class JsonLineEncoder extends EncoderBase<ILoggingEvent> {
  private static final byte[] NOTHING = {};
  private static final DateTimeFormatter TIMESTAMP =
      DateTimeFormatter.ofPattern("yyyy-MM-dd'T'HH:mm:ss.SSSXXX").withZone(ZoneOffset.UTC);
  private static final JsonFactory JSON =
      new JsonFactoryBuilder().enable(JsonWriteFeature.ESCAPE_NON_ASCII).build();

  /** As logback makes it. */
  public JsonLineEncoder() {}

  @Override
  public byte[] headerBytes() {
    return NOTHING;
  }

  @Override
  public byte[] encode(ILoggingEvent event) {
    ByteArrayOutputStream line = new ByteArrayOutputStream();
    try (JsonGenerator json = JSON.createGenerator(line)) {
      json.writeStartObject();
      json.writeStringField(
          "timestamp", TIMESTAMP.format(Instant.ofEpochMilli(event.getTimeStamp())));
      json.writeStringField("level", event.getLevel().toString());
      json.writeStringField("logger", event.getLoggerName());
      json.writeStringField("message", event.getFormattedMessage());
      IThrowableProxy exception = event.getThrowableProxy();
      if (exception != null) {
        json.writeStringField("exception", ThrowableProxyUtil.asString(exception));
      }
      json.writeEndObject();
      json.writeRaw('\n');
    } catch (IOException e) {
      throw new UncheckedIOException(e); // it writes to memory
    }
    return line.toByteArray();
  }

  @Override
  public byte[] footerBytes() {
    return NOTHING;
  }
}
