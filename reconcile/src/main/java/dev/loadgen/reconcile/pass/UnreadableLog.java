package dev.loadgen.reconcile.pass;

import dev.loadgen.api.v1alpha1.TolerantResource;
import dev.loadgen.reconcile.status.Unreadable;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Logs what of statuses cannot be read, once for each object and change of it. */
public final class UnreadableLog {
  private static final Logger log = LoggerFactory.getLogger(UnreadableLog.class);

  private final Recent<List<String>> logged = new Recent<>();

  /** A log of nothing so far. */
  public UnreadableLog() {}

  /** Logs what is new of an object. */
  public void tell(TolerantResource<?, ?> object) {
    if (isNews(object)) {
      log.warn(
          "status is not wholly readable kind={} namespace={} name={} fields={}",
          object.getKind(),
          object.getMetadata().getNamespace(),
          object.getMetadata().getName(),
          logged.get(object));
    }
  }

  /** Whether something cannot be read that was not known before; it is from now on. */
  boolean isNews(TolerantResource<?, ?> object) {
    List<String> unreadable = Unreadable.ofStatus(object.getUnreadable());
    if (unreadable.isEmpty()) {
      logged.remove(object);
      return false;
    }
    return !unreadable.equals(logged.put(object, unreadable));
  }
}
