package dev.loadgen.reconcile.pass;

import static org.assertj.core.api.Assertions.assertThat;

import dev.loadgen.api.v1alpha1.BenchmarkRun;
import dev.loadgen.desired.Fixtures;
import io.fabric8.kubernetes.client.utils.Serialization;
import org.junit.jupiter.api.Test;

class UnreadableLogTest {
  private final UnreadableLog log = new UnreadableLog();

  @Test
  void whatCannotBeReadIsNewsOnceForEachObjectAndChange() {
    assertThat(log.isNews(Fixtures.run("r"))).isFalse();
    assertThat(log.isNews(run("r", "Archived"))).isTrue();
    assertThat(log.isNews(run("r", "Archived"))).isFalse();
    assertThat(log.isNews(run("other", "Archived"))).isTrue();
    assertThat(log.isNews(run("r", "Cooling"))).isTrue();
    assertThat(log.isNews(run("r", "Running"))).isFalse();
    assertThat(log.isNews(run("r", "Cooling"))).isTrue();
  }

  private static BenchmarkRun run(String name, String phase) {
    return Serialization.unmarshal(
        """
        apiVersion: loadgen.dev/v1alpha1
        kind: BenchmarkRun
        metadata: {name: %s, namespace: bench, uid: uid-of-%s}
        spec: {scenario: Offline}
        status: {phase: %s}
        """
            .formatted(name, name, phase),
        BenchmarkRun.class);
  }
}
