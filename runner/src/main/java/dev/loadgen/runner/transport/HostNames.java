package dev.loadgen.runner.transport;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import okhttp3.Dns;
import org.jspecify.annotations.Nullable;

/**
 * Resolves host names: given ones first, the system's resolver for all others. A name is looked up
 * once and then kept, since the JDK forgets names after 30 seconds and a second look-up in the
 * middle of a test would be measured as latency; {@link #forget} lets a name be looked up again.
 * Safe for use by many threads.
 */
public final class HostNames implements Dns {
  private final Map<String, List<InetAddress>> given;
  private final Dns system;
  private final Map<String, List<InetAddress>> known = new ConcurrentHashMap<>();

  HostNames(Map<String, List<InetAddress>> given, Dns system) {
    this.given = Map.copyOf(given);
    this.system = system;
  }

  /** The system's resolver alone. */
  public static HostNames system() {
    return new HostNames(Map.of(), Dns.SYSTEM);
  }

  /**
   * Reads names in the manner of curl's {@code --resolve}: {@code HOST:PORT:ADDRESS}, separated by
   * commas; an IPv6 address may stand in brackets. A host has one address, whatever the port.
   *
   * @param resolve the value of {@code LOADGEN_RESOLVE}; empty gives no names
   * @throws IllegalArgumentException naming the entry that cannot be used
   */
  public static HostNames parse(String resolve) {
    Map<String, List<InetAddress>> given = new ConcurrentHashMap<>();
    for (String part : resolve.split(",", -1)) {
      String entry = part.strip();
      if (entry.isEmpty()) {
        continue;
      }
      String[] fields = entry.split(":", 3);
      if (fields.length < 3 || fields[0].isEmpty() || !isPort(fields[1])) {
        throw new IllegalArgumentException(
            "LOADGEN_RESOLVE: \"" + entry + "\" is not HOST:PORT:ADDRESS");
      }
      List<InetAddress> address = List.of(literal(entry, fields[2]));
      List<InetAddress> before = given.putIfAbsent(fields[0], address);
      if (before != null && !before.equals(address)) {
        throw new IllegalArgumentException(
            "LOADGEN_RESOLVE: \"" + entry + "\" gives a second address to " + fields[0]);
      }
    }
    return new HostNames(given, Dns.SYSTEM);
  }

  @Override
  public List<InetAddress> lookup(String host) throws UnknownHostException {
    List<InetAddress> addresses = known(host);
    if (addresses == null) {
      addresses = List.copyOf(system.lookup(host));
      known.put(host, addresses);
    }
    return addresses;
  }

  /** The addresses of a name if nobody has to be asked; else null. */
  @Nullable List<InetAddress> known(String host) {
    List<InetAddress> addresses = given.get(host);
    return addresses != null ? addresses : known.get(host);
  }

  /** Lets the next look-up of a name ask the system again; given names stay. */
  void forget(String host) {
    known.remove(host);
  }

  private static boolean isPort(String text) {
    try {
      int port = Integer.parseInt(text);
      return port > 0 && port < 65536;
    } catch (NumberFormatException e) {
      return false;
    }
  }

  private static InetAddress literal(String entry, String text) {
    boolean bracketed = text.startsWith("[") && text.endsWith("]");
    String address = bracketed ? text.substring(1, text.length() - 1) : text;
    try {
      return InetAddress.ofLiteral(address);
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException(
          "LOADGEN_RESOLVE: the address of \"" + entry + "\" is not an IP address", e);
    }
  }
}
