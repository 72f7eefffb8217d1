package dev.loadgen.reconcile.status;

import java.util.List;

/** What of an object could not be read, as the object itself tells it. */
public final class Unreadable {
  private Unreadable() {}

  /** The problems of its spec: nothing may be made of it. */
  public static List<String> ofSpec(List<String> unreadable) {
    return unreadable.stream().filter(problem -> problem.startsWith("spec")).toList();
  }

  /** The problems of its status: the rest of it counts. */
  public static List<String> ofStatus(List<String> unreadable) {
    return unreadable.stream().filter(problem -> problem.startsWith("status")).toList();
  }

  /** Whether nothing of its status is left, so that nobody knows what was begun. */
  public static boolean hidesStatus(List<String> unreadable) {
    return unreadable.stream().anyMatch(problem -> problem.startsWith("status:"));
  }
}
