package dev.loadgen.local;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.Architectures.layeredArchitecture;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.library.Architectures;
import com.tngtech.archunit.library.dependencies.SlicesRuleDefinition;
import dev.loadgen.local.cyclic.Outer;
import dev.loadgen.local.cyclic.inner.Inner;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Dependencies between modules point one way, and packages have no cycles. */
class ArchitectureTest {
  // Found by the class path, so that it does not matter where the modules were built.
  private static final JavaClasses CLASSES =
      new ClassFileImporter()
          .withImportOption(new ImportOption.DoNotIncludeTests())
          .withImportOption(location -> !location.contains("-tests.jar"))
          .importPackages("dev.loadgen");

  /** What each module may depend on, by the package that it begins with. */
  private static final Map<String, List<String>> BELOW =
      Map.ofEntries(
          entry("contract"),
          entry("accuracy"),
          entry("mlperf"),
          entry("simulator"),
          entry("api", "contract"),
          entry("rules", "contract"),
          entry("datasets", "contract"),
          entry("client", "contract", "rules", "datasets"),
          entry("results", "contract", "rules", "accuracy", "datasets"),
          entry("mlflow", "contract", "results"),
          entry(
              "commands", "contract", "api", "rules", "accuracy", "datasets", "results", "mlflow"),
          entry(
              "runner",
              "contract",
              "rules",
              "accuracy",
              "mlperf",
              "datasets",
              "client",
              "results",
              "mlflow",
              "commands"),
          entry("desired", "contract", "api", "rules"),
          entry("reconcile", "contract", "api", "desired"),
          entry("operator", "contract", "api", "rules", "desired", "reconcile"),
          entry(
              "local",
              "contract",
              "api",
              "rules",
              "datasets",
              "commands",
              "desired",
              "reconcile",
              "operator",
              "simulator"));

  private static final Map<String, String> OTHER_ROOTS =
      Map.of("crds", "api", "mlperf-loadgen-jni", "mlperf", "stored-results", "results");

  /** Each package is one, a module's root package as well. */
  private static final ArchRule NO_CYCLES =
      SlicesRuleDefinition.slices().matching("dev.loadgen.(**)").should().beFreeOfCycles();

  private static Map.Entry<String, List<String>> entry(String module, String... below) {
    return Map.entry(module, List.of(below));
  }

  @Test
  void modulesDependOnlyOnThoseBelowThem() {
    Architectures.LayeredArchitecture modules =
        layeredArchitecture().consideringOnlyDependenciesInAnyPackage("dev.loadgen..");
    for (String module : BELOW.keySet()) {
      modules = modules.layer(module).definedBy("dev.loadgen." + module + "..");
    }
    for (Map.Entry<String, List<String>> each : BELOW.entrySet()) {
      Architectures.LayeredArchitecture.LayerDependencySpecification layer =
          modules.whereLayer(each.getKey());
      modules =
          each.getValue().isEmpty()
              ? layer.mayNotAccessAnyLayer()
              : layer.mayOnlyAccessLayers(each.getValue().toArray(String[]::new));
    }
    modules.check(CLASSES);
  }

  @Test
  void theRulesAboveKnowEveryModule() throws IOException {
    Path root = Path.of(System.getProperty("repository.root"));
    List<String> modules = new ArrayList<>();
    try (Stream<Path> folders = Files.list(root)) {
      for (Path folder : folders.toList()) {
        if (Files.isDirectory(folder.resolve("src/main/java/dev/loadgen"))) {
          String name = String.valueOf(folder.getFileName());
          modules.add(OTHER_ROOTS.getOrDefault(name, name));
        }
      }
    }
    modules.removeAll(List.of("fuzz", "test-report")); // no part of the programs

    assertThat(modules).containsExactlyInAnyOrderElementsOf(BELOW.keySet());
    for (String module : modules) {
      assertThat(CLASSES)
          .as(module)
          .anyMatch(type -> type.getPackageName().startsWith("dev.loadgen." + module));
    }
  }

  @Test
  void theRunnerAndWhatItIsMadeOfKnowNoKubernetesClient() {
    noClasses()
        .that()
        .resideInAnyPackage(
            "dev.loadgen.contract..",
            "dev.loadgen.rules..",
            "dev.loadgen.datasets..",
            "dev.loadgen.client..",
            "dev.loadgen.results..",
            "dev.loadgen.mlflow..",
            "dev.loadgen.commands..",
            "dev.loadgen.runner..")
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage("io.fabric8.kubernetes.client..", "io.javaoperatorsdk..")
        .check(CLASSES);
  }

  @Test
  void evaluatorsKnowNoHttpAndStartNoProcess() {
    noClasses()
        .that()
        .resideInAPackage("dev.loadgen.accuracy..")
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage("java.net..", "okhttp3..", "io.fabric8..")
        .orShould()
        .dependOnClassesThat()
        .areAssignableTo(ProcessBuilder.class)
        .check(CLASSES);
  }

  @Test
  void builtObjectsComeFromPureFunctions() {
    noClasses()
        .that()
        .resideInAPackage("dev.loadgen.desired..")
        .should()
        .dependOnClassesThat()
        .haveFullyQualifiedName("io.fabric8.kubernetes.client.KubernetesClient")
        .orShould()
        .dependOnClassesThat()
        .resideInAPackage("io.javaoperatorsdk..")
        .check(CLASSES);
  }

  @Test
  void theKubeletAndTheControllersKnowOnlyTheKubernetesApi() {
    noClasses()
        .that()
        .resideInAnyPackage("dev.loadgen.local.kubelet..", "dev.loadgen.local.controller..")
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage(
            "dev.loadgen.local.apiserver..",
            "dev.loadgen.operator..",
            "dev.loadgen.desired..",
            "dev.loadgen.reconcile..",
            "dev.loadgen.runner..")
        .check(CLASSES);
  }

  @Test
  void packagesHaveNoCycles() {
    NO_CYCLES.check(CLASSES);
  }

  /** One of the two packages below is the root of the other, as that of a module is. */
  @Test
  void aCycleThroughARootPackageWouldBeFound() {
    ClassFileImporter importer = new ClassFileImporter();

    assertThat(NO_CYCLES.evaluate(importer.importClasses(Outer.class, Inner.class)).hasViolation())
        .isTrue();
    assertThat(NO_CYCLES.evaluate(importer.importClasses(Outer.class)).hasViolation()).isFalse();
  }
}
