package dev.loadgen.simulator;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The refusals that come before a route, as FastAPI words them. */
final class Routing {

  private Routing() {}

  /** Answers requests for unknown paths and with wrong methods. True when it did. */
  static boolean refuses(Exchange exchange, Map<String, Set<String>> routes) throws IOException {
    Set<String> methods = routes.get(exchange.request().path());
    if (methods == null) {
      exchange.send(404, Json.TYPE, detail("Not Found"));
      return true;
    }
    if (!methods.contains(exchange.request().method())) {
      exchange.send(
          405,
          Json.TYPE,
          detail("Method Not Allowed"),
          Map.of("allow", String.join(", ", methods.stream().sorted().toList())));
      return true;
    }
    return false;
  }

  /** Answers requests that do not bear the key, if there is one. True when it did. */
  static boolean unauthorized(Exchange exchange, @Nullable String key) throws IOException {
    if (key == null) {
      return false;
    }
    String given = exchange.request().header("authorization");
    byte[] expected = ("Bearer " + key).getBytes(StandardCharsets.UTF_8);
    if (given != null
        && MessageDigest.isEqual(expected, given.getBytes(StandardCharsets.ISO_8859_1))) {
      return false;
    }
    exchange.send(401, Json.TYPE, Json.bytes(Json.object().put("error", "Unauthorized")));
    return true;
  }

  private static byte[] detail(String text) {
    return Json.bytes(Json.object().put("detail", text));
  }
}
