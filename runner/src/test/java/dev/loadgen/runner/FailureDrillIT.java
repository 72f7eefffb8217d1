package dev.loadgen.runner;

import static org.assertj.core.api.Assertions.assertThat;

import dev.loadgen.contract.EndpointType;
import dev.loadgen.contract.PlanBuilder;
import dev.loadgen.contract.RequestFailure;
import dev.loadgen.contract.RunResult;
import dev.loadgen.contract.RunnerExit;
import dev.loadgen.contract.Scenario;
import dev.loadgen.contract.Verdict;
import dev.loadgen.contract.VerdictReason;
import dev.loadgen.runner.ForkedRunner.Ended;
import dev.loadgen.simulator.Fault;
import dev.loadgen.simulator.SimulatedEngine;
import dev.loadgen.simulator.Simulator;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Every fault that the simulator has, in every way of sending: the run ends, each struck sample has
 * failed for the right reason and no other sample has, the verdict says so, and the folder is
 * complete. A fault that the simulator gains does not compile here until it is given its outcome.
 */
@Timeout(300)
@Order(3)
class FailureDrillIT {
  /** Enough that the deadline of a request does not strike others on a busy machine. */
  private static final Duration REQUEST_TIMEOUT = Duration.ofSeconds(4);

  /** Requests from one struck request to the next: a server that loses several in a row is out. */
  private static final int APART = 3;

  /** The first request is the trial. */
  private static final int FIRST = 4;

  private static final int BATCH = 4;

  private final Path folder;

  FailureDrillIT(@TempDir Path folder) {
    this.folder = folder;
    ForkedRunner.prompts(folder, 40);
  }

  /** Ways of sending; each run meets all faults. */
  enum Way {
    VLLM_OFFLINE(SimulatedEngine.VLLM, EndpointType.completions, Scenario.Offline, false, 1),
    VLLM_OFFLINE_STREAMS(SimulatedEngine.VLLM, EndpointType.completions, Scenario.Offline, true, 1),
    VLLM_OFFLINE_BATCHES(
        SimulatedEngine.VLLM, EndpointType.completions, Scenario.Offline, false, BATCH),
    VLLM_CHAT_SERVER(SimulatedEngine.VLLM, EndpointType.chat_completions, Scenario.Server, true, 1),
    VLLM_SINGLE_STREAM(
        SimulatedEngine.VLLM, EndpointType.completions, Scenario.SingleStream, true, 1),
    SGLANG_OFFLINE(SimulatedEngine.SGLANG, EndpointType.generate, Scenario.Offline, false, 1),
    SGLANG_OFFLINE_BATCHES(
        SimulatedEngine.SGLANG, EndpointType.generate, Scenario.Offline, false, BATCH),
    SGLANG_SERVER(SimulatedEngine.SGLANG, EndpointType.generate, Scenario.Server, true, 1);

    private final SimulatedEngine engine;
    private final EndpointType route;
    private final Scenario scenario;
    private final boolean streams;
    private final int batch;

    Way(SimulatedEngine engine, EndpointType route, Scenario scenario, boolean streams, int batch) {
      this.engine = engine;
      this.route = route;
      this.scenario = scenario;
      this.streams = streams;
      this.batch = batch;
    }

    PlanBuilder plan(int requests) {
      PlanBuilder plan =
          new PlanBuilder()
              .server(
                  engine == SimulatedEngine.VLLM
                      ? dev.loadgen.contract.Engine.vllm
                      : dev.loadgen.contract.Engine.sglang,
                  route)
              .requestTimeout(REQUEST_TIMEOUT);
      switch (scenario) {
        case Offline ->
            plan.offline((long) requests * batch).client(c -> c.batchSize(batch)).streams(streams);
        case Server, Interactive ->
            plan.server(scenario, requests, 40).streaming(true).tokenLimits(9000.0, 9000.0);
        case SingleStream -> plan.singleStream(requests).streams(streams);
      }
      return plan;
    }
  }

  /**
   * What becomes of the samples of a struck request.
   *
   * @param fault as {@code --fail} takes it, without a condition
   * @param kinds of the failures, one a sample that fails
   */
  private record Outcome(String fault, List<RequestFailure.Kind> kinds) {}

