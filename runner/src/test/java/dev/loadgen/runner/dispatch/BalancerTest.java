package dev.loadgen.runner.dispatch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.loadgen.contract.LoadBalancing;
import dev.loadgen.contract.RequestFailure;
import java.net.URI;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class BalancerTest {
  private final List<Replica> replicas =
      IntStream.range(0, 3).mapToObj(i -> new Replica(i, "r" + i, URI.create("http://r"))).toList();

  private Balancer balancer(LoadBalancing strategy) {
    return Balancer.of(strategy, replicas, new Random(5));
  }

  private static List<Integer> draw(Balancer balancer, int count) {
    return IntStream.range(0, count)
        .mapToObj(i -> Objects.requireNonNull(balancer.next()).index())
        .toList();
  }

  @Test
  void roundRobinTakesOneAfterTheOther() {
    assertThat(draw(balancer(LoadBalancing.RoundRobin), 7)).containsExactly(0, 1, 2, 0, 1, 2, 0);
  }

  @Test
  void roundRobinGoesOnWhenItsCounterOverflows() {
    Balancer balancer = new Balancer.RoundRobin(replicas, new AtomicInteger(Integer.MAX_VALUE));
    assertThat(draw(balancer, 6)).containsOnly(0, 1, 2);
  }

  @Test
  void randomUsesAllAboutEquallyAndRepeatably() {
    List<Integer> drawn = draw(balancer(LoadBalancing.Random), 3000);
    for (int replica = 0; replica < 3; replica++) {
      int index = replica;
      assertThat(drawn.stream().filter(i -> i == index).count()).isBetween(900L, 1100L);
    }
    assertThat(draw(balancer(LoadBalancing.Random), 3000)).isEqualTo(drawn);
  }

  @Test
  void leastInFlightTakesTheIdleOne() {
    replicas.get(0).began();
    replicas.get(2).began();
    assertThat(draw(balancer(LoadBalancing.LeastInFlight), 5)).containsOnly(1);
  }

  @Test
  void leastInFlightSpreadsTies() {
    assertThat(draw(balancer(LoadBalancing.LeastInFlight), 6)).containsExactly(0, 1, 2, 0, 1, 2);
  }

  @Test
  void leastInFlightFollowsEndedRequests() {
    replicas.forEach(Replica::began);
    replicas.get(1).ended();
    assertThat(draw(balancer(LoadBalancing.LeastInFlight), 2)).containsOnly(1);
  }

  @ParameterizedTest
  @EnumSource
  void oneReplicaGetsEverything(LoadBalancing strategy) {
    Balancer balancer = Balancer.of(strategy, replicas.subList(2, 3), new Random(1));
    assertThat(draw(balancer, 4)).containsOnly(2);
  }

  @ParameterizedTest
  @EnumSource
  void noReplicaIsRefused(LoadBalancing strategy) {
    assertThatThrownBy(() -> Balancer.of(strategy, List.of(), new Random(1)))
        .isInstanceOf(IllegalArgumentException.class);
  }

  private static void kill(Replica replica) {
    for (int i = 0; i < Replica.MOST_LOST; i++) {
      replica.lost(new RequestFailure(RequestFailure.Kind.CONNECT, "refused"), true, 0);
    }
  }

  @ParameterizedTest
  @EnumSource
  void replicaThatWasTakenOutGetsNothing(LoadBalancing strategy) {
    kill(replicas.get(1));
    List<Integer> drawn = draw(balancer(strategy), 1000);

    assertThat(drawn).containsOnly(0, 2);
    assertThat(drawn.stream().filter(i -> i == 0).count()).isBetween(400L, 600L);
  }

  @ParameterizedTest
  @EnumSource
  void nobodyIsLeftWhenAllWereTakenOut(LoadBalancing strategy) {
    replicas.forEach(BalancerTest::kill);

    assertThat(balancer(strategy).next()).isNull();
  }
}
