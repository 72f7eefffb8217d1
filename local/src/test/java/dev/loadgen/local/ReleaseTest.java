package dev.loadgen.local;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The scripts that a release is made with, as far as they take no minutes; and that one version
 * stands everywhere.
 */
class ReleaseTest {
  private static final Path ROOT = Path.of(System.getProperty("repository.root"));

  /** Our images have the version as their tag, and the poms with or without -SNAPSHOT. */
  private static final Pattern NAMED =
      Pattern.compile(
          "loadgen-(?:operator|runner|simulator):([0-9]+\\.[0-9]+\\.[0-9]+[0-9A-Za-z-]*)"
              + "|<artifactId>(?:loadgen-operator|test-report-maven-plugin)</artifactId>\\s*<version>([0-9][^<]*)</version>"
              + "|\"loadgen ([0-9.]+)\""
              + "|(?m:^ARG VERSION=(.+)$)"
              + "|(?m:^(?:version|appVersion): \"?([0-9.]+)\"?$)");

  private static final Set<String> BUILT = Set.of("target", ".git");
  private static final Set<String> KINDS = Set.of("java", "xml", "yaml", "md", "Dockerfile", "tpl");

  private record Answer(int status, String text) {}

  @Test
  void everyPlaceNamesTheVersionOfTheBuild() throws IOException, InterruptedException {
    String version = run(ROOT, "bash", "hack/version.sh").text().strip();

    assertThat(versions(ROOT))
        .hasSizeGreaterThan(20)
        .allSatisfy((file, found) -> assertThat(found).as(file).containsOnly(version));
  }

  @Test
  void aNewVersionReachesEveryPlace(@TempDir Path copy) throws IOException, InterruptedException {
    for (Path file : sources(ROOT)) {
      Path to = copy.resolve(ROOT.relativize(file));
      Files.createDirectories(to.getParent());
      Files.copy(file, to);
    }
    Files.createDirectories(copy.resolve("hack"));
    Files.copy(ROOT.resolve("hack/version.sh"), copy.resolve("hack/version.sh"));
    Map<String, Set<String>> before = versions(copy);

    Answer set = run(copy, "bash", "hack/version.sh", "12.3.45-SNAPSHOT");

    assertThat(set.status()).as(set.text()).isZero();
    assertThat(run(copy, "bash", "hack/version.sh", "--full").text())
        .isEqualTo("12.3.45-SNAPSHOT\n");
    assertThat(versions(copy).keySet()).isEqualTo(before.keySet());
    assertThat(versions(copy))
        .allSatisfy((file, found) -> assertThat(found).as(file).containsOnly("12.3.45"));
  }

  @Test
  void whatIsNoVersionIsRefused() throws IOException, InterruptedException {
    Answer refused = run(ROOT, "bash", "hack/version.sh", "next");

    assertThat(refused.status()).isEqualTo(2);
    assertThat(refused.text()).contains("next is not a version");
  }

  @Test
  void aDryRunOfAReleaseSaysWhatItWouldDo(@TempDir Path folder)
      throws IOException, InterruptedException {
    String version = run(ROOT, "bash", "hack/version.sh").text().strip();
    Path release = folder.resolve("release");

    Answer dry =
        run(
            ROOT,
            "bash",
            "hack/release.sh",
            "--dry-run",
            "--push",
            "registry.example/team",
            release.toString());

    assertThat(dry.status()).as(dry.text()).isZero();
    assertThat(dry.text())
        .contains(
            "+ .ci/run\n",
            "hack/images/build.sh",
            "loadgen-images-" + version + "-linux-",
            "loadgen-operator-" + version + ".cdx.json",
            "loadgen-runner-" + version + ".cdx.json",
            "loadgen-simulator-" + version + ".cdx.json",
            "helm package charts/loadgen-operator",
            "manifests-" + version + ".tar.gz",
            "+ checksums\n",
            "--target runner --tag registry.example/team/loadgen-runner:" + version + " --push",
            "loadgen-operator-" + version + ".tgz oci://registry.example/team/charts");
    assertThat(release).doesNotExist();
  }

