package dev.loadgen.local.faults;

import com.sun.net.httpserver.Filter;
import com.sun.net.httpserver.HttpExchange;
import java.io.IOException;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** Tells operators apart by the name that their client gives itself; others go by untouched. */
final class Lines extends Filter {
  private final Map<String, Line> lines = new ConcurrentHashMap<>();

  /** Has the calls of a client go through a line from now on. */
  void add(String userAgent, Line line) {
    lines.put(userAgent, line);
  }

  @Override
  public void doFilter(HttpExchange exchange, Chain chain) throws IOException {
    String userAgent = exchange.getRequestHeaders().getFirst("User-Agent");
    Line line = userAgent == null ? null : lines.get(userAgent);
    if (line == null) {
      chain.doFilter(exchange);
    } else {
      line.serve(exchange, chain);
    }
  }

  @Override
  public String description() {
    return "faults of the API server";
  }
}
