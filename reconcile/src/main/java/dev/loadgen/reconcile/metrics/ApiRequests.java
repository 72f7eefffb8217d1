package dev.loadgen.reconcile.metrics;

import io.fabric8.kubernetes.client.http.BasicBuilder;
import io.fabric8.kubernetes.client.http.HttpRequest;
import io.fabric8.kubernetes.client.http.Interceptor;
import java.net.URI;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Counts what the operator asks of the API server, by verb and resource. */
public final class ApiRequests implements Interceptor {
  private final OperatorMetrics metrics;

  /** Counts into some metrics. */
  public ApiRequests(OperatorMetrics metrics) {
    this.metrics = metrics;
  }

  @Override
  public void before(BasicBuilder builder, HttpRequest request, RequestTags tags) {
    Call call = Call.of(request.method(), request.uri());
    metrics.apiRequest(call.verb(), call.resource());
  }

  /**
   * A request as roles name it.
   *
   * @param resource with its subresource, and without the names of namespace and object
   */
  record Call(String verb, String resource) {
    static Call of(String method, URI uri) {
      List<String> path = List.of(uri.getPath().split("/", -1));
      // /api/v1/... or /apis/GROUP/VERSION/...
      int core = path.indexOf("api");
      int groups = path.indexOf("apis");
      boolean ofGroup = groups >= 0 && (core < 0 || groups < core);
      int first = ofGroup ? groups + 3 : core + 2;
      if ((!ofGroup && core < 0) || path.size() <= first) {
        return new Call("get", "other");
      }
      boolean inNamespace = path.get(first).equals("namespaces") && path.size() > first + 2;
      int at = inNamespace ? first + 2 : first;
      String resource = path.get(at) + (path.size() > at + 2 ? "/" + path.get(at + 2) : "");
      boolean one = path.size() > at + 1;
      return new Call(verb(method, one, uri.getQuery()), resource);
    }

    private static String verb(String method, boolean one, @Nullable String query) {
      return switch (method) {
        case "POST" -> "create";
        case "PUT" -> "update";
        case "PATCH" -> "patch";
        case "DELETE" -> "delete";
        default -> {
          if (query != null && query.contains("watch=true")) {
            yield "watch";
          }
          yield one ? "get" : "list";
        }
      };
    }
  }
}