  @Test
  void nothingIsPushedUnlessAsked(@TempDir Path folder) throws IOException, InterruptedException {
    Answer dry =
        run(
            ROOT,
            "bash",
            "hack/release.sh",
            "--dry-run",
            "--skip-tests",
            folder.resolve("release").toString());

    assertThat(dry.status()).as(dry.text()).isZero();
    assertThat(dry.text()).doesNotContain("docker", " push ", ".ci/run");
  }

  /** The folder exists, whatever else is or is not right. */
  @Test
  void aReleaseThatNobodyCouldNameIsRefused(@TempDir Path folder)
      throws IOException, InterruptedException {
    Answer refused = run(ROOT, "bash", "hack/release.sh", folder.toString());

    assertThat(refused.status()).isEqualTo(2);
    assertThat(refused.text()).contains(folder + " exists").doesNotContain("+ ");
  }

  /**
   * Every test that can write what it checks, or no file would be found stale by one and left by
   * the other.
   */
  @Test
  void everyGeneratedFileIsWrittenByOneCommand() throws IOException {
    for (Path file : sources(ROOT)) {
      String text = Files.readString(file, StandardCharsets.ISO_8859_1);
      if (file.toString().endsWith("Test.java")
          && !file.endsWith("ReleaseTest.java")
          && (text.contains("getBoolean(\"generated.update\")")
              || text.contains("GeneratedSection."))) {
        assertThat(text)
            .as("%s, for hack/update.sh", file)
            .containsPattern("(?m)^@Tag\\(\"generated\"\\)$");
      }
      assertThat(text)
          .as("%s: the one property is generated.update", file)
          .doesNotContainPattern("getBoolean\\(\"(?!generated)[a-z]+\\.update\"");
    }
  }

  /** By file. */
  private static Map<String, Set<String>> versions(Path root) throws IOException {
    Map<String, Set<String>> versions = new TreeMap<>();
    for (Path file : sources(root)) {
      // Names of this test are no version.
      if (file.endsWith("ReleaseTest.java") || file.endsWith("CHANGELOG.md")) {
        continue;
      }
      Set<String> found = new TreeSet<>();
      NAMED
          .matcher(Files.readString(file, StandardCharsets.ISO_8859_1))
          .results()
          .forEach(
              match -> {
                for (int group = 1; group <= match.groupCount(); group++) {
                  if (match.group(group) != null) {
                    found.add(match.group(group).replace("-SNAPSHOT", ""));
                  }
                }
              });
      if (!found.isEmpty()) {
        versions.put(root.relativize(file).toString(), found);
      }
    }
    return versions;
  }

  /** Files that may name the version, without what builds have made. */
  private static List<Path> sources(Path root) throws IOException {
    List<Path> sources = new ArrayList<>();
    Files.walkFileTree(
        root,
        new SimpleFileVisitor<>() {
          @Override
          public FileVisitResult preVisitDirectory(Path folder, BasicFileAttributes attributes) {
            return folder.equals(root.resolve("results"))
                    || BUILT.contains(String.valueOf(folder.getFileName()))
                ? FileVisitResult.SKIP_SUBTREE
                : FileVisitResult.CONTINUE;
          }

          @Override
          public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
            String name = String.valueOf(file.getFileName());
            if (attributes.isRegularFile()
                && KINDS.contains(name.substring(name.lastIndexOf('.') + 1))) {
              sources.add(file);
            }
            return FileVisitResult.CONTINUE;
          }
        });
    return sources;
  }

  private static Answer run(Path folder, String... command)
      throws IOException, InterruptedException {
    Process process =
        new ProcessBuilder(command).directory(folder.toFile()).redirectErrorStream(true).start();
    String text = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    return new Answer(process.waitFor(), text);
  }
}
