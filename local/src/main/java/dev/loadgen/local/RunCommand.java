package dev.loadgen.local;

import dev.loadgen.commands.Surroundings;
import dev.loadgen.contract.Durations;
import dev.loadgen.local.kubelet.LocalImages;
import dev.loadgen.local.manifest.ManifestReader;
import dev.loadgen.local.manifest.Manifests;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code loadgen run}: applies manifests to an embedded cluster and waits for their runs. */
@Command(
    name = "run",
    sortOptions = false,
    usageHelpAutoWidth = true,
    mixinStandardHelpOptions = true,
    description = {
      "Apply manifests to a cluster inside this process, show progress, print the results.",
      "The same manifests work with kubectl on a cluster that has the operator."
    },
    exitCodeListHeading = "Exit status:%n",
    exitCodeList = {
      "0:every run has the verdict Valid",
      "1:a verdict is not Valid, or a run failed",
      "2:the manifests or options cannot be used; nothing was started",
      "3:--timeout passed",
      "130:interrupted"
    })
final class RunCommand implements Callable<Integer> {
  private final Surroundings surroundings;

  @Mixin private final ManifestFiles files = new ManifestFiles();

  @Option(
      names = "--results",
      paramLabel = "DIR",
      description = "Where results go, as NAMESPACE/RUN/UID. Default: ${DEFAULT-VALUE}.")
  private Path results = Path.of("results");

  @Option(
      names = "--timeout",
      paramLabel = "TIME",
      description = "How long all runs together may take, such as 90s or 6h. Default: 6h.")
  private String timeout = "6h";

  @Option(
      names = "--image",
      paramLabel = "IMAGE=COMMAND",
      description = {
        "Run COMMAND instead of IMAGE, with the container's arguments after it.",
        "The command \"simulator\" answers as the engine would, with no model behind it."
      })
  private List<String> images = List.of();

  RunCommand(Surroundings surroundings) {
    this.surroundings = surroundings;
  }

  @Override
  public Integer call() throws Exception {
    List<String> problems = new ArrayList<>();
    Duration deadline = Duration.ZERO;
    try {
      deadline = Durations.parse("--timeout", timeout);
    } catch (IllegalArgumentException e) {
      problems.add(String.valueOf(e.getMessage()));
    }
    Map<String, List<String>> mapped = mappedImages(problems);
    if (Files.exists(results) && !Files.isDirectory(results)) {
      problems.add("--results: " + results + " is not a folder");
    }
    Manifests manifests =
        files.read(
            new ManifestReader.Rules(OneMachine::problemsOf, OneMachine::problemsOf, true),
            problems,
            surroundings);
    LocalImages catalog =
        new LocalImages(
            mapped,
            LocalImages.searchPath(
                surroundings.environment().getOrDefault("PATH", ""),
                List.of(surroundings.cache().resolve("real-servers").resolve("bin"))),
            surroundings.javaHome(),
            surroundings.classPath(),
            surroundings.environment().getOrDefault(LocalImages.JAVA_OPTIONS, ""));
    return new RunSession(surroundings, manifests, catalog, results, deadline).run();
  }

  private Map<String, List<String>> mappedImages(List<String> problems) {
    Map<String, List<String>> mapped = new HashMap<>();
    for (String image : images) {
      Optional<List<String>> words = Optional.empty();
      int equals = image.indexOf('=');
      String reason = "";
      try {
        words = Optional.of(Words.of(image.substring(equals + 1)));
      } catch (IllegalArgumentException e) {
        reason = ": " + e.getMessage();
      }
      if (equals < 1 || words.isEmpty() || words.get().isEmpty()) {
        problems.add("--image " + image + ": write it as IMAGE=COMMAND" + reason);
      } else {
        mapped.put(image.substring(0, equals), words.get());
      }
    }
    return mapped;
  }
}
