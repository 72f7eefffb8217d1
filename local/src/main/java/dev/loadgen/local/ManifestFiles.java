package dev.loadgen.local;

import dev.loadgen.commands.BadInputException;
import dev.loadgen.commands.Surroundings;
import dev.loadgen.local.manifest.ManifestReader;
import dev.loadgen.local.manifest.Manifests;
import dev.loadgen.local.schema.CustomResourceSchemas;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Option;

/** The option {@code -f} of the commands that read manifests. */
final class ManifestFiles {
  @Option(
      names = {"-f", "--filename"},
      required = true,
      arity = "1..*",
      paramLabel = "FILE|FOLDER",
      description =
          "YAML or JSON with BenchmarkRuns, InferenceBackends, ConfigMaps, Secrets,"
              + " PersistentVolumes, PersistentVolumeClaims and Namespaces.")
  private List<Path> files = List.of();

  /**
   * Reads the manifests.
   *
   * @param others what is wrong beside the manifests
   * @throws BadInputException if anything is wrong, after all of it was printed
   */
  Manifests read(ManifestReader.Rules rules, List<String> others, Surroundings surroundings)
      throws BadInputException {
    Manifests manifests = ManifestReader.read(files, CustomResourceSchemas.load(), rules);
    PrintWriter err = surroundings.err();
    manifests.notes().forEach(note -> err.println("note: " + note));
    List<String> problems = new ArrayList<>(others);
    problems.addAll(manifests.problems());
    if (problems.isEmpty()) {
      return manifests;
    }
    problems.forEach(err::println);
    err.println();
    throw new BadInputException(
        problems.size()
            + (problems.size() == 1 ? " problem" : " problems")
            + "; nothing was started");
  }

  /** The files as the user gave them. */
  @Override
  public String toString() {
    return files.toString();
  }
}
