package dev.loadgen.runner;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import dev.loadgen.commands.TlsProxy;
import dev.loadgen.contract.PlanBuilder;
import dev.loadgen.contract.RunPlan;
import dev.loadgen.contract.RunnerExit;
import dev.loadgen.runner.ForkedRunner.Ended;
import dev.loadgen.simulator.SimulatedEngine;
import dev.loadgen.simulator.Simulator;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Servers behind https, keys and headers, and where the secrets do not go. */
@Timeout(300)
class GuardedServersIT {
  private static final String KEY = "k-0d5b7e1f9c";
  private static final String HEADER = "h-93cc20aa41";

  private final Path folder;

  GuardedServersIT(@TempDir Path folder) throws IOException {
    this.folder = folder;
    ForkedRunner.prompts(folder, 20);
    secret("api-key", KEY + "\n");
    secret("headers/X-Team-Token", HEADER);
  }

  private void secret(String name, String content) throws IOException {
    Path file = folder.resolve("secrets").resolve(name);
    Files.createDirectories(file.getParent());
    Files.writeString(file, content);
  }

  @Test
  void everyRequestIsLetInAndNoSecretIsWrittenDown() throws Exception {
    try (Simulator server = Servers.start(Servers.options(SimulatedEngine.VLLM).apiKey(KEY));
        TlsProxy proxy = TlsProxy.before(server.url(), folder)) {
      secret("ca.crt", new String(proxy.certificate(), StandardCharsets.US_ASCII));

      Ended run =
          ForkedRunner.run(
                  folder,
                  new PlanBuilder()
                      .offline(40)
                      .streaming(false)
                      .client(c -> c.warmupRequests(1))
                      .servers(s -> s.access(new RunPlan.Access(true, true, true)))
                      .replica(proxy.url()))
              .completed();

      assertThat(run.summary().result().completed()).isEqualTo(40);
      run.tokensAgree();
      for (String path : List.of("/health", "/v1/models", "/metrics", "/v1/completions")) {
        assertThat(proxy.heads()).as(path).anyMatch(head -> head.contains(path));
      }
      assertThat(proxy.heads())
          .hasSizeGreaterThan(40)
          .allSatisfy(
              head ->
                  assertThat(head)
                      .contains("authorization: bearer " + KEY)
                      .contains("x-team-token: " + HEADER));
      run.keepsToItself(KEY, HEADER);
    }
  }

  @Test
  void aCertificateThatNobodyTrustsIsNoServer() {
    try (Simulator server = Servers.vllm();
        TlsProxy proxy = TlsProxy.before(server.url(), folder)) {
      ForkedRunner.run(folder, new PlanBuilder().ready(Duration.ofSeconds(1)).replica(proxy.url()))
          .failed(RunnerExit.BACKEND_UNREACHABLE, "is not healthy", "certification path");
    }
  }

  /** A gateway that repeats what it was sent, as some do. */
  @Test
  void aServerThatRepeatsTheKeyDoesNotBringItIntoTheFolder() throws Exception {
    HttpServer gateway =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    gateway.createContext(
        "/",
        exchange -> {
          String path = exchange.getRequestURI().getPath();
          String authorization = exchange.getRequestHeaders().getFirst("Authorization");
          byte[] body =
              switch (path) {
                case "/health" -> new byte[0];
                case "/v1/models" ->
                    ("{\"data\": [{\"id\": \"" + PlanBuilder.MODEL + "\"}]}")
                        .getBytes(StandardCharsets.UTF_8);
                default ->
                    ("{\"error\": {\"message\": \"bad credentials: "
                            + authorization
                            + " "
                            + exchange.getRequestHeaders().getFirst("X-Team-Token")
                            + "\"}}")
                        .getBytes(StandardCharsets.UTF_8);
              };
          exchange.sendResponseHeaders(path.equals("/v1/completions") ? 401 : 200, body.length);
          exchange.getResponseBody().write(body);
          exchange.close();
        });
    gateway.start();
    try {
      Ended run =
          ForkedRunner.run(
                  folder,
                  new PlanBuilder()
                      .servers(s -> s.access(new RunPlan.Access(true, true, false)))
                      .replica(URI.create("http://127.0.0.1:" + gateway.getAddress().getPort())))
              .failed(
                  RunnerExit.PREFLIGHT_FAILED,
                  "HTTP 401: bad credentials: Bearer [redacted] [redacted]",
                  "spec.access");
      run.keepsToItself(KEY, HEADER);
    } finally {
      gateway.stop(0);
    }
  }

  @Test
  void aPlanThatNeedsAKeyWantsItsFile() throws Exception {
    Files.delete(folder.resolve("secrets/api-key"));

    ForkedRunner.run(
            folder,
            new PlanBuilder()
                .servers(s -> s.access(new RunPlan.Access(true, false, false)))
                .replica("http://127.0.0.1:1"))
        .failed(RunnerExit.PLAN_INVALID, "--secrets", "api-key");
  }
}
