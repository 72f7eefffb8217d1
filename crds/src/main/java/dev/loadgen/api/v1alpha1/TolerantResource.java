package dev.loadgen.api.v1alpha1;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import io.fabric8.kubernetes.api.model.Namespaced;
import io.fabric8.kubernetes.client.CustomResource;
import java.util.List;

/**
 * An object of a kind of ours: read whatever is in it, and without a status until somebody has
 * written one.
 *
 * @param <S> its spec
 * @param <T> its status
 */
public abstract class TolerantResource<S, T extends TolerantResource.Observed>
    extends CustomResource<S, T> implements Namespaced {
  /** A status that says which spec it speaks of. */
  public interface Observed {
    /** The generation of the spec; null: it does not say. */
    Long observedGeneration();

    /** What the object is, in a word; null: it does not say. */
    Enum<?> phase();
  }

  private List<String> unreadable = List.of();

  /** Of our kinds alone. */
  TolerantResource() {}

  /**
   * What of the object could not be read, each with its path, its value and what is wrong with it;
   * empty if everything was. It was left out: a spec with such a field is not what was asked for.
   */
  @JsonProperty(KindDeserializer.UNREADABLE)
  @JsonInclude(JsonInclude.Include.NON_EMPTY)
  public List<String> getUnreadable() {
    return unreadable;
  }

  /** Copies the list. */
  final void leftOut(List<String> what) {
    unreadable = List.copyOf(what);
  }

  /**
   * The status; the default of the custom resource, which nobody wrote, is none. One with a phase
   * somebody has written, whichever generation it speaks of.
   */
  @Override
  public void setStatus(T status) {
    boolean unwritten =
        status != null
            && status.phase() == null
            && Generations.isUnobserved(status.observedGeneration());
    super.setStatus(unwritten ? null : status);
  }
}
