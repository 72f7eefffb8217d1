package dev.loadgen.runner.provenance;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.loadgen.client.ServerProbe;
import dev.loadgen.client.transport.HostNames;
import dev.loadgen.contract.Engine;
import dev.loadgen.contract.EngineFacts;
import dev.loadgen.runner.dispatch.Replica;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentSkipListMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class EngineAuditTest {
  private final Map<String, String> answers = new ConcurrentSkipListMap<>();
  private final HttpServer server;

  EngineAuditTest() throws IOException {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext("/", this::answer);
    server.start();
  }

  private void answer(HttpExchange exchange) throws IOException {
    try (exchange) {
      String answer = answers.get(exchange.getRequestURI().getPath());
      byte[] body = (answer == null ? "" : answer).getBytes(StandardCharsets.UTF_8);
      exchange.sendResponseHeaders(answer == null ? 404 : 200, body.length == 0 ? -1 : body.length);
      exchange.getResponseBody().write(body);
    }
  }

  @AfterEach
  void stop() {
    server.stop(0);
  }

  @Test
  void vllmHasAVersion(@TempDir Path folder) throws Exception {
    answers.put("/version", "{\"version\": \"0.32.0\"}");

    EngineFacts facts = audited(Engine.vllm, folder);

    assertThat(facts)
        .isEqualTo(new EngineFacts("0.32.0", new TreeMap<>(), List.of(), List.of("a")));
  }

  /** 0.5.23 has both paths, and older versions the longer one. */
  @Test
  void sglangTellsItsArguments(@TempDir Path folder) throws Exception {
    answers.put(
        "/get_server_info",
        """
        {"version": "0.5.23", "tp_size": 8, "disable_radix_cache": true, "context_length": null,
         "api_key": "sesame", "random_seed": 17, "_internal": 1, "model_path": "m",
         "internal_states": [{"last_gen_throughput": 12.5}], "cuda_graph_config": {"a": 1}}
        """);

    EngineFacts facts = audited(Engine.sglang, folder);

    assertThat(facts.version()).isEqualTo("0.5.23");
    assertThat(facts.arguments())
        .isEqualTo(
            Map.of(
                "tp_size", "8",
                "disable_radix_cache", "true",
                "api_key", "[removed]",
                "model_path", "m",
                "cuda_graph_config", "{\"a\":1}"));
    assertThat(facts.silent()).isEmpty();
  }

  @Test
  void aGatewayThatSaysNothingIsNoError(@TempDir Path folder) throws Exception {
    answers.put("/version", "<html>");

    assertThat(audited(Engine.vllm, folder))
        .isEqualTo(new EngineFacts(null, new TreeMap<>(), List.of(), List.of("a")));
  }

  @Test
  void whatServersSayOtherwiseAfterTheTestIsAChange() throws Exception {
    try (ServerProbe probe = new ServerProbe(HostNames.parse(""), Engine.vllm)) {
      EngineAudit audit = new EngineAudit(probe, Engine.sglang, replicas());
      answers.put("/server_info", "{\"version\": \"0.5.23\", \"tp_size\": 8, \"a\": 1, \"b\": 2}");
      audit.begin();
      audit.end();
      assertThat(audit.changes()).isEmpty();

      answers.put("/server_info", "{\"version\": \"0.5.24\", \"tp_size\": 4, \"a\": 1, \"c\": 3}");
      audit.end();
      assertThat(audit.changes())
          .containsExactly(
              "a reports after the test that it is version 0.5.24 of sglang, and before it was"
                  + " 0.5.23",
              "a reports after the test that it runs with other arguments than before: b, c,"
                  + " tp_size");

      answers.clear();
      audit.end();
      assertThat(audit.changes()).as("silence is no change").isEmpty();
    }
  }

  @Test
  void whatServersHaveInCommonIsToldOnce() {
    Map<String, EngineAccount> accounts = new LinkedHashMap<>();
    accounts.put("a", new EngineAccount("1", new TreeMap<>(Map.of("x", "1", "y", "2"))));
    accounts.put("b", new EngineAccount("1", new TreeMap<>(Map.of("x", "1", "y", "3"))));
    accounts.put("c", EngineAccount.SILENT);

    assertThat(EngineAudit.condensed(accounts))
        .isEqualTo(
            new EngineFacts(
                "1",
                new TreeMap<>(Map.of("x", "1")),
                List.of(
                    new EngineFacts.Differing("a", null, new TreeMap<>(Map.of("y", "2"))),
                    new EngineFacts.Differing("b", null, new TreeMap<>(Map.of("y", "3")))),
                List.of("c")));
  }

  @Test
  void serversOfDifferentVersionsAreTold() {
    Map<String, EngineAccount> accounts = new LinkedHashMap<>();
    accounts.put("a", new EngineAccount("1", new TreeMap<>()));
    accounts.put("b", new EngineAccount("2", new TreeMap<>()));

    EngineFacts facts = EngineAudit.condensed(accounts);

    assertThat(facts.version()).isNull();
    assertThat(facts.differing())
        .extracting(EngineFacts.Differing::version)
        .containsExactly("1", "2");
  }

  /** All that a real server says, without what it says of its secrets. */
  @Test
  void theAnswerOfARealSglangIsRead() throws IOException {
    EngineAccount account =
        EngineAccount.of(
            new ObjectMapper()
                .readTree(
                    EngineAuditTest.class.getResourceAsStream(
                        "/sglang/get_server_info.response.json")));

    assertThat(account.version()).isEqualTo("0.5.23");
    assertThat(account.arguments())
        .containsEntry("model_path", "models/tiny-llama")
        .containsEntry("max_running_requests", "64")
        .doesNotContainKey("internal_states");
  }

  private EngineFacts audited(Engine engine, Path folder) throws InterruptedException {
    try (ServerProbe probe = new ServerProbe(HostNames.parse(""), Engine.vllm)) {
      EngineAudit audit = new EngineAudit(probe, engine, replicas());
      audit.begin();
      return audit.facts(folder);
    }
  }

  private List<Replica> replicas() {
    return List.of(
        new Replica(0, "a", URI.create("http://127.0.0.1:" + server.getAddress().getPort())));
  }
}
