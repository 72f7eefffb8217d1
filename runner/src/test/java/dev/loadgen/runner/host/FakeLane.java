package dev.loadgen.runner.host;

import dev.loadgen.client.transport.Lane;
import java.util.ArrayDeque;
import java.util.OptionalLong;
import java.util.Queue;

/** A lane that runs what it is given when a test says so, or at once. */
final class FakeLane implements Lane {
  private final String name;
  private final boolean atOnce;
  private final Queue<Runnable> tasks = new ArrayDeque<>();

  /** For how long it has had nothing to do; null: it does not know. */
  @org.jspecify.annotations.Nullable Long idle;

  FakeLane(String name, boolean atOnce) {
    this.name = name;
    this.atOnce = atOnce;
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public void execute(Runnable task) {
    if (atOnce) {
      task.run();
    } else {
      tasks.add(task);
    }
  }

  @Override
  public OptionalLong idleNanos() {
    return idle == null ? OptionalLong.empty() : OptionalLong.of(idle);
  }

  /** Runs all that it was given. */
  void runAll() {
    for (Runnable task = tasks.poll(); task != null; task = tasks.poll()) {
      task.run();
    }
  }
}
