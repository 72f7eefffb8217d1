package dev.loadgen.reconcile.events;

import static org.assertj.core.api.Assertions.assertThat;

import dev.loadgen.desired.Fixtures;
import dev.loadgen.reconcile.events.EventSeries.Step;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;

class EventSeriesTest {
  private static final Instant NOW = Fixtures.NOW;
  private static final EventSeries.Key KEY = key("uid");

  private final EventSeries series = new EventSeries();

  private static EventSeries.Key key(String uid) {
    return new EventSeries.Key(uid, ObjectEvent.Type.WARNING, "ServersLost");
  }

  @Test
  void whatHappensAgainIsTheSameEventWithACount() {
    assertThat(series.next(KEY, NOW, "a")).isEqualTo(new Step.Write("a", 1, NOW));
    assertThat(series.next(KEY, NOW.plusSeconds(1), "b")).isEqualTo(new Step.Write("a", 2, NOW));
    assertThat(series.next(KEY, NOW.plusSeconds(2), "c")).isEqualTo(new Step.Write("a", 3, NOW));
  }

  @Test
  void objectsTypesAndReasonsAreApart() {
    series.next(KEY, NOW, "a");

    assertThat(series.next(key("other"), NOW, "b")).isEqualTo(new Step.Write("b", 1, NOW));
    assertThat(
            series.next(
                new EventSeries.Key("uid", ObjectEvent.Type.WARNING, "Unschedulable"), NOW, "c"))
        .isEqualTo(new Step.Write("c", 1, NOW));
    assertThat(
            series.next(
                new EventSeries.Key("uid", ObjectEvent.Type.NORMAL, "ServersLost"), NOW, "d"))
        .isEqualTo(new Step.Write("d", 1, NOW));
  }

  @Test
  void aFlappingStateIsWrittenEverMoreSeldomAndCountedInFull() {
    int writes = 0;
    int last = 0;
    for (int second = 0; second < 600; second++) {
      if (series.next(KEY, NOW.plusSeconds(second), "a")
          instanceof Step.Write(String name, int count, Instant first)) {
        assertThat(name).isEqualTo("a");
        assertThat(first).isEqualTo(NOW);
        writes++;
        last = count;
      }
    }

    // 10 at once, and one each 30 s of 600 s.
    assertThat(writes).isBetween(28, 30);
    assertThat(last).isBetween(570, 600);
  }

  @Test
  void anEventThatTheApiServerHasDroppedByNowBeginsAnew() {
    series.next(KEY, NOW, "a");
    Instant later = NOW.plus(Duration.ofHours(1));

    assertThat(series.next(KEY, later, "b")).isEqualTo(new Step.Write("b", 1, later));
  }

  @Test
  void onlySoManySeriesAreRemembered() {
    for (int i = 0; i <= EventSeries.MOST; i++) {
      series.next(key("uid-" + i), NOW, "e" + i);
    }

    assertThat(series.next(key("uid-1"), NOW, "new")).isEqualTo(new Step.Write("e1", 2, NOW));
    assertThat(series.next(key("uid-0"), NOW, "new")).isEqualTo(new Step.Write("new", 1, NOW));
  }
}
