package dev.loadgen.runner;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.loadgen.client.Deadlines;
import dev.loadgen.client.EngineClients;
import dev.loadgen.client.Prompt;
import dev.loadgen.client.ServerProbe;
import dev.loadgen.client.transport.HostNames;
import dev.loadgen.client.transport.OkHttpTransport;
import dev.loadgen.contract.EndpointType;
import dev.loadgen.contract.Engine;
import dev.loadgen.contract.PlanBuilder;
import dev.loadgen.contract.RunPlan;
import dev.loadgen.contract.RunnerExit;
import dev.loadgen.runner.dispatch.Replica;
import dev.loadgen.simulator.Fault;
import dev.loadgen.simulator.Simulator;
import java.net.InetAddress;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What servers do to the requests before a test, and what the user is told. */
@Timeout(60)
class PreflightTest {
  private static final Prompt PROMPT = new Prompt(new int[] {100, 200, 300}, "question");
  private static final String NOBODY = "http://127.0.0.1:1";

  @FunctionalInterface
  private interface Action {
    void on(Preflight preflight, List<Replica> replicas)
        throws RunFailedException, InterruptedException;
  }

  private static void with(PlanBuilder builder, Action action)
      throws RunFailedException, InterruptedException {
    with(builder, HostNames.system(), action);
  }

  private static void with(PlanBuilder builder, HostNames names, Action action)
      throws RunFailedException, InterruptedException {
    RunPlan plan = builder.build();
    List<Replica> replicas = new ArrayList<>();
    for (RunPlan.Replica replica : plan.server().replicas()) {
      replicas.add(new Replica(replicas.size(), replica.name(), URI.create(replica.url())));
    }
    try (Deadlines deadlines = new Deadlines();
        ServerProbe probe = new ServerProbe(names, plan.server().engine());
        OkHttpTransport transport = new OkHttpTransport(names)) {
      action.on(
          new Preflight(plan, EngineClients.forPlan(plan, transport, deadlines), probe, names),
          replicas);
    }
  }

  private static void check(PlanBuilder builder) throws RunFailedException, InterruptedException {
    with(builder, (preflight, replicas) -> preflight.check(replicas, PROMPT));
  }

  private static void refused(PlanBuilder builder, RunnerExit exit, String... parts) {
    RunFailedException failure =
        catchThrowableOfType(RunFailedException.class, () -> check(builder));
    assertThat(failure).as("the check fails").isNotNull();
    assertThat(failure.exit()).isEqualTo(exit);
    assertThat(failure).message().contains(parts);
  }

  @ParameterizedTest
  @CsvSource({"vllm, completions, true", "vllm, chat_completions, false", "sglang, generate, true"})
  void goodServersGetOneRequestEach(Engine engine, EndpointType route, boolean streaming)
      throws Exception {
    dev.loadgen.simulator.SimulatedEngine kind =
        engine == Engine.vllm
            ? dev.loadgen.simulator.SimulatedEngine.VLLM
            : dev.loadgen.simulator.SimulatedEngine.SGLANG;
    try (Simulator first = Servers.start(Servers.options(kind));
        Simulator second = Servers.start(Servers.options(kind))) {
      check(
          new PlanBuilder()
              .server(engine, route)
              .streams(streaming)
              .replica(first.url())
              .replica(second.url()));
      assertThat(first.counters().requests()).isEqualTo(1);
      assertThat(second.counters().requests()).isEqualTo(1);
    }
  }

  @Test
  void aNameWithSeveralAddressesIsNotMeasuredAsOneServer() throws Exception {
    HostNames names =
        HostNames.by(
            host ->
                Stream.of("127.0.0.1", "127.0.0.2", "127.0.0.3", "127.0.0.4", "127.0.0.5")
                    .map(InetAddress::ofLiteral)
                    .toList());
    try (Simulator server = Servers.vllm()) {
      RunFailedException failure =
          catchThrowableOfType(
              RunFailedException.class,
              () ->
                  with(
                      new PlanBuilder().replica("http://llm:" + server.url().getPort()),
                      names,
                      (preflight, replicas) -> preflight.check(replicas, PROMPT)));

      assertThat(failure).as("the check fails").isNotNull();
      assertThat(failure.exit()).isEqualTo(RunnerExit.PREFLIGHT_FAILED);
      assertThat(failure)
          .message()
          .contains(
              "server-0 at http://llm:",
              "has 5 addresses (127.0.0.1, 127.0.0.2, 127.0.0.3, 127.0.0.4, ...)",
              "spec.external.urls");
      assertThat(server.counters().requests()).isZero();
    }
  }

