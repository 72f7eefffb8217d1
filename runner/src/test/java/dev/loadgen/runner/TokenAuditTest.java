package dev.loadgen.runner;

import static org.assertj.core.api.Assertions.assertThat;

import dev.loadgen.client.ServerProbeException;
import dev.loadgen.runner.TokenAudit.Count;
import dev.loadgen.runner.dispatch.Replica;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Servers whose counters follow, do not follow, or are not there. */
class TokenAuditTest {
  private final AtomicInteger pauses = new AtomicInteger();
  private final AtomicInteger readings = new AtomicInteger();
  private boolean over;

  private static List<Replica> replicas(int count) {
    return IntStream.range(0, count)
        .mapToObj(i -> new Replica(i, "r" + i, URI.create("http://r" + i)))
        .toList();
  }

  /** Servers that have made {@code tokens} each, of which the counters know after some pauses. */
  private List<Count> audit(int servers, int tokens, int pausesUntilCounted, long ours)
      throws Exception {
    TokenAudit audit =
        new TokenAudit(
            server -> {
              readings.incrementAndGet();
              if (server.getHost().equals("r0") && tokens < 0) {
                throw new ServerProbeException("no metrics");
              }
              return "vllm:generation_tokens_total{model_name=\"m\"} "
                  + (over && pauses.get() >= pausesUntilCounted ? 100 + tokens : 100)
                  + "\n";
            },
            replicas(servers),
            (file, content) -> {},
            pauses::incrementAndGet);
    audit.begin();
    over = true;
    readings.set(0);
    List<Long> counts = new ArrayList<>();
    for (int i = 0; i < servers; i++) {
      counts.add(ours);
    }
    return audit.end(counts);
  }

  @Test
  void countersThatAgreeAreReadOnce() throws Exception {
    assertThat(audit(3, 50, 0, 50))
        .containsExactly(
            new Count("r0", 50, 50L), new Count("r1", 50, 50L), new Count("r2", 50, 50L));
    assertThat(pauses).hasValue(0);
    assertThat(readings).hasValue(3);
  }

  @Test
  void allServersHaveTheSamePausesToCatchUp() throws Exception {
    assertThat(audit(72, 50, 2, 50)).extracting(Count::server).containsOnly(50L);
    assertThat(pauses).hasValue(2);
  }

  @Test
  void countersThatNeverAgreeTakeAsLongForManyServersAsForOne() throws Exception {
    assertThat(audit(72, 50, 0, 60)).extracting(Count::server).containsOnly(50L);
    assertThat(pauses).hasValue(14);
    assertThat(readings).hasValue(15 * 72);
  }

  @Test
  void aServerWithoutCountersIsNotWaitedFor() throws Exception {
    assertThat(audit(1, -1, 0, 60)).containsExactly(new Count("r0", 60, null));
    assertThat(readings).hasValue(0);
    assertThat(pauses).hasValue(0);
  }
}