  /** The outcomes of a fault; none for what ends the server, which has a test of its own. */
  private static List<Outcome> outcomes(Fault.Kind kind, Way way) {
    String word = kind.word();
    return switch (kind) {
      case STATUS ->
          List.of(
              all(way, "status=400", RequestFailure.Kind.HTTP_STATUS),
              all(way, "status=429", RequestFailure.Kind.HTTP_STATUS),
              all(way, "status=500", RequestFailure.Kind.HTTP_STATUS),
              all(way, "status=503", RequestFailure.Kind.HTTP_STATUS));
      case WRONG_MODEL -> List.of(all(way, word, RequestFailure.Kind.HTTP_STATUS));
      case CLOSE, NOISE, CUT_STREAM, RESET, HALF_CLOSE ->
          List.of(all(way, word, RequestFailure.Kind.BROKEN));
      case HANG ->
          way.streams
              ? List.of(
                  all(way, word, RequestFailure.Kind.TIMEOUT),
                  all(way, "hang,tokens=2", RequestFailure.Kind.TIMEOUT))
              : List.of(all(way, word, RequestFailure.Kind.TIMEOUT));
      case TRICKLE -> List.of(all(way, word, RequestFailure.Kind.TIMEOUT));
      case ERROR_IN_STREAM ->
          List.of(
              all(
                  way,
                  word,
                  way.streams
                      ? RequestFailure.Kind.ERROR_IN_STREAM
                      : RequestFailure.Kind.HTTP_STATUS));
      case NO_TOKENS, NO_COUNTS -> List.of(all(way, word, RequestFailure.Kind.NO_TOKENS));
      case GARBAGE, HUGE, WRONG_INDEX -> List.of(all(way, word, RequestFailure.Kind.MALFORMED));
      case END_EARLY -> List.of(all(way, word, RequestFailure.Kind.INCOMPLETE));
      // The other answers of the batch are whole, and count.
      case FEWER_CHOICES -> List.of(new Outcome(word, List.of(RequestFailure.Kind.INCOMPLETE)));
      // Tokens are counted by their ids, and an answer may be short.
      case NO_USAGE, SHORT -> List.of(new Outcome(word, List.of()));
      // Answers in full, which the verdict holds against what was asked for.
      case CAPPED, OVERLONG, FOREIGN_STOP -> List.of(new Outcome(word, List.of()));
      case EXIT -> List.of();
    };
  }

  private static Outcome all(Way way, String fault, RequestFailure.Kind kind) {
    return new Outcome(fault, Collections.nCopies(way.batch, kind));
  }

  private static List<Outcome> outcomes(Way way) {
    List<Outcome> outcomes = new ArrayList<>();
    for (Fault.Kind kind : Fault.Kind.values()) {
      outcomes.addAll(outcomes(kind, way));
    }
    return outcomes;
  }

  @ParameterizedTest
  @EnumSource
  void everyFaultFailsItsOwnSamplesAndTheRunEnds(Way way) {
    List<Outcome> outcomes = outcomes(way);
    int requests = FIRST + APART * outcomes.size() + APART;
    List<Fault> faults = new ArrayList<>();
    for (int i = 0; i < outcomes.size(); i++) {
      faults.add(Fault.parse(outcomes.get(i).fault() + ",at=" + (FIRST + APART * i)));
    }
    try (Simulator server = Servers.start(Servers.options(way.engine).faults(faults))) {
      Ended run = ForkedRunner.run(folder, way.plan(requests).replica(server.url())).completed();

      long failed = outcomes.stream().mapToLong(outcome -> outcome.kinds().size()).sum();
      List<String[]> rows = run.requests();
      assertThat(server.counters().struck()).isEqualTo(faults.size());
      assertThat(server.counters().requests())
          .as("nothing is sent again")
          .isEqualTo(rows.size() / way.batch + 1);
      assertThat(run.failureKinds())
          .as(run.output())
          .containsExactlyInAnyOrderElementsOf(kinds(outcomes));
      run.countsAgree(failed);
      assertThat(run.summary().verdict()).isEqualTo(Verdict.Invalid);
      assertThat(run.summary().verdictReasons())
          .filteredOn(reason -> reason.rule().equals("FailedSamples"))
          .singleElement()
          .extracting(VerdictReason::message)
          .asString()
          .contains(failed + " of " + rows.size())
          .contains(kinds(outcomes));
    }
  }

