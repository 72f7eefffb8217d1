package dev.loadgen.kubernetes;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What images say of themselves, as the Dockerfile has it and hack/images carries it out. */
class ImagesIT {
  private static final String LABEL = "org.opencontainers.image.";
  private static final ObjectMapper JSON = new ObjectMapper();

  private static Path archive;
  private static JsonNode chart;

  /** Each manifest, by the last part of its image's name, without the tag. */
  private static final Map<String, JsonNode> MANIFESTS = new TreeMap<>();

  @BeforeAll
  static void read() throws IOException, InterruptedException {
    archive = Programs.of("hack/images/build.sh").resolve("images.tar");
    chart = new YAMLMapper().readTree(Helm.CHART.resolve("Chart.yaml").toFile());
    for (JsonNode manifest :
        JSON.readTree(shell("tar -xOf $ARCHIVE index.json")).path("manifests")) {
      String name = manifest.path("annotations").path("io.containerd.image.name").asText();
      MANIFESTS.put(name.replaceFirst(".*/([^/:]+):[^:]*$", "$1"), blob(manifest));
    }
  }

  private static JsonNode blob(JsonNode descriptor) throws IOException, InterruptedException {
    return JSON.readTree(shell("tar -xOf $ARCHIVE " + path(descriptor)));
  }

  private static String path(JsonNode descriptor) {
    return "blobs/" + descriptor.path("digest").asText().replace(':', '/');
  }

  /** What a command prints; fails when it does. */
  private static String shell(String command) throws IOException, InterruptedException {
    Programs.Answer answer =
        Programs.run(
            List.of("bash", "-o", "pipefail", "-c", command),
            Map.of("ARCHIVE", archive.toString()),
            "");
    assertThat(answer.exitCode()).as("%s: %s", command, answer.text()).isZero();
    return answer.text();
  }

  private static JsonNode manifest(String program) {
    return requireNonNull(MANIFESTS.get("loadgen-" + program), program);
  }

  @ParameterizedTest
  @ValueSource(strings = {"operator", "runner", "simulator"})
  void labelsSayWhatAnImageIsAndWhatItIsMadeOf(String program)
      throws IOException, InterruptedException {
    JsonNode labels = blob(manifest(program).path("config")).at("/config/Labels");

    assertThat(labels.path(LABEL + "title").asText()).isEqualTo("loadgen-" + program);
    assertThat(labels.path(LABEL + "description").asText()).isNotBlank();
    assertThat(labels.path(LABEL + "licenses").asText()).isEqualTo("Apache-2.0");
    assertThat(labels.path(LABEL + "source").asText()).isEqualTo(chart.path("home").asText());
    assertThat(labels.path(LABEL + "version").asText())
        .isEqualTo(chart.path("appVersion").asText());
    assertThat(labels.path(LABEL + "revision").asText()).matches("[0-9a-f]{40}(-dirty)?|unknown");
    assertThat(Instant.parse(labels.path(LABEL + "created").asText())).isBefore(Instant.now());
  }

  @Test
  void aBuildThatTellsNothingHasTheVersionOfTheChart() throws IOException {
    assertThat(Files.readString(Programs.REPOSITORY.resolve("Dockerfile")))
        .contains("\nARG VERSION=" + chart.path("appVersion").asText() + "\n");
  }

  @ParameterizedTest
  @ValueSource(strings = {"operator", "runner", "simulator"})
  void theSbomNamesEveryJarOfTheImageAndNoOther(String program)
      throws IOException, InterruptedException {
    JsonNode sbom = sbom(program);
    JsonNode own = sbom.at("/metadata/component");
    Set<String> named = new TreeSet<>();
    for (JsonNode component : sbom.path("components")) {
      if (component.path("purl").asText().startsWith("pkg:maven/")) {
        assertThat(component.path("hashes")).as("%s", component.path("name")).isNotEmpty();
        assertThat(component.path("licenses")).as("%s", component.path("name")).isNotEmpty();
        named.add(jar(component));
      }
    }
    Set<String> jars =
        files(program).stream()
            .filter(file -> file.matches("opt/loadgen/(app|lib)/[^/]+\\.jar"))
            .map(file -> file.substring(file.lastIndexOf('/') + 1))
            .collect(Collectors.toCollection(TreeSet::new));

    assertThat(sbom.path("bomFormat").asText()).isEqualTo("CycloneDX");
    assertThat(own.path("name").asText()).isEqualTo(program);
    assertThat(own.path("version").asText()).startsWith(chart.path("appVersion").asText());
    assertThat(jars).as("the program itself").contains(jar(own));
    assertThat(named).hasSizeGreaterThan(3).doesNotContain(jar(own));
    jars.remove(jar(own));
    assertThat(named).isEqualTo(jars);
    assertThat(component(sbom, "openjdk").path("version").asText()).startsWith("25");
  }

