package dev.loadgen.reconcile.access;

import java.net.Inet4Address;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Which servers of {@code spec.external} the operator asks for their health. It asks from its own
 * network with its own addresses, on behalf of whoever may make a backend, so that it must not
 * become a way to what only it reaches.
 *
 * <p>An entry is a host name, {@code *.suffix}, or {@code *} for every name and address; or a
 * network such as {@code 10.1.0.0/16}, or an address. With {@code !} before it, it is refused
 * whatever else is said. A host is asked if its name has an entry and its address is not
 * {@linkplain #reserved reserved}, or if its address is in a network that has an entry: names say
 * what may be asked, and networks alone lift what is reserved, since whoever has a name chooses its
 * address.
 */
public final class ExternalHosts {
  /** The variable of the operator that has the entries, separated by commas. */
  public static final String VARIABLE = "LOADGEN_EXTERNAL_HOSTS";

  private static final Pattern NAME =
      Pattern.compile("(\\*\\.)?[a-z0-9]([a-z0-9.-]*[a-z0-9])?", Pattern.CASE_INSENSITIVE);

  /** Digits and dots or anything with a colon: what is no name, and is not looked up either. */
  private static final Pattern ADDRESS = Pattern.compile("[0-9]+(\\.[0-9]+){3}|[0-9a-fA-F.]*:.*");

  /** Where clouds tell machines who they are, at addresses that are not link-local. */
  private static final Set<InetAddress> METADATA =
      Set.of(
          literal("fd00:ec2::254"), // AWS
          literal("100.100.100.200"), // Alibaba Cloud
          literal("168.63.129.16"), // Azure
          literal("192.0.0.192")); // Oracle Cloud

  /** Every host but those with reserved addresses. */
  public static final ExternalHosts DEFAULT = of(VARIABLE, List.of("*"));

  /** Every host, for an operator that reaches no more than its users do. */
  public static final ExternalHosts ANY = of(VARIABLE, List.of("*", "0.0.0.0/0", "::/0"));

  private final List<String> names;
  private final List<Network> networks;
  private final List<String> refusedNames;
  private final List<Network> refusedNetworks;

  private ExternalHosts(
      List<String> names,
      List<Network> networks,
      List<String> refusedNames,
      List<Network> refusedNetworks) {
    this.names = names;
    this.networks = networks;
    this.refusedNames = refusedNames;
    this.refusedNetworks = refusedNetworks;
  }

  /** Addresses of one length that begin with the same bits. */
  private record Network(InetAddress address, int bits) {
    boolean has(InetAddress other) {
      byte[] these = address.getAddress();
      byte[] those = other.getAddress();
      if (these.length != those.length) {
        return false;
      }
      for (int bit = 0; bit < bits; bit++) {
        int mask = 0x80 >> (bit % 8);
        if ((these[bit / 8] & mask) != (those[bit / 8] & mask)) {
          return false;
        }
      }
      return true;
    }
  }

  /**
   * Reads entries.
   *
   * @param setting where they come from, for the message
   * @throws IllegalArgumentException if one cannot be used; the message names it
   */
  public static ExternalHosts of(String setting, List<String> entries) {
    List<String> refused =
        entries.stream().filter(e -> e.startsWith("!")).map(e -> e.substring(1)).toList();
    List<String> allowed = entries.stream().filter(e -> !e.startsWith("!")).toList();
    return new ExternalHosts(
        names(setting, allowed),
        networks(setting, allowed),
        names(setting, refused),
        networks(setting, refused));
  }

  private static List<String> names(String setting, List<String> entries) {
    List<String> names = entries.stream().filter(entry -> !isNetwork(entry)).toList();
    for (String name : names) {
      if (!name.equals("*") && !NAME.matcher(name).matches()) {
        throw new IllegalArgumentException(
            setting
                + ": "
                + name
                + " is neither *, a host name, *.SUFFIX, an address, nor a network like 10.1.0.0/16");
      }
    }
    return names.stream().map(name -> name.toLowerCase(Locale.ROOT)).toList();
  }

  private static List<Network> networks(String setting, List<String> entries) {
    return entries.stream()
        .filter(ExternalHosts::isNetwork)
        .map(entry -> network(setting, entry))
        .toList();
  }

  private static boolean isNetwork(String entry) {
    return ADDRESS.matcher(entry.replaceFirst("/.*", "")).matches();
  }

  private static Network network(String setting, String entry) {
    String[] parts = entry.split("/", 2);
    try {
      InetAddress address = InetAddress.ofLiteral(parts[0]);
      int most = address.getAddress().length * 8;
      int bits = parts.length == 1 ? most : Integer.parseInt(parts[1]);
      if (bits >= 0 && bits <= most) {
        return new Network(address, bits);
      }
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException(noNetwork(setting, entry), e);
    }
    throw new IllegalArgumentException(noNetwork(setting, entry));
  }

  private static String noNetwork(String setting, String entry) {
    return setting + ": " + entry + " is not an address or a network like 10.1.0.0/16";
  }

  /**
   * Why a host is not asked; empty if it is.
   *
   * @param host as the URL has it
   * @param address that it has at this moment, and is connected to
   * @param reserved what the address is that nobody's servers are at, besides what {@link
   *     #reserved} knows; null: nothing
   */
  public Optional<String> refusal(String host, InetAddress address, @Nullable String reserved) {
    String name = host.toLowerCase(Locale.ROOT);
    if (hasName(refusedNames, name) || has(refusedNetworks, address)) {
      return Optional.of("the operator's settings refuse it");
    }
    if (has(networks, address)) {
      return Optional.empty();
    }
    if (!hasName(names, name)) {
      return Optional.of("the operator's settings do not list it");
    }
    return Optional.ofNullable(reserved).or(() -> reserved(address)).map(what -> "it is " + what);
  }

  /** What an address is, from the point of view of the operator, that is no other server's. */
  private static Optional<String> reserved(InetAddress address) {
    return address.isLoopbackAddress()
        ? Optional.of("an address of the operator itself")
        : address.isAnyLocalAddress()
            ? Optional.of("an address of the operator itself")
            : address.isLinkLocalAddress()
                ? Optional.of("a link-local address, as those where clouds keep credentials")
                : address.isMulticastAddress() || isBroadcast(address)
                    ? Optional.of("an address of many hosts")
                    : METADATA.contains(address)
                        ? Optional.of("an address where a cloud keeps credentials")
                        : embedded(address).flatMap(ExternalHosts::reserved);
  }

  /** 0.0.0.0/8 is "this network"; a connection to it ends on the own host, too. */
  private static boolean isBroadcast(InetAddress address) {
    byte[] bytes = address.getAddress();
    return bytes.length == 4 && (bytes[0] == 0 || bytes[0] == (byte) 255);
  }

  /**
   * The IPv4 address to which a gateway may send on what is for an IPv6 address: IPv4-compatible
   * (RFC 4291, 2.5.5.1), NAT64 (RFC 6052), 6to4 (RFC 3056).
   */
  private static Optional<InetAddress> embedded(InetAddress address) {
    if (address instanceof Inet4Address) {
      return Optional.empty();
    }
    byte[] bytes = address.getAddress();
    int from =
        new Network(literal("64:ff9b::"), 96).has(address) || isCompatible(address)
            ? 12
            : new Network(literal("2002::"), 16).has(address) ? 2 : -1;
    if (from < 0) {
      return Optional.empty();
    }
    try {
      return Optional.of(InetAddress.getByAddress(Arrays.copyOfRange(bytes, from, from + 4)));
    } catch (UnknownHostException e) {
      throw new IllegalStateException("four bytes are an address", e);
    }
  }

  private static boolean isCompatible(InetAddress address) {
    return address instanceof Inet6Address v6 && v6.isIPv4CompatibleAddress();
  }

  private static boolean has(List<Network> networks, InetAddress address) {
    return networks.stream().anyMatch(network -> network.has(address));
  }

  private static boolean hasName(List<String> names, String host) {
    return names.stream()
        .anyMatch(
            name ->
                name.equals("*")
                    || (name.startsWith("*.")
                        ? host.endsWith(name.substring(1))
                        : name.equals(host)));
  }

  private static InetAddress literal(String address) {
    return InetAddress.ofLiteral(address);
  }
}