  private static List<String> kinds(List<Outcome> outcomes) {
    return outcomes.stream()
        .flatMap(outcome -> outcome.kinds().stream())
        .map(RequestFailure.Kind::name)
        .toList();
  }

  /** What the server does all the time is told before the test, which then takes no GPU time. */
  @ParameterizedTest
  @EnumSource(names = {"VLLM_OFFLINE_STREAMS", "SGLANG_OFFLINE"})
  void modelThatIsNotServedIsToldBeforeTheTest(Way way) {
    try (Simulator server =
        Servers.start(
            Servers.options(way.engine).faults(List.of(Fault.always(Fault.Kind.WRONG_MODEL))))) {
      ForkedRunner.run(folder, way.plan(10).replica(server.url()))
          .failed(RunnerExit.MODEL_NOT_SERVED, "another-model", PlanBuilder.MODEL, "servedName");

      assertThat(server.counters().requests()).isZero();
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"VLLM_OFFLINE_STREAMS", "SGLANG_SERVER", "VLLM_SINGLE_STREAM"})
  void replicaThatDiesIsCountedApartAndTheOtherGoesOn(Way way) {
    try (Simulator good = Servers.start(Servers.options(way.engine));
        Simulator dying =
            Servers.start(Servers.options(way.engine).faults(List.of(Fault.parse("exit,at=12"))))) {
      Ended run =
          ForkedRunner.run(folder, way.plan(120).replica(good.url()).replica(dying.url()))
              .completed();

      RunResult result = run.summary().result();
      List<RunResult.ReplicaResult> replicas = result.replicas();
      assertThat(replicas.get(0).failed()).as(run.output()).isZero();
      assertThat(replicas.get(1).completed()).isBetween(1L, 10L);
      assertThat(replicas.get(1).failed()).isPositive();
      assertThat(result.failed()).isEqualTo(replicas.get(1).failed());
      assertThat(result.completed())
          .isEqualTo(replicas.get(0).completed() + replicas.get(1).completed());
      assertThat(result.completed() + result.failed()).isEqualTo(run.requests().size());
      assertThat(run.failureKinds()).isSubsetOf("BROKEN", "CONNECT", "NO_SERVER");
      assertThat(run.summary().verdict()).isEqualTo(Verdict.Invalid);
    }
  }

  /** As a server does that is asked for more than it takes: no try again, and no crash. */
  @Test
  void burstsOfRefusalsAreCountedAndPass() {
    try (Simulator server =
        Servers.vllm("status=429,after=20,first=39", "status=503,after=60,first=89")) {
      Ended run =
          ForkedRunner.run(
                  folder, new PlanBuilder().offline(120).streams(true).replica(server.url()))
              .completed();

      assertThat(run.summary().result().failed()).isEqualTo(19 + 29);
      assertThat(run.summary().result().completed()).isEqualTo(120 - 19 - 29);
      assertThat(run.failureKinds()).containsOnly("HTTP_STATUS");
      assertThat(run.summary().verdict()).isEqualTo(Verdict.Invalid);
    }
  }

  @Test
  void serverWithoutTlsIsToldBeforeTheTest() {
    try (Simulator server = Servers.vllm()) {
      ForkedRunner.run(
              folder,
              new PlanBuilder()
                  .ready(Duration.ofSeconds(2))
                  .replica(server.url().toString().replace("http:", "https:")))
          .failed(RunnerExit.BACKEND_UNREACHABLE, "https://127.0.0.1", "not healthy after 2 s");
    }
  }

  @Test
  void serverThatRefusesConnectionsIsToldBeforeTheTest() {
    ForkedRunner.run(
            folder, new PlanBuilder().ready(Duration.ofSeconds(1)).replica("http://127.0.0.1:1"))
        .failed(RunnerExit.BACKEND_UNREACHABLE, "http://127.0.0.1:1", "not healthy after 1 s");
  }
}
