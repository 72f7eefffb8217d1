package dev.loadgen.client.transport;

import dev.loadgen.client.transport.TransportException.Kind;
import java.io.IOException;
import java.net.BindException;
import java.net.ConnectException;
import java.net.NoRouteToHostException;
import java.net.UnknownHostException;
import javax.net.ssl.SSLException;

/** The same words for the same failure, whichever transport meets it. */
final class FailureMessages {
  private FailureMessages() {}

  static TransportException cancelled(Throwable cause) {
    return new TransportException(Kind.CANCELLED, "cancelled", cause);
  }

  static TransportException cancelled() {
    return new TransportException(Kind.CANCELLED, "cancelled", null);
  }

  /** A bug, of the sink most likely. */
  static TransportException bug(Throwable cause) {
    return new TransportException(Kind.BROKEN, "internal error: " + cause, cause);
  }

  static TransportException notConnected(String host, String authority, IOException cause) {
    String message =
        switch (cause) {
          case UnknownHostException e -> "unknown host " + host;
          case SSLException e -> "no TLS connection to " + authority + " (" + words(e) + ")";
          case NoRouteToHostException e -> "no route to " + authority + " (" + words(e) + ")";
          case ConnectException e when rootWords(e).contains("timed out") ->
              authority + " has not accepted the connection (" + rootWords(e) + ")";
          case ConnectException e -> authority + " refused the connection (" + rootWords(e) + ")";
          case BindException e ->
              ("no local port for a connection to %s (%s): lower spec.client.maxConcurrency, or"
                      + " widen net.ipv4.ip_local_port_range")
                  .formatted(authority, words(e));
          default ->
              words(cause).contains("Too many open files")
                  ? "too many open files for a connection to " + authority + ": raise ulimit -n"
                  : "no connection to " + authority + " (" + words(cause) + ")";
        };
    return new TransportException(Kind.CONNECT, message, cause);
  }

  /**
   * A connection that broke.
   *
   * @param answered whether the status had arrived
   */
  static TransportException broken(String authority, boolean answered, IOException cause) {
    String what =
        answered
            ? "the connection to " + authority + " broke in the middle of the answer"
            : authority + " closed the connection without an answer";
    return new TransportException(Kind.BROKEN, what + " (" + words(cause) + ")", cause);
  }

  /** An answer that breaks the rules of HTTP. */
  static TransportException notHttp(String authority, IOException cause) {
    return new TransportException(
        Kind.BROKEN, authority + " sent what is not HTTP/1.1 (" + words(cause) + ")", cause);
  }

  private static String rootWords(Throwable cause) {
    Throwable root = cause;
    while (root.getCause() != null) {
      root = root.getCause();
    }
    return words(root);
  }

  private static String words(Throwable cause) {
    String message = cause.getMessage();
    return message == null ? cause.getClass().getSimpleName() : message;
  }
}
