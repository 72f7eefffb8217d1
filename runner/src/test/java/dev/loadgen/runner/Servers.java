package dev.loadgen.runner;

import dev.loadgen.simulator.Engine;
import dev.loadgen.simulator.Fault;
import dev.loadgen.simulator.Simulator;
import dev.loadgen.simulator.SimulatorOptions;
import dev.loadgen.simulator.TokenRange;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.stream.Stream;

/** Simulated servers of the model of {@link PlanBuilder}, fast and with answers of a few tokens. */
final class Servers {
  private Servers() {}

  static SimulatorOptions.Builder options(Engine engine) {
    return SimulatorOptions.builder(engine)
        .servedModelName(PlanBuilder.MODEL)
        .ttft(Duration.ofMillis(4))
        .tpot(Duration.ofMillis(1))
        .outputTokens(new TokenRange(3, 9));
  }

  /** A vLLM server with faults as {@code --fail} takes them. */
  static Simulator vllm(String... faults) {
    return start(
        options(Engine.VLLM).fail(Stream.of(faults).map(Fault::parse).toArray(Fault[]::new)));
  }

  static Simulator start(SimulatorOptions.Builder options) {
    try {
      return Simulator.start(options.build());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
