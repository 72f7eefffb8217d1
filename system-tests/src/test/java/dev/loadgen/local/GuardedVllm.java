package dev.loadgen.local;

import dev.loadgen.contract.AccessRules;
import java.io.IOException;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.Key;
import java.security.KeyStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManager;

/**
 * The real vLLM with a tiny Qwen3-VL, behind an API key and a certificate of an authority of our
 * own.
 */
final class GuardedVllm implements AutoCloseable {
  static final String MODEL = "tiny-qwen3-vl";

  private static final String PASSWORD = "changeit";
  private static final Duration START_LIMIT = Duration.ofMinutes(15);

  private final Process process;
  private final int port;
  private final Path folder;
  private final Path log;

  private GuardedVllm(Process process, int port, Path folder, Path log) {
    this.process = process;
    this.port = port;
    this.folder = folder;
    this.log = log;
  }

  /**
   * Starts the server and waits until it is healthy.
   *
   * @param folder for keys and certificates
   * @param log what the server prints
   */
  static GuardedVllm start(Path folder, Path log, String apiKey)
      throws IOException, InterruptedException, GeneralSecurityException {
    makeCertificates(folder);
    int port;
    try (ServerSocket free = new ServerSocket(0)) {
      port = free.getLocalPort();
    }
    List<String> command =
        List.of(
            RealServers.commands().resolve("vllm").toString(),
            "serve",
            MODEL,
            "--served-model-name=" + MODEL,
            "--host=127.0.0.1",
            "--port=" + port,
            "--max-model-len=4096",
            "--no-enable-prefix-caching",
            "--limit-mm-per-prompt={\"image\": 1, \"video\": 0}",
            // Random weights would fill every answer with the white space that JSON allows.
            "--structured-outputs-config={\"backend\": \"xgrammar\","
                + " \"disable_any_whitespace\": true}",
            "--api-key=" + apiKey,
            "--ssl-keyfile=" + folder.resolve("server.key"),
            "--ssl-certfile=" + folder.resolve("server.crt"));
    Files.createDirectories(log.getParent());
    Process process =
        new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(log.toFile()).start();
    GuardedVllm server = new GuardedVllm(process, port, folder, log);
    try {
      server.awaitHealthy();
      return server;
    } catch (IOException | InterruptedException | RuntimeException | AssertionError e) {
      server.close();
      throw e;
    }
  }

  /** A root of our own and, signed by it, the server's certificate with its key in PEM. */
  private static void makeCertificates(Path folder)
      throws IOException, InterruptedException, GeneralSecurityException {
    keytool(folder, "-genkeypair -alias ca -keyalg EC -dname CN=ca -validity 2 -ext bc:c=ca:true");
    keytool(folder, "-genkeypair -alias server -keyalg EC -dname CN=server -validity 2");
    keytool(folder, "-exportcert -rfc -alias ca -file ca.crt");
    keytool(folder, "-certreq -alias server -file server.csr");
    keytool(
        folder,
        "-gencert -rfc -alias ca -infile server.csr -outfile server.crt -validity 2"
            + " -ext san=ip:127.0.0.1");
    KeyStore store =
        KeyStore.getInstance(folder.resolve("keys.p12").toFile(), PASSWORD.toCharArray());
    Key key = store.getKey("server", PASSWORD.toCharArray());
    String base64 = Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(key.getEncoded());
    Files.writeString(
        folder.resolve("server.key"),
        "-----BEGIN PRIVATE KEY-----\n" + base64 + "\n-----END PRIVATE KEY-----\n");
  }

  private static void keytool(Path folder, String arguments)
      throws IOException, InterruptedException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "keytool").toString());
    command.addAll(List.of(arguments.split(" ")));
    command.addAll(List.of("-keystore", "keys.p12", "-storepass", PASSWORD));
    Process keytool = new ProcessBuilder(command).directory(folder.toFile()).inheritIO().start();
    if (keytool.waitFor() != 0) {
      throw new AssertionError(command + " failed");
    }
  }

  private void awaitHealthy() throws IOException, InterruptedException {
    HttpRequest request =
        HttpRequest.newBuilder(URI.create(url() + "/health"))
            .timeout(Duration.ofSeconds(10))
            .build();
    long deadline = System.nanoTime() + START_LIMIT.toNanos();
    try (HttpClient http = HttpClient.newBuilder().sslContext(trusting()).build()) {
      while (System.nanoTime() < deadline) {
        if (!process.isAlive()) {
          throw new AssertionError("vLLM ended with " + process.exitValue() + endOfLog());
        }
        try {
          if (http.send(request, BodyHandlers.discarding()).statusCode() == 200) {
            return;
          }
        } catch (IOException notYet) {
          // Nobody listens until the model is loaded; the deadline ends the wait.
        }
        Thread.sleep(1000);
      }
    }
    throw new AssertionError("vLLM is not healthy after " + START_LIMIT + endOfLog());
  }

  private SSLContext trusting() throws IOException {
    try {
      SSLContext context = SSLContext.getInstance("TLS");
      context.init(
          null,
          new TrustManager[] {AccessRules.trust(authority().getBytes(StandardCharsets.US_ASCII))},
          null);
      return context;
    } catch (GeneralSecurityException e) {
      throw new AssertionError(e);
    }
  }

  private String endOfLog() throws IOException {
    List<String> lines = Files.readAllLines(log);
    return "; the end of "
        + log
        + ":\n"
        + String.join("\n", lines.subList(Math.max(0, lines.size() - 30), lines.size()));
  }

  String url() {
    return "https://127.0.0.1:" + port;
  }

  /** The certificate of the root, in PEM. */
  String authority() throws IOException {
    return Files.readString(folder.resolve("ca.crt"));
  }

  @Override
  public void close() {
    List<ProcessHandle> all =
        Stream.concat(process.descendants(), Stream.of(process.toHandle())).toList();
    process.destroy();
    try {
      if (!process.waitFor(60, TimeUnit.SECONDS)) {
        process.destroyForcibly();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      all.forEach(ProcessHandle::destroyForcibly);
    }
  }
}
