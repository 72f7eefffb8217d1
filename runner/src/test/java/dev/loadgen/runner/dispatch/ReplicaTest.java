package dev.loadgen.runner.dispatch;

import static org.assertj.core.api.Assertions.assertThat;

import dev.loadgen.contract.RequestFailure;
import dev.loadgen.contract.RequestFailure.Kind;
import java.net.URI;
import org.junit.jupiter.api.Test;

class ReplicaTest {
  private final Replica replica = new Replica(0, "a", URI.create("http://127.0.0.1:1"));

  private void lose(Kind kind, int times, long begun) {
    lose(kind, kind == Kind.CONNECT, times, begun);
  }

  private void lose(Kind kind, boolean silent, int times, long begun) {
    for (int i = 0; i < times; i++) {
      replica.lost(new RequestFailure(kind, "gone"), silent, begun);
    }
  }

  @Test
  void fiveInARowAreADeadServer() {
    lose(Kind.CONNECT, 4, 100);
    assertThat(replica.takenOut()).isNull();
    lose(Kind.BROKEN, 1, 100);
    assertThat(replica.takenOut()).contains("gone");
  }

  @Test
  void anAnswerInBetweenIsALivingServer() {
    lose(Kind.CONNECT, 4, 100);
    replica.answered(150);
    lose(Kind.CONNECT, 4, 200);
    assertThat(replica.takenOut()).isNull();
  }

  @Test
  void connectionsThatWaitWhileOthersAreAnsweredAreAFullListenQueue() {
    replica.heard(150);
    lose(Kind.CONNECT, 50, 100);
    assertThat(replica.takenOut()).isNull();
  }

  @Test
  void connectionsThatAreResetBeforeAnAnswerWhileOthersAreAnsweredAreTheSame() {
    replica.heard(150);
    lose(Kind.BROKEN, true, 50, 100);
    assertThat(replica.takenOut()).isNull();
  }

  @Test
  void connectionsThatAreResetWhileNobodyIsAnsweredAreADeadServer() {
    replica.heard(150);
    lose(Kind.BROKEN, true, 5, 200);
    assertThat(replica.takenOut()).isNotNull();
  }

  @Test
  void streamsThatBreakCountThoughOthersWereHeardOfMeanwhile() {
    replica.heard(150);
    lose(Kind.BROKEN, 5, 100);
    assertThat(replica.takenOut()).isNotNull();
  }
}
