package dev.loadgen.local.faults;

import dev.loadgen.desired.Epochs;
import dev.loadgen.desired.Labels;
import dev.loadgen.desired.RunnerObjects;
import dev.loadgen.reconcile.status.PodReport;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Pod;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * What there is in a namespace, and what there has ever been, as watches see it that no fault
 * touches. Thread-safe.
 */
final class History {
  // Guarded by this.
  private final Map<String, HasMetadata> present = new TreeMap<>();
  private final Map<String, HasMetadata> ever = new TreeMap<>();
  private final List<String> wrongs = new ArrayList<>();
  private boolean deleting;

  /** Objects go in any order from now on, as garbage collection comes to them. */
  synchronized void beginDeletion() {
    deleting = true;
  }

  synchronized void seen(HasMetadata object) {
    present.put(key(object), object);
    ever.put(object.getMetadata().getUid(), object);
    if (object instanceof Pod pod) {
      look(pod);
    }
    notifyAll();
  }

  synchronized void gone(HasMetadata object) {
    present.computeIfPresent(
        key(object),
        (key, there) ->
            there.getMetadata().getUid().equals(object.getMetadata().getUid()) ? null : there);
    if (object instanceof Pod pod) {
      look(pod);
    }
    notifyAll();
  }

  /** What must not be at any moment. */
  private void look(Pod changed) {
    List<PodReport> atWork =
        reports(Labels.RUNNER)
            .filter(pod -> pod.alive() && pod.terminated().isEmpty() && !pod.beingDeleted())
            .toList();
    String backend = label(changed, Labels.BACKEND);
    List<PodReport> onBackend =
        atWork.stream().filter(pod -> Objects.equals(backend, pod.label(Labels.BACKEND))).toList();
    if (onBackend.size() > 1) {
      wrongs.add("runners at once on one backend: " + names(onBackend));
    }
    boolean server = Labels.SERVER.equals(label(changed, Labels.COMPONENT));
    boolean going =
        changed.getMetadata().getDeletionTimestamp() != null || !present.containsKey(key(changed));
    if (server && going && !deleting && onBackend.stream().anyMatch(PodReport::running)) {
      wrongs.add("server " + changed.getMetadata().getName() + " goes under " + names(onBackend));
    }
  }

  private static List<String> names(List<PodReport> pods) {
    return pods.stream().map(PodReport::name).toList();
  }

  private Stream<PodReport> reports(String component) {
    return present.values().stream()
        .filter(object -> object instanceof Pod)
        .map(Pod.class::cast)
        .filter(pod -> component.equals(label(pod, Labels.COMPONENT)))
        .map(
            pod ->
                new PodReport(
                    pod, component.equals(Labels.RUNNER) ? RunnerObjects.CONTAINER : "server"));
  }

  /** What should not have been, so far. */
  synchronized List<String> wrongs() {
    return List.copyOf(wrongs);
  }

  synchronized <T extends HasMetadata> Optional<T> find(Class<T> kind, String name) {
    return Optional.ofNullable(present.get(HasMetadata.getKind(kind) + "/" + name)).map(kind::cast);
  }

  /** Kind and name of all that is there. */
  synchronized List<String> objects() {
    return List.copyOf(present.keySet());
  }

  /** Whether there is nothing of some kinds. */
  synchronized boolean isWithout(String... kinds) {
    return Stream.of(kinds)
        .noneMatch(kind -> present.keySet().stream().anyMatch(key -> key.startsWith(kind + "/")));
  }

  /** Whether the pods of a component have all ended, or gone. */
  synchronized boolean haveEnded(String component) {
    return reports(component).noneMatch(PodReport::alive);
  }

  /** How many objects were ever made, by kind, run and start of the test; servers by kind alone. */
  synchronized Map<String, Integer> made() {
    Map<String, Integer> made = new TreeMap<>();
    ever.values().forEach(object -> made.merge(kindOf(object), 1, Integer::sum));
    return made;
  }

  private static String kindOf(HasMetadata object) {
    String component = label(object, Labels.COMPONENT);
    String run = label(object, Labels.RUN);
    StringBuilder kind = new StringBuilder(object.getKind());
    if (Labels.SERVER.equals(component)) {
      return kind.append(" of servers").toString();
    }
    if (run != null) {
      kind.append(" of ").append(run);
    }
    if (label(object, Labels.EPOCH) != null) {
      kind.append(", start ").append(Epochs.of(object));
    }
    return kind.toString();
  }

  private static @Nullable String label(HasMetadata object, String label) {
    Map<String, String> labels = object.getMetadata().getLabels();
    return labels == null ? null : labels.get(label);
  }

  private static String key(HasMetadata object) {
    return object.getKind() + "/" + object.getMetadata().getName();
  }

  /**
   * Waits until something holds.
   *
   * @param what for the message
   */
  synchronized void await(String what, Duration atMost, Predicate<History> condition)
      throws InterruptedException {
    long end = System.nanoTime() + atMost.toNanos();
    while (!condition.test(this)) {
      long left = (end - System.nanoTime()) / 1_000_000;
      if (left <= 0) {
        throw new AssertionError(
            "not within " + atMost + ": " + what + "; there is " + present.keySet());
      }
      wait(left);
    }
  }
}
