package dev.loadgen.reconcile.events;

/**
 * Something that happened to an object, for {@code kubectl describe}.
 *
 * @param reason a constant of {@code Reasons} or {@code EventReasons}
 */
public record ObjectEvent(Type type, String reason, String message) {
  /** What an Event asks of its reader. */
  public enum Type {
    /** Nothing. */
    NORMAL("Normal"),
    /** To look. */
    WARNING("Warning");

    private final String text;

    Type(String text) {
      this.text = text;
    }

    /** As Kubernetes spells it. */
    String text() {
      return text;
    }
  }

  /** An Event that asks for nothing. */
  public static ObjectEvent normal(String reason, String message) {
    return new ObjectEvent(Type.NORMAL, reason, message);
  }

  /** An Event that somebody should look at. */
  public static ObjectEvent warning(String reason, String message) {
    return new ObjectEvent(Type.WARNING, reason, message);
  }
}
