package dev.loadgen.reconcile.status;

import io.fabric8.kubernetes.api.model.Condition;
import io.fabric8.kubernetes.api.model.ConditionBuilder;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Makes and reads conditions, after the conventions of the Kubernetes API. */
public final class Conditions {
  /** The longest message, in characters: longer ones would fill tables and etcd. */
  public static final int MESSAGE_LENGTH = 4_096;

  private static final String TRUE = "True";
  private static final String FALSE = "False";

  private Conditions() {}

  /** A condition that holds; its transition time is set by {@link #merge}. */
  public static Condition yes(String type, String reason, String message) {
    return condition(type, TRUE, reason, message);
  }

  /** A condition that does not hold; its transition time is set by {@link #merge}. */
  public static Condition no(String type, String reason, String message) {
    return condition(type, FALSE, reason, message);
  }

  private static Condition condition(String type, String status, String reason, String message) {
    return new ConditionBuilder()
        .withType(type)
        .withStatus(status)
        .withReason(reason)
        .withMessage(shortened(message))
        .build();
  }

  private static String shortened(String message) {
    return message.length() <= MESSAGE_LENGTH
        ? message
        : message.substring(0, MESSAGE_LENGTH - 1) + "…";
  }

  /**
   * The new list of conditions, sorted by type. The transition time of a condition is {@code now},
   * or stays while its status is the same; types that {@code next} does not name stay as they are.
   *
   * @param generation the generation of the spec that {@code next} speaks of
   */
  public static List<Condition> merge(
      @Nullable List<Condition> current,
      List<Condition> next,
      @Nullable Long generation,
      Instant now) {
    List<Condition> before = current == null ? List.of() : current;
    Stream<Condition> kept =
        before.stream()
            .filter(old -> next.stream().noneMatch(c -> c.getType().equals(old.getType())));
    Stream<Condition> made =
        next.stream()
            .map(
                c ->
                    c.edit()
                        .withObservedGeneration(generation)
                        .withLastTransitionTime(transitionTime(before, c, now))
                        .build());
    return Stream.concat(kept, made).sorted(Comparator.comparing(Condition::getType)).toList();
  }

  private static String transitionTime(List<Condition> before, Condition next, Instant now) {
    return find(before, next.getType())
        .filter(old -> Objects.equals(old.getStatus(), next.getStatus()))
        .map(Condition::getLastTransitionTime)
        .orElseGet(() -> timestamp(now));
  }

  /** A time as Kubernetes writes it: RFC 3339, whole seconds. */
  public static String timestamp(Instant time) {
    return time.truncatedTo(ChronoUnit.SECONDS).toString();
  }

  /** The condition of a type. */
  public static Optional<Condition> find(@Nullable List<Condition> conditions, String type) {
    return conditions == null
        ? Optional.empty()
        : conditions.stream().filter(c -> type.equals(c.getType())).findFirst();
  }

  /** Whether a condition is there with this status, reason and message. */
  public static boolean contain(@Nullable List<Condition> conditions, Condition condition) {
    return find(conditions, condition.getType())
        .filter(
            c ->
                Objects.equals(c.getStatus(), condition.getStatus())
                    && Objects.equals(c.getReason(), condition.getReason())
                    && Objects.equals(c.getMessage(), condition.getMessage()))
        .isPresent();
  }

  /** Whether a condition is there and holds. */
  public static boolean isTrue(@Nullable List<Condition> conditions, String type) {
    return find(conditions, type).filter(c -> TRUE.equals(c.getStatus())).isPresent();
  }

  /** Since when a condition is False; empty if it is not. */
  public static Optional<Instant> falseSince(@Nullable List<Condition> conditions, String type) {
    return since(conditions, type, FALSE);
  }

  /** Since when a condition is True; empty if it is not. */
  public static Optional<Instant> trueSince(@Nullable List<Condition> conditions, String type) {
    return since(conditions, type, TRUE);
  }

  private static Optional<Instant> since(
      @Nullable List<Condition> conditions, String type, String status) {
    return find(conditions, type)
        .filter(c -> status.equals(c.getStatus()))
        .map(Condition::getLastTransitionTime)
        .map(Instant::parse);
  }
}
