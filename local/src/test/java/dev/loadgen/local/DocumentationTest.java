package dev.loadgen.local;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.PathMatcher;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * What every page has in common: lines that fit a screen, a place in the index, and paths of files
 * that exist.
 */
class DocumentationTest {
  private static final Path ROOT = Path.of(System.getProperty("repository.root"));
  private static final int LONGEST = 140;
  private static final Pattern URL = Pattern.compile("https?://\\S+");
  private static final Pattern CODE = Pattern.compile("`([^`]+)`");

  /** A path from the root of the repository: it begins with a folder or is a file there. */
  private static final Pattern PATH =
      Pattern.compile(
          "[A-Za-z0-9.-]+(/[A-Za-z0-9{},*._-]+)+/?|[A-Za-z.]+\\.(md|xml|json)|Dockerfile");

  /** A page that a program writes as a whole. */
  private static boolean isGenerated(Path page) throws IOException {
    return Files.readString(page).contains("\n\n<!-- generated from ");
  }

  static List<Path> pages() throws IOException {
    try (Stream<Path> root = Files.list(ROOT);
        Stream<Path> docs = Files.walk(ROOT.resolve("docs"));
        Stream<Path> hack = Files.walk(ROOT.resolve("hack"), 2);
        Stream<Path> charts = Files.walk(ROOT.resolve("charts"), 2)) {
      return Stream.of(root, docs, hack, charts)
          .flatMap(files -> files)
          .filter(file -> file.toString().endsWith(".md"))
          .toList();
    }
  }

  static List<Path> writtenPages() throws IOException {
    List<Path> written = new ArrayList<>();
    for (Path page : pages()) {
      if (!isGenerated(page)) {
        written.add(page);
      }
    }
    return written;
  }

  @ParameterizedTest
  @MethodSource("writtenPages")
  void linesFitAScreen(Path page) throws IOException {
    assertThat(prose(page))
        .filteredOn(line -> line.length() > LONGEST)
        .as("%s: lines beyond %d characters, but for tables, code and URLs", page, LONGEST)
        .isEmpty();
  }

  /** Lines that are neither a table nor code, without their URLs. */
  private static List<String> prose(Path page) throws IOException {
    List<String> lines = new ArrayList<>();
    boolean code = false;
    for (String line : Files.readAllLines(page)) {
      if (line.strip().startsWith("```")) {
        code = !code;
      } else if (!code && !line.startsWith("|") && !line.startsWith("    ")) {
        lines.add(URL.matcher(line).replaceAll(""));
      }
    }
    assertThat(code).as("%s: code that does not end", page).isFalse();
    return lines;
  }

  @Test
  void everyPageIsInTheIndex() throws IOException {
    String index = Files.readString(ROOT.resolve("docs/README.md"));
    String decisions = Files.readString(ROOT.resolve("docs/decisions/README.md"));

    for (Path page : pages()) {
      Path path = ROOT.relativize(page);
      if (path.startsWith("docs/decisions")) {
        assertThat(decisions)
            .contains(path.endsWith("README.md") ? "" : "(" + page.getFileName() + ")");
      } else if (path.startsWith("docs") && !path.endsWith("README.md")) {
        assertThat(index).as("docs/README.md").contains("(" + page.getFileName() + ")");
      }
    }
  }

  @Test
  void everyModuleIsOnTheMap() throws IOException {
    String map = Files.readString(ROOT.resolve("CONTRIBUTING.md"));

    assertThat(found("<module>([^<]+)</module>", Files.readString(ROOT.resolve("pom.xml"))))
        .hasSizeGreaterThan(10)
        .allSatisfy(module -> assertThat(map).contains("\n| `" + module + "` | "));
  }

  @Test
  void everyDependencyHasAReason() throws IOException {
    String page = Files.readString(ROOT.resolve("docs/dependencies.md"));
    List<String> dependencies = new ArrayList<>();
    for (String module : modules()) {
      String pom =
          Files.readString(ROOT.resolve(module).resolve("pom.xml"))
              .replaceAll("(?s)<exclusions>.*?</exclusions>", "")
              .replaceAll("(?s)<dependencyManagement>.*?</dependencyManagement>", "");
      dependencies.addAll(
          found(
              "<dependency>\\s*<groupId>(?!dev\\.loadgen)[^<]+</groupId>\\s*<artifactId>([^<]+)<",
              pom));
    }

    assertThat(dependencies)
        .hasSizeGreaterThan(20)
        .allSatisfy(name -> assertThat(page).containsPattern("\n\\|[^|]*`" + name + "`"));
  }

  /** Folders of all poms, the root's own among them. */
  private static List<String> modules() throws IOException {
    List<String> modules =
        new ArrayList<>(
            found("<module>([^<]+)</module>", Files.readString(ROOT.resolve("pom.xml"))));
    modules.add(".");
    return modules;
  }

  private static List<String> found(String pattern, String text) {
    return Pattern.compile(pattern).matcher(text).results().map(match -> match.group(1)).toList();
  }

  /** Those of the lists that say which files a change touches, above all. */
  @Test
  void everyPathOfContributingExists() throws IOException {
    List<String> paths =
        CODE.matcher(Files.readString(ROOT.resolve("CONTRIBUTING.md")))
            .results()
            .map(code -> code.group(1))
            .filter(code -> PATH.matcher(code).matches() && !code.contains("target/"))
            .toList();

    assertThat(paths)
        .hasSizeGreaterThan(50)
        .allSatisfy(path -> assertThat(exists(path)).as(path).isTrue());
  }

  /** {@code ...} stands for any folders between, {@code *} for a part of a name. */
  private static boolean exists(String path) throws IOException {
    if (!path.contains("...") && !path.contains("*") && !path.contains("{")) {
      return Files.exists(ROOT.resolve(path));
    }
    String module = path.substring(0, path.indexOf('/'));
    PathMatcher matcher =
        FileSystems.getDefault().getPathMatcher("glob:" + path.replace("...", "**"));
    try (Stream<Path> files = Files.walk(ROOT.resolve(module))) {
      return files.map(ROOT::relativize).anyMatch(matcher::matches);
    }
  }
}
