package dev.loadgen.operator.backend;

import static org.assertj.core.api.Assertions.assertThat;

import dev.loadgen.api.v1alpha1.BackendPhase;
import dev.loadgen.api.v1alpha1.ConditionTypes;
import dev.loadgen.api.v1alpha1.InferenceBackend;
import dev.loadgen.api.v1alpha1.InferenceBackendStatus;
import dev.loadgen.contract.Reasons;
import dev.loadgen.desired.BackendLeases;
import dev.loadgen.desired.Desired;
import dev.loadgen.desired.Fixtures;
import dev.loadgen.desired.PodDefaults;
import dev.loadgen.operator.settings.FixedSettings;
import dev.loadgen.operator.settings.OperatorSettings;
import dev.loadgen.reconcile.status.Availability;
import dev.loadgen.reconcile.status.Conditions;
import dev.loadgen.reconcile.status.PodReport;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.PodConditionBuilder;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Backends on demand and too few GPUs, in a cluster that is played in virtual time: each has one
 * run, and a pod of one GPU for each server. Whose pods the scheduler takes first is random, and so
 * are the passes; some of them end before their first write, or before their last.
 */
class RaceForGpusTest {
  private static final int SEEDS = 2;
  private static final Duration TICK = Duration.ofSeconds(10);

  /** A tick where nothing has happened for long. */
  private static final Duration LONG_TICK = Duration.ofMinutes(5);

  private static final int QUIET = 5;
  private static final Duration TO_END = Duration.ofSeconds(20);
  private static final Duration TO_LOAD = Duration.ofSeconds(60);
  private static final Duration TEST = Duration.ofMinutes(40);
  private static final Duration QUEUE = Duration.ofHours(6);
  private static final Duration READY = Duration.ofMinutes(30);

  /** Longer than {@code spec.startupTimeout}: this is what the race costs without an order. */
  @Test
  void withoutAnOrderBackendsKeepEachOtherFromStarting() {
    List<String> ends = new ArrayList<>();
    for (int seed = 0; seed < SEEDS; seed++) {
      ends.addAll(new Cluster(seed, 6, false, 4, 4).play());
    }

    assertThat(ends).contains("Failed");
  }

  @ParameterizedTest
  @CsvSource({"6, 4 4", "6, 4 4 4", "8, 3 5 2 8 4"})
  void allHaveAResultInTheEnd(int gpus, String servers) {
    int[] sizes = Pattern.compile(" ").splitAsStream(servers).mapToInt(Integer::parseInt).toArray();
    for (int seed = 0; seed < SEEDS; seed++) {
      assertThat(new Cluster(seed, gpus, true, sizes).play())
          .as("seed %d", seed)
          .containsOnly("Completed");
    }
  }

  @Test
  void whatNeverFitsFailsAndHoldsUpNobodyElse() {
    for (int seed = 0; seed < SEEDS; seed++) {
      assertThat(new Cluster(seed, 6, true, 7, 4, 4).play())
          .as("seed %d", seed)
          .containsExactly("Failed", "Completed", "Completed");
    }
  }

  /** One backend, its run, and the pods that Kubernetes makes for it. */
  private static final class Server {
    final InferenceBackend backend;
    final int size;
    final HasMetadata workload;
    final String template;
    final List<Pod> pods = new ArrayList<>();
    boolean made;
    @Nullable Instant acquired;
    @Nullable Instant testEnds;
    @Nullable String end;
    int gaveWay;

    Server(String name, int size) {
      this.size = size;
      backend =
          Fixtures.backend(
              "engine: vllm\nmodel: {name: m}\nlifecycle: OnDemand\nidleTimeout: 20s\n"
                  + "gpus: {count: 1}\nreplicas: "
                  + size);
      backend.getMetadata().setName(name);
      Desired desired = Desired.of(backend, PodDefaults.BUILT_IN);
      workload = desired.workload();
      template = desired.template();
    }

    List<PodReport> reports() {
      return pods.stream().map(pod -> new PodReport(pod, "server")).toList();
    }

