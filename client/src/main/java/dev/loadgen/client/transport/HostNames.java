package dev.loadgen.client.transport;

import java.net.InetAddress;
import java.net.URI;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import okhttp3.Dns;
import okhttp3.HttpUrl;
import org.jspecify.annotations.Nullable;

/**
 * Resolves host names: given ones first, the system's resolver for all others. A name is looked up
 * once and then kept, since the JDK forgets names after 30 seconds and a second look-up in the
 * middle of a test would be measured as latency; {@link #forget} lets a name be looked up again. A
 * name with several addresses gives them in turn, so that connections go round. Safe for use by
 * many threads.
 */
public final class HostNames implements Dns {
  private final Map<String, List<InetAddress>> given;
  private final Dns system;
  private final Map<String, List<InetAddress>> known = new ConcurrentHashMap<>();
  private final AtomicInteger turn = new AtomicInteger();

  HostNames(Map<String, List<InetAddress>> given, Dns system) {
    this.given = Map.copyOf(given);
    this.system = system;
  }

  /** A resolver alone; {@link #system} has the one of a run. */
  public static HostNames by(Dns resolver) {
    return new HostNames(Map.of(), resolver);
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
    if (addresses != null) {
      return addresses;
    }
    List<InetAddress> found = List.copyOf(system.lookup(host));
    known.put(host, found);
    return inTurn(found);
  }

  /** The addresses of a name if nobody has to be asked; else null. */
  @Nullable List<InetAddress> known(String host) {
    List<InetAddress> addresses = given.get(host);
    if (addresses == null) {
      addresses = known.get(host);
    }
    return addresses == null ? null : inTurn(addresses);
  }

  /**
   * The addresses of a server's name of which each may be a server of its own: those of one family,
   * since a server may well have an address of both.
   *
   * @throws UnknownHostException if the name has none
   */
  public List<InetAddress> alternatives(URI server) throws UnknownHostException {
    HttpUrl url = HttpUrl.get(server);
    List<InetAddress> all = url == null ? List.of() : lookup(url.host());
    return all.subList(0, ofOneFamily(all));
  }

  /** Those of the first's family in turn, the others behind them. */
  private List<InetAddress> inTurn(List<InetAddress> addresses) {
    int count = ofOneFamily(addresses);
    if (count < 2) {
      return addresses;
    }
    List<InetAddress> rotated = new ArrayList<>(addresses);
    Collections.rotate(rotated.subList(0, count), -Math.floorMod(turn.getAndIncrement(), count));
    return rotated;
  }

  /** How many addresses at the beginning are of one family. */
  private static int ofOneFamily(List<InetAddress> addresses) {
    int count = 0;
    while (count < addresses.size()
        && addresses.get(count).getClass() == addresses.getFirst().getClass()) {
      count++;
    }
    return count;
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
