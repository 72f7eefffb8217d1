package dev.loadgen.operator.settings;

import dev.loadgen.desired.Fixtures;
import dev.loadgen.desired.PodTemplateLevel;
import java.time.Clock;
import java.time.ZoneOffset;

/** Settings that tests start from, at the time of {@link Fixtures}. */
public final class FixedSettings {
  private FixedSettings() {}

  /** Settings that are not the defaults only where a test must not depend on them. */
  public static OperatorSettings settings() {
    return settings(OperatorSettings.defaults().podTemplates());
  }

  /** Those with another bound of pod templates. */
  public static OperatorSettings settings(PodTemplateLevel podTemplates) {
    return OperatorSettings.defaults()
        .with()
        .runnerImage("registry.example/loadgen-runner:1")
        .podTemplates(podTemplates)
        .clock(Clock.fixed(Fixtures.NOW, ZoneOffset.UTC))
        .build();
  }
}
