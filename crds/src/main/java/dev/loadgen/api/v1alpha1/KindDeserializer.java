package dev.loadgen.api.v1alpha1;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.databind.DeserializationContext;
import com.fasterxml.jackson.databind.JsonDeserializer;
import com.fasterxml.jackson.databind.JsonNode;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Supplier;

/**
 * Reads an object of a kind of ours, whatever is in its spec and its status. An informer that meets
 * an object that cannot be read ends the operator, and with it the runs of everybody else; so what
 * cannot be read is left out, and told by {@link #UNREADABLE}. Annotates the kinds themselves, so
 * that there is no client that reads in another way.
 */
abstract class KindDeserializer<
        K extends TolerantResource<S, T>, S, T extends TolerantResource.Observed>
    extends JsonDeserializer<K> {
  /**
   * The property by which an object tells what of it could not be read. It is in no schema: the API
   * server drops it, so that nobody can write it, and it lasts through copies made by way of JSON.
   */
  static final String UNREADABLE = "unreadable";

  private final Supplier<K> made;
  private final Class<S> spec;
  private final Class<T> status;

  /**
   * For one kind.
   *
   * @param made makes an object without anything
   */
  KindDeserializer(Supplier<K> made, Class<S> spec, Class<T> status) {
    this.made = made;
    this.spec = spec;
    this.status = status;
  }

  @Override
  public final K deserialize(JsonParser parser, DeserializationContext context) throws IOException {
    JsonNode tree = context.readTree(parser);
    List<String> unreadable = new ArrayList<>();
    tree.path(UNREADABLE).forEach(problem -> unreadable.add(problem.asText()));
    S readSpec = TolerantReading.spec(tree.path("spec"), spec, unreadable);
    T readStatus = TolerantReading.status(tree.path("status"), status, unreadable);
    K kind = made.get();
    kind.leftOut(unreadable);
    if (tree.path("metadata").isObject()) {
      kind.setMetadata(
          Objects.requireNonNull(context.readTreeAsValue(tree.path("metadata"), ObjectMeta.class)));
    }
    kind.setSpec(readSpec);
    kind.setStatus(readStatus);
    return kind;
  }
}
