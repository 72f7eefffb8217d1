package dev.loadgen.desired;

import dev.loadgen.api.v1alpha1.InferenceBackend;
import dev.loadgen.api.v1alpha1.InferenceBackendSpec;
import dev.loadgen.api.v1alpha1.InferenceBackendStatus.Endpoint;
import java.util.List;
import java.util.stream.IntStream;

/** Names and base URLs of a backend's servers. */
public final class Endpoints {
  private Endpoints() {}

  /** The servers of a backend, in order; names of external ones are {@code replica-0} and so on. */
  public static List<Endpoint> of(InferenceBackend backend) {
    InferenceBackendSpec spec = backend.getSpec();
    if (spec.external() != null) {
      List<String> urls = spec.external().urls();
      return IntStream.range(0, urls.size())
          .mapToObj(i -> new Endpoint("replica-" + i, urls.get(i).replaceAll("/+$", "")))
          .toList();
    }
    String name = backend.getMetadata().getName();
    String namespace = backend.getMetadata().getNamespace();
    return IntStream.range(0, spec.replicasOrDefault())
        .mapToObj(
            i -> {
              String server = Names.server(name, i);
              String host = server + "." + name + "." + namespace + ".svc";
              return new Endpoint(server, "http://" + host + ":" + spec.portOrDefault());
            })
        .toList();
  }
}
