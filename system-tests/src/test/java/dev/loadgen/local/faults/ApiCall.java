package dev.loadgen.local.faults;

import com.sun.net.httpserver.HttpExchange;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;

/**
 * A call of the API server, told apart by what is asked for: the same calls of two runs of one name
 * in two namespaces differ in the namespace alone.
 *
 * @param namespace empty: it is of all namespaces
 * @param verb as Kubernetes names it
 * @param what resource, name and subresource, with slashes in between
 */
record ApiCall(String namespace, String verb, String what) {
  private static final Pattern UID = Pattern.compile("[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}");

  static ApiCall of(HttpExchange exchange) {
    List<String> parts =
        new ArrayList<>(
            Arrays.stream(exchange.getRequestURI().getPath().split("/"))
                .filter(part -> !part.isEmpty())
                .toList());
    // api/v1 or apis/GROUP/VERSION
    parts.subList(0, Math.min(parts.size(), parts.getFirst().equals("api") ? 2 : 3)).clear();
    String namespace = "";
    if (parts.size() > 2 && parts.getFirst().equals("namespaces")) {
      namespace = parts.get(1);
      parts.subList(0, 2).clear();
    }
    boolean one = parts.size() > 1;
    String query = exchange.getRequestURI().getRawQuery();
    boolean watch = query != null && query.matches("(.*&)?watch=(true|1)(&.*)?");
    String verb =
        switch (exchange.getRequestMethod()) {
          case "GET" -> watch ? "watch" : one ? "get" : "list";
          case "POST" -> "create";
          case "PUT" -> "update";
          default -> exchange.getRequestMethod().toLowerCase(Locale.ROOT);
        };
    if (one && parts.getFirst().equals("events")) {
      // Their names tell nothing.
      parts.subList(1, parts.size()).clear();
    }
    return new ApiCall(namespace, verb, UID.matcher(String.join("/", parts)).replaceAll("UID"));
  }

  boolean isWatch() {
    return verb.equals("watch");
  }

  /** Whether it may change something. */
  boolean isWrite() {
    return !isWatch() && !verb.equals("get") && !verb.equals("list");
  }

  /** Without the namespace. */
  @Override
  public String toString() {
    return verb + " " + what;
  }
}