    GpuLine.Contender contender() {
      return GpuLine.Contender.of(
          backend,
          acquired == null
              ? null
              : BackendLeases.lease(
                  Fixtures.run(
                      "r",
                      "benchmark: llama3.1-8b\nscenario: Offline\nbackendRef: {name: %s}"
                          .formatted(backend.getMetadata().getName())),
                  acquired),
          reports());
    }

    Optional<String> reason() {
      return backend.getStatus() == null
          ? Optional.empty()
          : Conditions.find(backend.getStatus().conditions(), ConditionTypes.AVAILABLE)
              .map(condition -> condition.getReason());
    }
  }

  private static final class Cluster {
    private final OperatorSettings settings = FixedSettings.settings();
    private final Random random;
    private final int gpus;
    private final boolean ordered;
    private final List<Server> servers = new ArrayList<>();
    private Instant now = Fixtures.NOW;
    private int quiet;

    Cluster(int seed, int gpus, boolean ordered, int... sizes) {
      this.random = new Random(seed);
      this.gpus = gpus;
      this.ordered = ordered;
      for (int size : sizes) {
        servers.add(new Server("b" + servers.size(), size));
      }
    }

    /** How each run ended, in the order of the backends. */
    List<String> play() {
      Instant late = now.plus(Duration.ofHours(12));
      while (servers.stream().anyMatch(server -> server.end == null)) {
        assertThat(now).as("every run ends").isBefore(late);
        shuffled(servers).forEach(this::run);
        shuffled(servers).forEach(this::pass);
        servers.forEach(this::makePods);
        schedule();
        assertThat(servers.stream().flatMap(s -> s.pods.stream()).filter(Cluster::placed).count())
            .isLessThanOrEqualTo(gpus);
        now = now.plus(quiet++ < QUIET ? TICK : LONG_TICK);
      }
      for (Server server : servers) {
        assertThat(server.gaveWay)
            .as("%s gave way at most once for each other backend", server.contender().name())
            .isLessThan(servers.size());
      }
      return servers.stream().map(server -> String.valueOf(server.end)).toList();
    }

    /** As a run does it, with the timeouts that it has unless they are set. */
    private void run(Server server) {
      InferenceBackendStatus status = server.backend.getStatus();
      if (server.end != null || random.nextInt(10) == 0) {
        return;
      }
      if (server.acquired == null) {
        server.acquired = now;
        quiet = 0;
        return;
      }
      if (server.testEnds != null) {
        if (!now.isBefore(server.testEnds)) {
          end(server, "Completed");
        }
        return;
      }
      if (status == null) {
        return;
      }
      Optional<String> waits = Availability.waitsInLine(status);
      Instant progressing =
          Conditions.trueSince(status.conditions(), ConditionTypes.PROGRESSING)
              .filter(server.acquired::isBefore)
              .orElse(server.acquired);
      if (status.phase() == BackendPhase.Failed) {
        end(server, "Failed");
      } else if (status.phase() == BackendPhase.Available) {
        server.testEnds = now.plus(TEST);
        quiet = 0;
      } else if (waits.isPresent() && now.isAfter(server.acquired.plus(QUEUE))) {
        end(server, Reasons.QUEUE_TIMEOUT);
      } else if (waits.isEmpty() && now.isAfter(progressing.plus(READY))) {
        end(server, "Failed");
      }
    }

    private void end(Server server, String how) {
      quiet = 0;
      server.end = how;
      server.acquired = null;
      server.testEnds = null;
    }

    /** One pass of the operator, which may be killed on its way. */
    private void pass(Server server) {
      if (server.end != null && !server.made && server.pods.isEmpty()) {
        return;
      }
      int luck = random.nextInt(10);
      BackendDecision decision = decide(server);
      if (luck == 0) {
        return;
      }
      if (!decision.delete().isEmpty()) {
        assertThat(server.testEnds).as("nobody takes the servers of a test").isNull();
        server.gaveWay += server.reason().filter(Reasons.GAVE_WAY::equals).isPresent() ? 1 : 0;
        server.made = false;
        server.pods.removeIf(pod -> !placed(pod));
        server.pods.forEach(
            pod -> pod.getMetadata().setDeletionTimestamp(now.plus(TO_END).toString()));
      }
      server.made |= decision.apply().stream().anyMatch(o -> o.getKind().equals("StatefulSet"));
      if (luck == 1) {
        return;
      }
      InferenceBackendStatus told =
          BackendPasses.status(server.backend, decision, server.acquired == null ? null : "r", now);
      quiet = told.equals(server.backend.getStatus()) ? quiet : 0;
      server.backend.setStatus(told);
    }

