package dev.loadgen.local;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.Architectures.layeredArchitecture;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.library.dependencies.SlicesRuleDefinition;
import org.junit.jupiter.api.Test;

/** Dependencies between modules point one way, and packages have no cycles. */
class ArchitectureTest {
  // Found by the class path, so that it does not matter where the modules were built.
  private static final JavaClasses CLASSES =
      new ClassFileImporter()
          .withImportOption(new ImportOption.DoNotIncludeTests())
          .importPackages("dev.loadgen");

  @Test
  void modulesDependOnlyOnThoseBelowThem() {
    layeredArchitecture()
        .consideringOnlyDependenciesInAnyPackage("dev.loadgen..")
        .layer("crds")
        .definedBy("dev.loadgen.api..", "dev.loadgen.contract..")
        .layer("rules")
        .definedBy("dev.loadgen.rules..")
        .layer("accuracy")
        .definedBy("dev.loadgen.accuracy..")
        .layer("mlperf-loadgen-jni")
        .definedBy("dev.loadgen.mlperf..")
        .layer("simulator")
        .definedBy("dev.loadgen.simulator..")
        .layer("runner")
        .definedBy("dev.loadgen.runner..")
        .layer("operator")
        .definedBy("dev.loadgen.operator..")
        .layer("local")
        .definedBy("dev.loadgen.local..")
        .whereLayer("crds")
        .mayNotAccessAnyLayer()
        .whereLayer("rules")
        .mayNotAccessAnyLayer()
        .whereLayer("accuracy")
        .mayNotAccessAnyLayer()
        .whereLayer("mlperf-loadgen-jni")
        .mayNotAccessAnyLayer()
        .whereLayer("simulator")
        .mayNotAccessAnyLayer()
        .whereLayer("runner")
        .mayOnlyAccessLayers("crds", "rules", "accuracy", "mlperf-loadgen-jni")
        .whereLayer("operator")
        .mayOnlyAccessLayers("crds", "rules")
        .check(CLASSES);
  }

  @Test
  void theRunnerKnowsNoKubernetesClient() {
    noClasses()
        .that()
        .resideInAPackage("dev.loadgen.runner..")
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
            "dev.loadgen.local.apiserver..", "dev.loadgen.operator..", "dev.loadgen.runner..")
        .check(CLASSES);
  }

  @Test
  void packagesHaveNoCycles() {
    SlicesRuleDefinition.slices()
        .matching("dev.loadgen.(*).(**)")
        .should()
        .beFreeOfCycles()
        .check(CLASSES);
  }

  @Test
  void theRulesAboveSeeEveryModule() {
    for (String module :
        new String[] {
          "api", "rules", "accuracy", "mlperf", "simulator", "runner", "operator", "local"
        }) {
      assertThat(CLASSES)
          .as(module)
          .anyMatch(type -> type.getPackageName().startsWith("dev.loadgen." + module));
    }
  }
}
