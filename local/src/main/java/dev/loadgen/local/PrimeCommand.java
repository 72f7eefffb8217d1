package dev.loadgen.local;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.loadgen.local.kubelet.KubeletSettings;
import dev.loadgen.local.kubelet.LocalImages;
import dev.loadgen.local.schema.CustomResourceSchemas;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;

/**
 * {@code loadgen prime}: starts and ends the system with nothing in it, and evaluates rules, so
 * that {@code bin/loadgen} can archive the classes that a run loads.
 */
@Command(name = "prime", hidden = true)
final class PrimeCommand implements Callable<Integer> {
  @Override
  public Integer call() throws Exception {
    Path state = Files.createTempDirectory("loadgen-");
    LogFile.open(state.resolve("operator.log"));
    KubeletSettings settings = KubeletSettings.of(state, LocalImages.own(), (pod, volume) -> state);
    LocalSystem.start(settings).close();
    ObjectNode run = JsonNodeFactory.instance.objectNode();
    run.putObject("spec").putObject("dataset");
    CustomResourceSchemas.load().ofKind("BenchmarkRun").orElseThrow().brokenRules(run, null);
    RunSession.delete(state);
    return 0;
  }
}
