package dev.loadgen.client.transport;

import java.net.Proxy;
import java.net.ProxySelector;
import java.net.URI;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Which transport carries a test. One carries all of it, so that the warm-up warms what is
 * measured.
 *
 * @param kind its implementation
 * @param eventLoops threads of the event loops; 0 for OkHttp
 * @param reason why, for a person
 */
public record TransportChoice(Kind kind, int eventLoops, String reason) {
  /** Forces an implementation: {@code okhttp} or {@code eventloop}. */
  public static final String KIND_PROPERTY = "loadgen.transport";

  /** Forces the number of event loops. */
  public static final String LOOPS_PROPERTY = "loadgen.eventLoops";

  /**
   * Carries nearly twice the tokens of the largest result that was published, 1.1 million a second,
   * with each token an event of its own: docs/performance.md has what a loop carries.
   */
  private static final int MAX_LOOPS = 32;

  /** The implementations of {@link Transport}. */
  public enum Kind {
    /** {@link EventLoopTransport}. */
    EVENT_LOOP,
    /** {@link OkHttpTransport}. */
    OKHTTP
  }

  /**
   * Chooses: event loops where every server is reached by plain HTTP and directly, else OkHttp.
   *
   * @param servers base URLs
   * @param proxies the JVM's
   * @param forcedKind value of {@link #KIND_PROPERTY}; null if it is not set
   * @param forcedLoops value of {@link #LOOPS_PROPERTY}; null if it is not set
   * @param processors that the JVM may use
   * @throws IllegalArgumentException if a property is not one of its values, or cannot work here;
   *     the message names it
   */
  public static TransportChoice choose(
      List<URI> servers,
      @Nullable ProxySelector proxies,
      @Nullable String forcedKind,
      @Nullable String forcedLoops,
      int processors) {
    int loops = forcedLoops == null ? loops(processors) : parseLoops(forcedLoops);
    String obstacle = obstacle(servers, proxies);
    return switch (forcedKind) {
      case "okhttp" -> new TransportChoice(Kind.OKHTTP, 0, "-D" + KIND_PROPERTY);
      case "eventloop" -> {
        if (obstacle != null) {
          throw new IllegalArgumentException(
              "-D" + KIND_PROPERTY + "=eventloop, but " + obstacle + ", which needs okhttp");
        }
        yield new TransportChoice(Kind.EVENT_LOOP, loops, "-D" + KIND_PROPERTY);
      }
      case null ->
          obstacle == null
              ? new TransportChoice(Kind.EVENT_LOOP, loops, "every server is reached by plain HTTP")
              : new TransportChoice(Kind.OKHTTP, 0, obstacle);
      default ->
          throw new IllegalArgumentException(
              "-D" + KIND_PROPERTY + "=" + forcedKind + ": okhttp or eventloop");
    };
  }

  /** Opens it: a transport that finds hosts by {@code names} and is let in by {@code access}. */
  public Transport open(HostNames names, Access access) {
    return switch (kind) {
      case EVENT_LOOP -> new EventLoopTransport(names, access, eventLoops);
      case OKHTTP -> new OkHttpTransport(names, access);
    };
  }

  /** Half of the processors: LoadGen, the compiler and the garbage collector need theirs. */
  private static int loops(int processors) {
    return Math.clamp(processors / 2, 1, MAX_LOOPS);
  }

  private static int parseLoops(String text) {
    try {
      int loops = Integer.parseInt(text);
      if (loops >= 1 && loops <= 256) {
        return loops;
      }
    } catch (NumberFormatException e) {
      // Refused below, as a number out of range is.
    }
    throw new IllegalArgumentException(
        "-D" + LOOPS_PROPERTY + "=" + text + ": a number from 1 to 256");
  }

  /** What the event loops cannot do for these servers; null if there is nothing. */
  private static @Nullable String obstacle(List<URI> servers, @Nullable ProxySelector proxies) {
    for (URI server : servers) {
      if (!"http".equalsIgnoreCase(server.getScheme())) {
        return server + " is not plain HTTP";
      }
      if (proxies != null && proxies.select(server).stream().anyMatch(TransportChoice::isProxy)) {
        return server + " is behind a proxy";
      }
    }
    return null;
  }

  private static boolean isProxy(Proxy proxy) {
    return proxy.type() != Proxy.Type.DIRECT;
  }
}
