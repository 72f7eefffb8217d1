package dev.loadgen.reconcile.status;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.Condition;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

class ConditionsTest {
  private static final Instant FIRST = Instant.parse("2026-11-21T10:00:00.9Z");
  private static final Instant LATER = Instant.parse("2026-11-21T10:05:00Z");

  @Test
  void aTransitionTimeStaysWhileTheStatusStays() {
    List<Condition> first =
        Conditions.merge(null, List.of(Conditions.no("A", "One", "m")), 1L, FIRST);

    List<Condition> second =
        Conditions.merge(first, List.of(Conditions.no("A", "Two", "n")), 2L, LATER);

    assertThat(second.getFirst().getLastTransitionTime()).isEqualTo("2026-11-21T10:00:00Z");
    assertThat(second.getFirst().getReason()).isEqualTo("Two");
    assertThat(second.getFirst().getObservedGeneration()).isEqualTo(2);
  }

  @Test
  void aTransitionTimeIsNewWhenTheStatusChanges() {
    List<Condition> first =
        Conditions.merge(null, List.of(Conditions.no("A", "One", "m")), 1L, FIRST);

    List<Condition> second =
        Conditions.merge(first, List.of(Conditions.yes("A", "One", "m")), 1L, LATER);

    assertThat(second.getFirst().getLastTransitionTime()).isEqualTo("2026-11-21T10:05:00Z");
  }

  @Test
  void conditionsAreSortedAndOthersKept() {
    List<Condition> first =
        Conditions.merge(null, List.of(Conditions.no("B", "R", "m")), 1L, FIRST);

    List<Condition> both =
        Conditions.merge(first, List.of(Conditions.yes("A", "R", "m")), 1L, LATER);

    assertThat(both).extracting(Condition::getType).containsExactly("A", "B");
  }

  @Test
  void anEndlessMessageIsCut() {
    assertThat(Conditions.no("A", "R", "x".repeat(50_000)).getMessage())
        .hasSize(Conditions.MESSAGE_LENGTH);
  }
}