    private BackendDecision decide(Server server) {
      GpuLine.Contender own = server.contender();
      boolean looked = ordered && (own.lackingSince() != null || own.gaveWay());
      BackendSeen seen =
          new BackendSeen()
              .workload(server.made ? server.workload : null, server.backend)
              .servers(
                  server.reports().stream()
                      .filter(pod -> !pod.beingDeleted())
                      .toArray(PodReport[]::new))
              .activeRun(server.acquired == null ? null : "r")
              .line(
                  looked
                      ? new GpuLine(
                          own,
                          servers.stream()
                              .filter(other -> other != server)
                              .map(Server::contender)
                              .toList())
                      : null);
      if (server.testEnds != null) {
        seen.runners("r");
      }
      return BackendPasses.decide(server.backend, seen.observation(), settings, now);
    }

    private void makePods(Server server) {
      server.pods.removeIf(
          pod ->
              pod.getMetadata().getDeletionTimestamp() != null
                  && !now.isBefore(Instant.parse(pod.getMetadata().getDeletionTimestamp())));
      for (int i = 0; server.made && i < server.size; i++) {
        String name = server.backend.getMetadata().getName() + "-" + i;
        if (server.pods.stream().noneMatch(pod -> pod.getMetadata().getName().equals(name))) {
          server.pods.add(
              new PodBuilder()
                  .withNewMetadata()
                  .withName(name)
                  .withNamespace("bench")
                  .withCreationTimestamp(now.toString())
                  .addToAnnotations(Desired.STAMP, server.template)
                  .endMetadata()
                  .withNewSpec()
                  .endSpec()
                  .withNewStatus()
                  .withPhase("Pending")
                  .endStatus()
                  .build());
        }
      }
    }

    private void schedule() {
      List<Pod> all = shuffled(servers.stream().flatMap(s -> s.pods.stream()).toList());
      long free = gpus - all.stream().filter(Cluster::placed).count();
      for (Pod pod : all) {
        if (placed(pod)) {
          boolean loaded =
              !now.isBefore(Instant.parse(pod.getStatus().getStartTime()).plus(TO_LOAD));
          condition(pod, "Ready", loaded ? "True" : "False");
        } else if (free > 0) {
          free--;
          pod.getSpec().setNodeName("node");
          pod.getStatus().setStartTime(now.toString());
          condition(pod, "PodScheduled", "True");
        } else {
          condition(pod, "PodScheduled", "False");
        }
      }
    }

    private void condition(Pod pod, String type, String status) {
      boolean changes =
          pod.getStatus().getConditions().stream()
              .noneMatch(c -> c.getType().equals(type) && c.getStatus().equals(status));
      if (changes) {
        quiet = 0;
        pod.getStatus()
            .setConditions(
                Stream.concat(
                        pod.getStatus().getConditions().stream()
                            .filter(c -> !c.getType().equals(type)),
                        Stream.of(
                            new PodConditionBuilder()
                                .withType(type)
                                .withStatus(status)
                                .withReason(status.equals("False") ? "Unschedulable" : null)
                                .withMessage(
                                    "0/1 nodes are available: 1 Insufficient nvidia.com/gpu.")
                                .withLastTransitionTime(now.toString())
                                .build()))
                    .toList());
      }
    }

    private static boolean placed(Pod pod) {
      return pod.getSpec().getNodeName() != null;
    }

    private <T> List<T> shuffled(List<T> given) {
      List<T> copy = new ArrayList<>(given);
      Collections.shuffle(copy, random);
      return copy;
    }
  }
}
