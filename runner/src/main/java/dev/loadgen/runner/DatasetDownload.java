package dev.loadgen.runner;

import dev.loadgen.contract.RunnerExit;
import dev.loadgen.contract.Urls;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import okhttp3.OkHttpClient;
import okhttp3.Request;
import okhttp3.Response;

/** Fetches a dataset that a plan names by URL. */
final class DatasetDownload {
  private static final Duration SILENCE = Duration.ofSeconds(60);

  private DatasetDownload() {}

  /**
   * Writes the resource to {@code file}, whole or not at all.
   *
   * @throws RunFailedException naming the URL, without its query, if it cannot be had
   */
  static void fetch(String url, Path file) throws RunFailedException, IOException {
    OkHttpClient client =
        new OkHttpClient.Builder().readTimeout(SILENCE).connectTimeout(SILENCE).build();
    Path partial = file.resolveSibling(file.getFileName() + ".tmp");
    try (Response response = client.newCall(new Request.Builder().url(url).build()).execute()) {
      if (!response.isSuccessful()) {
        throw new RunFailedException(
            RunnerExit.DATASET_INVALID,
            "spec.dataset.url: %s answers %s %s; correct the URL"
                .formatted(Urls.shown(url), response.code(), response.message()));
      }
      Files.copy(response.body().byteStream(), partial, StandardCopyOption.REPLACE_EXISTING);
      Files.move(partial, file, StandardCopyOption.ATOMIC_MOVE);
    } catch (IOException | IllegalArgumentException e) {
      throw new RunFailedException(
          RunnerExit.DATASET_INVALID,
          ("spec.dataset.url: %s cannot be fetched: %s; correct the URL, or use a claim or a"
                  + " ConfigMap")
              .formatted(Urls.shown(url), String.valueOf(e).replace(url, Urls.shown(url))),
          e);
    } finally {
      Files.deleteIfExists(partial);
      client.dispatcher().executorService().shutdown();
      client.connectionPool().evictAll();
    }
  }
}
