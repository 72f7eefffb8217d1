package dev.loadgen.runner.host;

import com.sun.management.GarbageCollectionNotificationInfo;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.util.List;
import javax.management.ListenerNotFoundException;
import javax.management.Notification;
import javax.management.NotificationEmitter;
import javax.management.NotificationListener;
import javax.management.openmbean.CompositeData;

/**
 * Garbage collections since the beginning that stopped all threads. Collectors that work beside the
 * program report their cycles apart from their pauses; cycles do not count.
 */
final class GcPauses implements AutoCloseable {
  private final List<GarbageCollectorMXBean> collectors =
      ManagementFactory.getGarbageCollectorMXBeans().stream()
          .filter(collector -> !collector.getName().endsWith("Cycles"))
          .toList();
  private final NotificationListener listener = (notification, handback) -> heard(notification);
  private final long millisAtBegin = millis();
  private final long countAtBegin = count();
  private volatile long longestMillis;

  GcPauses() {
    for (GarbageCollectorMXBean collector : collectors) {
      if (collector instanceof NotificationEmitter emitter) {
        emitter.addNotificationListener(listener, null, null);
      }
    }
  }

  private void heard(Notification notification) {
    if (notification
        .getType()
        .equals(GarbageCollectionNotificationInfo.GARBAGE_COLLECTION_NOTIFICATION)) {
      paused(
          GarbageCollectionNotificationInfo.from((CompositeData) notification.getUserData())
              .getGcInfo()
              .getDuration());
    }
  }

  private synchronized void paused(long millis) {
    longestMillis = Math.max(longestMillis, millis);
  }

  /** Milliseconds of all pauses. */
  long totalMillis() {
    return millis() - millisAtBegin;
  }

  /** How many there were. */
  long pauses() {
    return count() - countAtBegin;
  }

  /** Milliseconds of the longest. */
  long longestMillis() {
    return longestMillis;
  }

  private long millis() {
    return collectors.stream()
        .mapToLong(GarbageCollectorMXBean::getCollectionTime)
        .filter(millis -> millis > 0)
        .sum();
  }

  private long count() {
    return collectors.stream()
        .mapToLong(GarbageCollectorMXBean::getCollectionCount)
        .filter(count -> count > 0)
        .sum();
  }

  @Override
  public void close() {
    for (GarbageCollectorMXBean collector : collectors) {
      if (collector instanceof NotificationEmitter emitter) {
        try {
          emitter.removeNotificationListener(listener);
        } catch (ListenerNotFoundException e) {
          // It was never added, or is gone already; either way nobody listens any more.
        }
      }
    }
  }
}
