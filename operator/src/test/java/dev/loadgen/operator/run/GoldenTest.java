package dev.loadgen.operator.run;

import static org.assertj.core.api.Assertions.assertThat;

import dev.loadgen.api.v1alpha1.BenchmarkRun;
import dev.loadgen.api.v1alpha1.InferenceBackend;
import dev.loadgen.desired.BackendLeases;
import dev.loadgen.desired.Endpoints;
import dev.loadgen.desired.Fixtures;
import dev.loadgen.desired.PodDefaults;
import dev.loadgen.desired.ReaderObjects;
import dev.loadgen.desired.RunnerObjects;
import dev.loadgen.desired.ServerServices;
import dev.loadgen.desired.ServerWorkloads;
import dev.loadgen.operator.backend.BackendSpecProblems;
import dev.loadgen.rules.ruleset.Ruleset;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Every object that the operator makes, as YAML: {@code in-*.yaml} of a folder gives the {@code
 * out-*.yaml} beside it. {@code hack/update.sh} writes them.
 */
@Tag("generated")
class GoldenTest {
  private static final Path FOLDERS = Path.of("src", "test", "resources", "golden");

  static List<Path> folders() throws IOException {
    try (Stream<Path> folders = Files.list(FOLDERS)) {
      return folders.sorted().toList();
    }
  }

  @ParameterizedTest
  @MethodSource("folders")
  void desiredObjectsAreThoseOfTheFolder(Path folder) throws IOException {
    Map<String, String> made = new TreeMap<>();
    objects(folder)
        .forEach(
            object ->
                made.put(
                    "out-" + object.getKind() + "-" + object.getMetadata().getName() + ".yaml",
                    Serialization.asYaml(object)));

    if (Boolean.getBoolean("generated.update")) {
      update(folder, made);
    }

    assertThat(filesOf(folder, "out-")).isEqualTo(made);
  }

  private static List<HasMetadata> objects(Path folder) throws IOException {
    Map<String, String> in = filesOf(folder, "in-");
    InferenceBackend backend =
        Serialization.unmarshal(in.get("in-InferenceBackend.yaml"), InferenceBackend.class);
    assertThat(BackendSpecProblems.of(backend)).isEmpty();
    String run = in.get("in-BenchmarkRun.yaml");
    assertThat(in).hasSize(run == null ? 1 : 2);
    return run == null
        ? List.of(
            ServerWorkloads.of(backend, PodDefaults.BUILT_IN), ServerServices.headless(backend))
        : runObjects(Serialization.unmarshal(run, BenchmarkRun.class), backend);
  }

  private static List<HasMetadata> runObjects(BenchmarkRun run, InferenceBackend backend) {
    assertThat(RunSpecProblems.of(run)).isEmpty();
    List<HasMetadata> objects = new ArrayList<>();
    objects.add(BackendLeases.lease(run, Fixtures.NOW));
    objects.add(
        RunnerObjects.plan(
            run,
            RunPlans.resolve(
                run,
                backend,
                Endpoints.of(backend),
                Ruleset.named(run.getSpec().rulesetOrDefault()),
                ResolvedReferences.NONE,
                null),
            Map.of()));
    if (RunnerObjects.makesResultsClaim(run)) {
      objects.add(RunnerObjects.resultsClaim(run));
    }
    objects.add(
        RunnerObjects.job(
            run,
            backend,
            backend.getSpec().access() == null ? List.of() : List.of("X-Team", "X-Tier"),
            RunPlans.runTimeout(run.getSpec()),
            "registry.example/loadgen-runner:1",
            PodDefaults.BUILT_IN,
            Duration.ofDays(1)));
    objects.add(
        ReaderObjects.job(
            run,
            "name/uid",
            "registry.example/loadgen-runner:1",
            PodDefaults.BUILT_IN,
            Duration.ofDays(1)));
    return objects;
  }

  private static Map<String, String> filesOf(Path folder, String prefix) throws IOException {
    Map<String, String> files = new TreeMap<>();
    try (Stream<Path> all = Files.list(folder)) {
      for (Path file : all.toList()) {
        String name = String.valueOf(file.getFileName());
        assertThat(name).as("a file that no test reads").matches("(in|out)-.*\\.yaml");
        if (name.startsWith(prefix)) {
          files.put(name, Files.readString(file));
        }
      }
    }
    return files;
  }

  private static void update(Path folder, Map<String, String> made) throws IOException {
    for (String old : filesOf(folder, "out-").keySet()) {
      Files.delete(folder.resolve(old));
    }
    for (Map.Entry<String, String> file : made.entrySet()) {
      Files.writeString(folder.resolve(file.getKey()), file.getValue());
    }
  }
}
