package dev.loadgen.client;

/** A server that does not answer what it is asked; the message names the URL and what came. */
public final class ServerProbeException extends Exception {
  private static final long serialVersionUID = 1;

  public ServerProbeException(String message) {
    super(message);
  }

  public ServerProbeException(String message, Throwable cause) {
    super(message, cause);
  }
}
