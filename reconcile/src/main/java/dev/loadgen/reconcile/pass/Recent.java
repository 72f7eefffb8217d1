package dev.loadgen.reconcile.pass;

import io.fabric8.kubernetes.api.model.HasMetadata;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Something remembered of objects. Nobody says when an object is gone, so of more than some
 * thousands the one that was used least lately is forgotten; and all are by a restart.
 */
public final class Recent<V> {
  private static final int MOST = 20_000;

  private final Map<String, V> values =
      new LinkedHashMap<>(16, 0.75f, true) {
        private static final long serialVersionUID = 1;

        @Override
        protected boolean removeEldestEntry(Map.Entry<String, V> eldest) {
          return size() > MOST;
        }
      };

  /** A memory of nothing. */
  public Recent() {}

  /** What is remembered of an object, of its UID; null: nothing. */
  public synchronized @Nullable V get(HasMetadata object) {
    return values.get(key(object));
  }

  /** Remembers; returns what was remembered before. */
  public synchronized @Nullable V put(HasMetadata object, V value) {
    return values.put(key(object), value);
  }

  /** Forgets. */
  public synchronized void remove(HasMetadata object) {
    values.remove(key(object));
  }

  private static String key(HasMetadata object) {
    return String.valueOf(object.getMetadata().getUid());
  }
}
