package dev.loadgen.local;

import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Unmatched;

/** {@code loadgen simulate}: the simulator in this JVM, with all its own options. */
@Command(
    name = "simulate",
    description =
        "Serve as vLLM or SGLang would, with no model behind it; --help lists the simulator's"
            + " options.")
final class SimulateCommand implements Callable<Integer> {
  @Unmatched private List<String> arguments = List.of();

  @Override
  public Integer call() throws InterruptedException {
    dev.loadgen.simulator.Main.main(arguments.toArray(String[]::new));
    return 0;
  }
}
