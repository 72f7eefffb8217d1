package dev.loadgen.desired;

import dev.loadgen.api.v1alpha1.InferenceBackend;
import dev.loadgen.api.v1alpha1.InferenceBackendSpec;
import dev.loadgen.api.v1alpha1.InferenceBackendStatus.Endpoint;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.IntStream;

/** Names and base URLs of a backend's servers. */
public final class Endpoints {
  /**
   * What is left out at the end of a base URL: slashes, and the {@code v1} that OpenAI's clients
   * want there and that routes begin with. A host called v1 stays.
   */
  private static final Pattern END = Pattern.compile("(?<![:/])(/+v1)?/*$");

  private Endpoints() {}

  /** The servers of a backend, in order; names of external ones are {@code replica-0} and so on. */
  public static List<Endpoint> of(InferenceBackend backend) {
    InferenceBackendSpec spec = backend.getSpec();
    if (spec.external() != null) {
      List<String> urls = spec.external().urls();
      return IntStream.range(0, urls.size())
          .mapToObj(i -> new Endpoint("replica-" + i, END.matcher(urls.get(i)).replaceFirst("")))
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
