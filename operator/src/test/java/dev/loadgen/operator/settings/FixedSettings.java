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
    OperatorSettings d = OperatorSettings.defaults();
    return new OperatorSettings(
        d.namespaces(),
        "registry.example/loadgen-runner:1",
        d.progressInterval(),
        d.progressWriteInterval(),
        d.waitInterval(),
        d.healthInterval(),
        d.healthTimeout(),
        d.imageGrace(),
        d.runnerStartTimeout(),
        d.keepJobs(),
        d.externalHosts(),
        podTemplates,
        d.pods(),
        d.nodeAddress(),
        Clock.fixed(Fixtures.NOW, ZoneOffset.UTC));
  }
}
