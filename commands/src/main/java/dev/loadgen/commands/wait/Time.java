package dev.loadgen.commands.wait;

import java.time.Duration;

/** The time of a wait, which the machine's clock does not change. */
interface Time {
  /** Since the wait began. */
  Duration elapsed();

  /** Lets time pass. */
  void pause(Duration time) throws InterruptedException;

  /** Real time, from now on. */
  static Time real() {
    long start = System.nanoTime();
    return new Time() {
      @Override
      public Duration elapsed() {
        return Duration.ofNanos(System.nanoTime() - start);
      }

      @Override
      public void pause(Duration time) throws InterruptedException {
        Thread.sleep(time);
      }
    };
  }
}
