package dev.loadgen.client.transport;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Connections of one loop that carry nothing, by origin. The one that was used last is taken first,
 * so that what is not needed grows old and is closed. One thread.
 */
final class IdleConnections {
  private final Map<Target.Origin, Deque<Connection>> byOrigin = new HashMap<>();

  /** Counts those that a server has closed meanwhile, too. */
  private int size;

  boolean isEmpty() {
    return size == 0;
  }

  void add(Connection connection) {
    byOrigin
        .computeIfAbsent(connection.origin(), ignored -> new ArrayDeque<>())
        .addFirst(connection);
    size++;
  }

  /** Removes and returns the connection that was used last; null if there is none. */
  @Nullable Connection take(Target.Origin origin) {
    Deque<Connection> idle = byOrigin.get(origin);
    if (idle == null) {
      return null;
    }
    Connection connection = idle.pollFirst();
    while (connection != null) {
      size--;
      if (connection.isOpen()) {
        return connection;
      }
      connection = idle.pollFirst();
    }
    return null;
  }

  /** Closes those that have been idle since {@code nanoTime} or before. */
  void closeIdleSince(long nanoTime) {
    for (Deque<Connection> idle : byOrigin.values()) {
      for (Connection oldest = idle.peekLast();
          oldest != null && (oldest.idleSince() - nanoTime <= 0 || !oldest.isOpen());
          oldest = idle.peekLast()) {
        idle.removeLast();
        size--;
        oldest.close();
      }
    }
  }

  void closeAll() {
    byOrigin.values().forEach(idle -> idle.forEach(Connection::close));
    byOrigin.clear();
    size = 0;
  }
}
