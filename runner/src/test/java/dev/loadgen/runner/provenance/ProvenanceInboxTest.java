package dev.loadgen.runner.provenance;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import dev.loadgen.contract.ContractJson;
import dev.loadgen.contract.Provenance;
import dev.loadgen.contract.RunnerInterface;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class ProvenanceInboxTest {
  private static final String TOKEN = "b7f1c0de-run";

  private final HttpClient http = HttpClient.newHttpClient();
  private final ProvenanceInbox inbox = new ProvenanceInbox(TOKEN);
  private final HttpServer server;

  ProvenanceInboxTest() throws IOException {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext(RunnerInterface.PROVENANCE_PATH, inbox);
    server.start();
  }

  @AfterEach
  void stop() {
    server.stop(0);
    http.close();
  }

  @Test
  void whatIsToldLastIsKept() throws Exception {
    assertThat(put(TOKEN, json(1)).statusCode()).isEqualTo(204);
    assertThat(put(TOKEN, json(2)).statusCode()).isEqualTo(204);

    assertThat(inbox.close()).isEqualTo(seen(2));
    assertThat(put(TOKEN, json(3)).statusCode()).isEqualTo(409);
    assertThat(inbox.close()).isEqualTo(seen(2));
  }

  @Test
  void whatANewerOperatorAddsIsLeftOut() throws Exception {
    assertThat(put(TOKEN, "{\"backendGeneration\": 4, \"weather\": \"fine\"}").statusCode())
        .isEqualTo(204);

    assertThat(inbox.close()).isEqualTo(new Provenance(4L, null, null, null, null));
  }

  @Test
  void nobodyElseIsBelieved() throws Exception {
    assertThat(put("another", json(1)).statusCode()).isEqualTo(401);
    assertThat(put(TOKEN, "no").statusCode()).isEqualTo(400);
    assertThat(put(TOKEN, "null").statusCode()).isEqualTo(400);
    assertThat(http.send(request(TOKEN).GET().build(), BodyHandlers.ofString()).statusCode())
        .isEqualTo(405);

    assertThat(inbox.close()).isNull();
  }

  private static Provenance seen(long generation) {
    return new Provenance(
        generation, null, List.of(), new Provenance.Runner("i", "sha256:r", null), List.of("p"));
  }

  private static String json(long generation) {
    return ContractJson.write(seen(generation));
  }

  private HttpResponse<String> put(String token, String body)
      throws IOException, InterruptedException {
    return http.send(
        request(token).PUT(BodyPublishers.ofString(body)).build(), BodyHandlers.ofString());
  }

  private HttpRequest.Builder request(String token) {
    return HttpRequest.newBuilder(
            URI.create(
                "http://127.0.0.1:"
                    + server.getAddress().getPort()
                    + RunnerInterface.PROVENANCE_PATH))
        .header("Authorization", "Bearer " + token);
  }
}
