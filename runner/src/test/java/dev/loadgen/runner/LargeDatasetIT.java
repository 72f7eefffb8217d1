package dev.loadgen.runner;

import static org.assertj.core.api.Assertions.assertThat;

import dev.loadgen.contract.EndpointType;
import dev.loadgen.contract.PlanBuilder;
import dev.loadgen.contract.RunnerExit;
import dev.loadgen.runner.ForkedRunner.Ended;
import dev.loadgen.simulator.SimulatedEngine;
import dev.loadgen.simulator.Simulator;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * A tenth of Qwen3-VL's dataset, 4,829 images of 639 MB, in a heap that holds it once and not
 * twice: neither as it is read nor in requests. The heap is that of the samples' runner in the same
 * ratio, where what a runner has beside its dataset does not shrink.
 */
@Timeout(600)
class LargeDatasetIT {
  private static final int PRODUCTS = Integer.getInteger("loadgen.catalogue.products", 4829);
  private static final String HEAP = System.getProperty("loadgen.catalogue.heap", "900m");
  private static final int SMALL = 1000;
  private static final int IMAGE_BYTES = 132_400;

  private final Path folder;

  LargeDatasetIT(@TempDir Path folder) {
    this.folder = folder;
  }

  private Ended run(Simulator server, int samples, String heap) throws IOException {
    Path datasets = Files.createDirectories(folder.resolve("datasets"));
    ProductCatalogue.write(datasets.resolve("catalogue.parquet"), samples, IMAGE_BYTES);
    PlanBuilder plan =
        new PlanBuilder()
            .server(dev.loadgen.contract.Engine.vllm, EndpointType.chat_completions)
            .dataset("catalogue.parquet")
            .offline(samples)
            .test(t -> t.performanceSampleCount(samples))
            .client(c -> c.maxConcurrency(null))
            .requestTimeout(Duration.ofMinutes(8))
            .deadline(Duration.ofMinutes(8))
            .replica(server.url());
    List<String> options =
        List.of(
            "-XX:+UseG1GC",
            "-XX:TieredStopAtLevel=4", // checksums and base64 by the processor's own instructions
            "-Xmx" + heap,
            "-XX:+ExitOnOutOfMemoryError");
    try (ForkedRunner runner = ForkedRunner.start(folder, plan, List.of(), options)) {
      return runner.await(Duration.ofMinutes(8));
    }
  }

  private static Simulator server() {
    return Servers.start(Servers.options(SimulatedEngine.VLLM).multimodal(true));
  }

  @Test
  void itIsInMemoryOnce() throws IOException {
    try (Simulator server = server()) {
      Ended run = run(server, PRODUCTS, HEAP).completed();

      assertThat(run.summary().result().completed()).isEqualTo(PRODUCTS);
    }
  }

  @Test
  void withoutMemoryTheRunnerEndsWithACodeOfItsOwn() throws IOException {
    try (Simulator server = server()) {
      Ended run = run(server, SMALL, "128m");

      assertThat(run.exitCode()).as(run.output()).isEqualTo(RunnerExit.OUT_OF_MEMORY.code());
      assertThat(run.output()).contains("java.lang.OutOfMemoryError: Java heap space");
    }
  }
}
