package dev.loadgen.local;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.MappingIterator;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * What README.md tells its readers to type works, and prints what README.md shows; manifests and
 * links of the other pages are held too.
 */
@Order(1)
class ReadmeIT {
  private static final Path ROOT = Path.of(System.getProperty("repository.root"));
  private static final Path README = ROOT.resolve("README.md");
  private static final Pattern LINK = Pattern.compile("\\[[^\\]]*]\\((?!https?:)([^)#]+)[^)]*\\)");
  private static final long MINUTES = 5;

  private Path folder;

  @BeforeEach
  void start(@TempDir Path temporary) {
    folder = temporary;
  }

  @Test
  void everyCommandRuns() throws IOException, InterruptedException {
    for (String command : blocks(README, "sh").stream().flatMap(String::lines).toList()) {
      if (command.startsWith("bin/loadgen ")) {
        runs(command);
      } else if (command.equals("mvn verify")) {
        // What runs this test; CI must run the same.
        assertThat(Files.readString(ROOT.resolve(".ci/run")))
            .containsPattern("exec mvn .*\\bverify\n");
      } else {
        // A build within this build, or some minutes and 7 GB: the profiles are only looked up.
        assertThat(command).isIn("mvn -Pquick verify", "mvn verify -Preal-servers");
        assertThat(Files.readString(ROOT.resolve("pom.xml")))
            .contains("<id>" + command.replaceFirst(".* ?-P([a-z-]+).*", "$1") + "</id>");
      }
    }
  }

  @Test
  void everyYamlStandsInASample() throws IOException {
    List<JsonNode> samples = new ArrayList<>();
    try (Stream<Path> files = Files.list(ROOT.resolve("manifests/samples"))) {
      for (Path file : files.filter(f -> f.toString().endsWith(".yaml")).toList()) {
        samples.addAll(documents(Files.readString(file)));
      }
    }

    List<JsonNode> shown = new ArrayList<>();
    for (Path page : pages()) {
      for (String block : blocks(page, "yaml")) {
        shown.addAll(documents(block));
      }
    }

    assertThat(shown).isNotEmpty().allSatisfy(document -> assertThat(samples).contains(document));
    assertThat(shown)
        .extracting(document -> document.at("/spec/mode").asText())
        .contains("Accuracy");
  }

  @Test
  void everyLinkLeadsSomewhere() throws IOException {
    for (Path page : pages()) {
      // A regular expression in code may look like a link.
      String text = Files.readString(page).replaceAll("`[^`\n]*`", "");
      for (MatchResult link : LINK.matcher(text).results().toList()) {
        assertThat(page.resolveSibling(link.group(1))).as("link of %s", page).exists();
      }
    }
  }

  /** The README, CONTRIBUTING and all below docs. */
  private static List<Path> pages() throws IOException {
    try (Stream<Path> files = Files.walk(ROOT.resolve("docs"))) {
      return Stream.concat(
              Stream.of(README, ROOT.resolve("CONTRIBUTING.md")),
              files.filter(f -> f.toString().endsWith(".md")))
          .toList();
    }
  }

  /**
   * The README shows the end of a real output: the words must still be those that are printed, the
   * numbers vary.
   */
  private void runs(String command) throws IOException, InterruptedException {
    for (String seen : List.of("bin", "manifests")) {
      if (!Files.exists(folder.resolve(seen))) {
        Files.createSymbolicLink(folder.resolve(seen), ROOT.resolve(seen));
      }
    }
    Path printed = folder.resolve("printed");
    ProcessBuilder shell = new ProcessBuilder("bash", "-c", command).directory(folder.toFile());
    shell.environment().put("LOADGEN_SKIP_BUILD", "1");
    // As its readers have it, with the warm-up that other tests leave out.
    shell.environment().remove("LOADGEN_JAVA_OPTIONS");
    shell.environment().put("LOADGEN_JAVA_HOME", System.getProperty("java.home"));
    Process process = shell.redirectErrorStream(true).redirectOutput(printed.toFile()).start();

    assertThat(process.waitFor(MINUTES, TimeUnit.MINUTES)).as(command).isTrue();
    String text = Files.readString(printed);
    if (command.startsWith("bin/loadgen run ")) {
      assertThat(process.exitValue())
          .as("%s\n%s", command, text)
          .isEqualTo(SharedMachine.exitCode(text));
      assertThat(words(SharedMachine.asIfAlone(text)))
          .containsAll(words(blocks(README, "text").getFirst()));
      return;
    }
    // What the run itself would say: a machine that was not its own makes it Inconclusive.
    assertThat(process.exitValue())
        .as("%s\n%s", command, text)
        .isEqualTo(command.startsWith("bin/loadgen judge ") ? 2 * SharedMachine.exitCode(text) : 0);
    if (command.startsWith("bin/loadgen inspect ")) {
      assertThat(blocks(README, "text")).contains(text);
    }
  }

  /** The distinct words that hold no digit. */
  private static List<String> words(String text) {
    return Pattern.compile("\\S+")
        .matcher(text)
        .results()
        .map(MatchResult::group)
        .filter(word -> word.chars().noneMatch(Character::isDigit))
        .distinct()
        .toList();
  }

  private static List<String> blocks(Path page, String language) throws IOException {
    return Pattern.compile("```" + language + "\n(.*?)```", Pattern.DOTALL)
        .matcher(Files.readString(page))
        .results()
        .map(block -> block.group(1))
        .toList();
  }

  private static List<JsonNode> documents(String yaml) throws IOException {
    try (MappingIterator<JsonNode> documents =
        new YAMLMapper().readerFor(JsonNode.class).readValues(yaml)) {
      return documents.readAll();
    }
  }
}
