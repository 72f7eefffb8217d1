package dev.loadgen.runner;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.sun.net.httpserver.HttpServer;
import dev.loadgen.contract.RunnerExit;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
class DatasetDownloadTest {
  private final HttpServer server;
  private final Path folder;

  DatasetDownloadTest(@TempDir Path folder) throws IOException {
    this.folder = folder;
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext(
        "/whole",
        exchange -> {
          exchange.sendResponseHeaders(200, 5);
          exchange.getResponseBody().write("hello".getBytes(StandardCharsets.UTF_8));
          exchange.close();
        });
    server.createContext(
        "/cut",
        exchange -> {
          exchange.sendResponseHeaders(200, 500);
          exchange.getResponseBody().write("hello".getBytes(StandardCharsets.UTF_8));
          exchange.close();
        });
    server.start();
  }

  @AfterEach
  void stop() {
    server.stop(0);
  }

  private String url(String path) {
    return "http://127.0.0.1:" + server.getAddress().getPort() + path;
  }

  private void refused(String url, String... parts) {
    RunFailedException failure =
        catchThrowableOfType(
            RunFailedException.class, () -> DatasetDownload.fetch(url, folder.resolve("data")));
    assertThat(failure).as("%s is refused", url).isNotNull();
    assertThat(failure.exit()).isEqualTo(RunnerExit.DATASET_INVALID);
    assertThat(failure).message().contains("spec.dataset.url: " + url).contains(parts);
    assertThat(folder.resolve("data")).doesNotExist();
  }

  @Test
  void wholeFileIsThere() throws Exception {
    DatasetDownload.fetch(url("/whole"), folder.resolve("data"));
    assertThat(folder.resolve("data")).hasContent("hello");
    assertThat(folder).isDirectoryNotContaining("glob:**.tmp");
  }

  @Test
  void missingFileIsTold() {
    refused(url("/absent"), "404", "correct the URL");
  }

  @Test
  void signaturesAreNotRepeated() {
    for (String path : List.of("/absent", "/cut")) {
      RunFailedException failure =
          catchThrowableOfType(
              RunFailedException.class,
              () ->
                  DatasetDownload.fetch(
                      url(path) + "?X-Amz-Signature=5EC4E7", folder.resolve("data")));

      assertThat(failure).message().contains(url(path) + "?...").doesNotContain("5EC4E7");
    }
  }

  @Test
  void cutFileIsNoFile() {
    refused(url("/cut"), "cannot be fetched");
    assertThat(folder).isEmptyDirectory();
  }

  @Test
  void hostThatIsDownIsTold() {
    refused("http://127.0.0.1:1/data.json", "cannot be fetched", "claim");
  }

  @Test
  void whatIsNoUrlIsTold() {
    refused("not a url", "correct the URL");
  }
}