  @Test
  void aNameWithAnAddressOfEachFamilyIsOneServer() throws Exception {
    HostNames names =
        HostNames.by(
            host -> List.of(InetAddress.ofLiteral("127.0.0.1"), InetAddress.ofLiteral("::1")));
    try (Simulator server = Servers.vllm()) {
      with(
          new PlanBuilder().replica("http://llm:" + server.url().getPort()),
          names,
          (preflight, replicas) -> preflight.check(replicas, PROMPT));

      assertThat(server.counters().requests()).isEqualTo(1);
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "status=404      | false | HTTP_STATUS     | 404",
        "status=400      | true  | HTTP_STATUS     | spec.sampling",
        "no-tokens       | true  | NO_TOKENS       | minTokens",
        "no-tokens       | false | NO_TOKENS       | minTokens",
        "error-in-stream | true  | ERROR_IN_STREAM | spec.sampling",
        "garbage         | true  | MALFORMED       | spec.engine",
        "garbage         | false | MALFORMED       | spec.engine",
        "cut-stream      | true  | BROKEN          | log",
        "close           | false | BROKEN          | log",
        "hang            | true  | TIMEOUT         | spec.client.requestTimeout"
      })
  void badAnswerIsQuotedWithACure(String fault, boolean streaming, String kind, String cure) {
    try (Simulator server = Servers.vllm(fault)) {
      refused(
          new PlanBuilder()
              .streams(streaming)
              .requestTimeout(Duration.ofSeconds(fault.equals("hang") ? 1 : 30))
              .replica(server.url()),
          RunnerExit.PREFLIGHT_FAILED,
          "server-0",
          server.url().toString(),
          kind,
          cure);
      assertThat(server.counters().requests()).isOne();
    }
  }

  @ParameterizedTest
  @CsvSource({"no-usage, true", "no-usage, false", "no-counts, true"})
  void aServerOfOpenAisApiHasToSendItsUsage(String fault, boolean streaming) {
    try (Simulator server =
        Servers.start(
            Servers.options(dev.loadgen.simulator.SimulatedEngine.OPENAI)
                .faults(List.of(Fault.parse(fault))))) {
      refused(
          openAi(server).streams(streaming),
          RunnerExit.PREFLIGHT_FAILED,
          "no token counts",
          "stream_options.include_usage");
    }
  }

  @Test
  void aKeyThatIsMissingIsNoServerThatIsDown() {
    try (Simulator server =
        Servers.start(Servers.options(dev.loadgen.simulator.SimulatedEngine.OPENAI).apiKey("k"))) {
      refused(
          openAi(server).ready(Duration.ofMillis(10)),
          RunnerExit.BACKEND_UNREACHABLE,
          "/openai/v1/models answered HTTP 401",
          "spec.access");
    }
  }

  private static PlanBuilder openAi(Simulator server) {
    return new PlanBuilder()
        .server(Engine.openai, EndpointType.chat_completions)
        .replica(server.url());
  }

  @Test
  void secondServerThatIsDownIsNamed() {
    try (Simulator server = Servers.vllm()) {
      refused(
          new PlanBuilder().ready(Duration.ofSeconds(1)).replica(server.url()).replica(NOBODY),
          RunnerExit.BACKEND_UNREACHABLE,
          "server-1",
          NOBODY,
          "not healthy after 1 s");
    }
  }

  @Test
  void serverThatBecomesReadyInTimeIsWaitedFor() throws Exception {
    try (Simulator server =
        Servers.start(
            Servers.options(dev.loadgen.simulator.SimulatedEngine.VLLM)
                .startupTime(Duration.ofMillis(600)))) {
      check(new PlanBuilder().ready(Duration.ofSeconds(30)).replica(server.url()));
      assertThat(server.counters().requests()).isOne();
    }
  }

  @Test
  void otherModelIsNamedBesideTheServedOnes() {
    try (Simulator server = Servers.vllm()) {
      refused(
          new PlanBuilder().servers(s -> s.model("other")).replica(server.url()),
          RunnerExit.MODEL_NOT_SERVED,
          "serves " + PlanBuilder.MODEL,
          "not other",
          "spec.model.servedName");
    }
  }

  @Test
  void otherEngineIsFound() {
    try (Simulator server = Servers.vllm()) {
      refused(
          new PlanBuilder().server(Engine.sglang, EndpointType.generate).replica(server.url()),
          RunnerExit.PREFLIGHT_FAILED,
          "HTTP_STATUS",
          "404");
    }
  }

  @Test
  void warmUpSendsToEachServerAndStopsAtAFailure() throws Exception {
    try (Simulator good = Servers.vllm();
        Simulator bad = Servers.vllm("status=503,at=3")) {
      PlanBuilder plan = new PlanBuilder().replica(good.url()).replica(bad.url());
      RunFailedException failure =
          catchThrowableOfType(
              RunFailedException.class,
              () ->
                  with(
                      plan,
                      (preflight, replicas) ->
                          preflight.warmUp(replicas, List.of(PROMPT, PROMPT), 5)));
      assertThat(failure).hasMessageContainingAll("server-1", "warm-up request 3", "503");
      assertThat(good.counters().requests()).isEqualTo(3);
      assertThat(bad.counters().requests()).isEqualTo(3);
    }
  }
}
