package dev.loadgen.rules.forecast;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class PoissonScheduleTest {
  @Test
  void theGeneratorGivesTheValueThatTheCppStandardDemands() {
    PoissonSchedule schedule = new PoissonSchedule(5489);

    for (int i = 1; i < 10_000; i++) {
      schedule.nextInt();
    }

    // [rand.predef]: the 10000th invocation of a default-constructed mt19937.
    assertThat(schedule.nextInt()).isEqualTo(4123659995L);
  }

  @Test
  void gapsHaveTheMeanOfTheRate() {
    PoissonSchedule schedule = new PoissonSchedule(1);
    long sum = 0;

    for (int i = 0; i < 200_000; i++) {
      sum += schedule.nextGapNs(50);
    }

    assertThat(sum / 200_000e6).isBetween(19.8, 20.2);
  }
}