  @Test
  void theSbomOfTheRunnerNamesEachLoadGen() throws IOException, InterruptedException {
    Set<String> versions;
    try (Stream<String> lines =
        Files.lines(Programs.REPOSITORY.resolve("mlperf-loadgen-jni/native/versions.csv"))) {
      versions =
          lines
              .filter(line -> !line.startsWith("#") && !line.isBlank())
              .map(line -> line.replaceFirst(",.*", ""))
              .collect(Collectors.toCollection(TreeSet::new));
    }
    Set<String> named = new TreeSet<>();
    for (JsonNode component : sbom("runner").path("components")) {
      if (component.path("name").asText().equals("mlcommons-loadgen")) {
        named.add(component.path("version").asText());
        assertThat(component.at("/licenses/0/license/id").asText()).isEqualTo("Apache-2.0");
        assertThat(component.at("/externalReferences/0/hashes/0/content").asText())
            .matches("[0-9a-f]{64}");
      }
    }

    assertThat(named).isNotEmpty().isEqualTo(versions);
    for (String version : versions) {
      assertThat(files("runner")).contains("opt/loadgen/native/libloadgen-jni-" + version + ".so");
    }
  }

  /** An SBOM of an earlier build, or of another program, does not get into an image. */
  @Test
  void anSbomThatDoesNotFitTheJarsIsRefused(@TempDir Path folder)
      throws IOException, InterruptedException {
    if (Programs.WITHOUT_SBOM) {
      Programs.skip("bills of materials are not made with -Pquick");
    }
    Path root = Programs.REPOSITORY;
    Path to = folder.resolve("sbom.json");
    Programs.Answer answer =
        Programs.run(
            List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-cp",
                root.resolve("operator/target/lib") + "/*",
                root.resolve("hack/images/sbom/Sbom.java").toString(),
                root.resolve("operator/target/sbom.json").toString(),
                Files.createDirectory(folder.resolve("app")).toString(),
                root.resolve("runner/target/lib").toString(),
                folder.resolve("none").toString(),
                root.resolve("mlperf-loadgen-jni/native/versions.csv").toString(),
                Path.of(System.getProperty("java.home"), "release").toString(),
                to.toString()),
            Map.of(),
            "");

    assertThat(answer.exitCode()).as(answer.text()).isEqualTo(2);
    assertThat(answer.text())
        .contains(
            "operator/target/sbom.json is of another build: it has ", "run mvn package again");
    assertThat(to).doesNotExist();
  }

  private static JsonNode component(JsonNode sbom, String name) {
    for (JsonNode component : sbom.path("components")) {
      if (component.path("name").asText().equals(name)) {
        return component;
      }
    }
    throw new AssertionError("no component " + name);
  }

  private static String jar(JsonNode component) {
    return component.path("name").asText() + "-" + component.path("version").asText() + ".jar";
  }

  private static JsonNode sbom(String program) throws IOException, InterruptedException {
    if (Programs.WITHOUT_SBOM) {
      Programs.skip("bills of materials are not made with -Pquick");
    }
    String file = "opt/loadgen/sbom.cdx.json";
    for (JsonNode layer : manifest(program).path("layers")) {
      if (files(layer).contains(file)) {
        return JSON.readTree(shell("tar -xOf $ARCHIVE " + path(layer) + " | tar -xzO " + file));
      }
    }
    throw new AssertionError("the image of " + program + " has no " + file);
  }

  private static List<String> files(String program) throws IOException, InterruptedException {
    List<String> files = new ArrayList<>();
    for (JsonNode layer : manifest(program).path("layers")) {
      files.addAll(files(layer));
    }
    return files;
  }

  private static List<String> files(JsonNode layer) throws IOException, InterruptedException {
    return shell("tar -xOf $ARCHIVE " + path(layer) + " | tar -tz").lines().toList();
  }
}
