package dev.loadgen.reconcile.pass;

import io.fabric8.kubernetes.api.model.HasMetadata;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.event.Level;

/**
 * A line of the log about an object: what has happened, the object, and what more there is to say.
 *
 * @param fields values by their names, in the order of the line
 */
public record LogLine(Level level, String event, List<Field> fields) {
  /** A value and its name. */
  public record Field(String name, @Nullable Object value) {}

  /** A line for people who follow what the operator does. */
  public static LogLine info(String event) {
    return new LogLine(Level.INFO, event, List.of());
  }

  /** A line for those who look for a fault. */
  public static LogLine debug(String event) {
    return new LogLine(Level.DEBUG, event, List.of());
  }

  /** The same with one value more. */
  public LogLine with(String name, @Nullable Object value) {
    List<Field> more = new ArrayList<>(fields);
    more.add(new Field(name, value));
    return new LogLine(level, event, List.copyOf(more));
  }

  /** The same with a reason, and that in words. */
  public LogLine because(String reason, String message) {
    return with("reason", reason).with("message", message);
  }

  /**
   * Writes the line.
   *
   * @param kind the name of the field that has the object's name
   */
  public void write(Logger log, String kind, HasMetadata object) {
    StringBuilder format =
        new StringBuilder(event).append(" namespace={} ").append(kind).append("={}");
    List<@Nullable Object> values = new ArrayList<>();
    values.add(object.getMetadata().getNamespace());
    values.add(object.getMetadata().getName());
    for (Field field : fields) {
      format.append(' ').append(field.name()).append("={}");
      values.add(field.value());
    }
    log.atLevel(level).log(format.toString(), values.toArray());
  }
}
