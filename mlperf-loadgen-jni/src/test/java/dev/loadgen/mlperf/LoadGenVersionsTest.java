package dev.loadgen.mlperf;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What holds for each LoadGen that the library carries, and that a process has one of them. */
@Timeout(90)
class LoadGenVersionsTest {
  private final Path folder;

  LoadGenVersionsTest(@TempDir Path folder) {
    this.folder = folder;
  }

  static Stream<String> versions() {
    return LoadGenBuild.all().stream().map(LoadGenBuild::version);
  }

  private ForkedLoadGen run(String version, String scenario, String... arguments) {
    return ForkedLoadGen.run(
            folder, List.of("-D" + Scenarios.VERSION_PROPERTY + "=" + version), scenario, arguments)
        .succeeded();
  }

  private static void assertLogOf(String version, ForkedLoadGen test) {
    assertThat(test.detail("loadgen_version"))
        .singleElement()
        .asString()
        .startsWith(version + " @ ");
    assertThat(test.detail("result_validity"))
        .as("%s", test.detail("result_invalid_reason"))
        .containsExactly("VALID");
    assertThat(test.detail("num_errors")).as(test.log("detail.txt")).containsExactly("0");
  }

  @ParameterizedTest
  @MethodSource("versions")
  void runsOfflineAndRefusesWhatComesTooLate(String version) {
    ForkedLoadGen test = run(version, "offline");

    assertLogOf(version, test);
    assertThat(test.value("version")).isEqualTo(version);
    assertThat(test.value("issued")).isEqualTo("220");
    assertThat(test.value("secondCompletions")).isEqualTo("0");
    assertThat(test.value("lateCompletion")).isEqualTo("false");
  }

  @ParameterizedTest
  @MethodSource("versions")
  void runsServerWithTokensFromVirtualThreads(String version) {
    ForkedLoadGen test = run(version, "server");

    assertLogOf(version, test);
    assertThat(test.value("madeUp")).isEqualTo("0");
    assertThat(test.detail("result_first_token_99.00_percentile_latency_ns")).hasSize(1);
  }

  @ParameterizedTest
  @MethodSource("versions")
  void doesNotCrashWithoutAFirstToken(String version) {
    ForkedLoadGen test = run(version, "accuracyWithoutFirstToken");

    assertThat(test.accuracyEntries()).hasSize(64);
    assertThat(test.detail("error_runtime")).hasSize(64);
  }

  @ParameterizedTest
  @MethodSource("versions")
  void readsUserConfOnTopOfItsOwn(String version) {
    ForkedLoadGen test = run(version, "userConf");

    assertThat(test.value("seedOfMlperfConf")).isEqualTo("true");
    assertThat(test.value("targetQps")).isEqualTo("77.5");
    assertThat(test.detail("error_invalid_config")).isEmpty();
  }

  @ParameterizedTest
  @MethodSource("versions")
  void hasTheSettingOrRefusesIt(String version) {
    ForkedLoadGen test = run(version, "accuracySamples");

    if (version.startsWith("5.")) {
      assertThat(test.value("refusal"))
          .isEqualTo(
              "IllegalArgumentException: accuracySampleCountOverride must be 0, it is 10: LoadGen "
                  + version
                  + " has no such setting; let the query sample library have that many samples instead");
    } else {
      assertThat(test.value("refusal")).isEqualTo("none");
      assertThat(test.accuracyEntries()).hasSize(10);
    }
  }

  @Test
  void withoutAChoiceItIsTheNewest() {
    ForkedLoadGen test = ForkedLoadGen.run(folder, "offline").succeeded();

    assertLogOf(LoadGenBuild.newest().version(), test);
  }

  @Test
  void aSecondLoadGenInAProcessIsRefused() {
    LoadGenBuild oldest = LoadGenBuild.all().getFirst();
    String newest = LoadGenBuild.newest().version();

    ForkedLoadGen test =
        ForkedLoadGen.run(folder, "versions", oldest.version(), newest).succeeded();

    assertThat(test.value("loaded")).isEqualTo(oldest.version());
    assertThat(test.value("refused"))
        .isEqualTo(
            "IllegalStateException: LoadGen %s is asked for, and this process has loaded LoadGen %s. Start another process for it"
                .formatted(newest, oldest.version()));
  }

  @Test
  void aVersionThatIsNotThereIsRefusedWithThoseThatAre() {
    ForkedLoadGen test = ForkedLoadGen.run(folder, "versions", "4.1.30", "4.1.30").succeeded();

    assertThat(test.value("refused"))
        .startsWith(
            "LoadGenUnavailableException: This mlperf-loadgen-jni has no LoadGen 4.1.30 for")
        .contains(LoadGenBuild.all().stream().map(LoadGenBuild::toString).toList())
        .contains("native/versions.csv", "native/build.sh");
  }

  /** On a processor that the jar has no library for, the script stands in for native/build.sh. */
  @Test
  void aVersionThatTheJarLacksIsBuiltWhereThereIsAScriptForIt() throws Exception {
    String oldest = LoadGenBuild.all().getFirst().version();
    unpack(oldest, oldest);
    Path script =
        Files.writeString(
            folder.resolve("build.sh"),
            """
            #!/bin/sh
            [ "$2" = %1$s ] || { echo "no $2"; exit 1; }
            mkdir -p "$1/native/linux-s390x"
            cp '%2$s/libloadgen-jni-%1$s.so' "$1/native/linux-s390x/"
            touch "$1/left-by-the-build"
            """
                .formatted(oldest, folder.toAbsolutePath()));
    assertThat(script.toFile().setExecutable(true)).isTrue();
    List<String> options =
        List.of(
            "-Dos.arch=s390x", "-Djava.io.tmpdir=" + Files.createDirectory(folder.resolve("tmp")));
    Map<String, String> environment =
        Map.of(LoadGenLibrary.BUILD_VARIABLE, script.toAbsolutePath().toString());
    String newest = LoadGenBuild.newest().version();

    assertThat(
            ForkedLoadGen.run(folder, options, environment, "versions", oldest, oldest)
                .value("loaded"))
        .isEqualTo(oldest);
    assertThat(folder.resolve("tmp")).isEmptyDirectory();
    ForkedLoadGen failed =
        ForkedLoadGen.run(folder, options, environment, "versions", newest, newest);
    assertThat(failed.value("refused"))
        .isEqualTo(
            "LoadGenUnavailableException: LoadGen %s could not be built by %s; what it printed stands before this message"
                .formatted(newest, script.toAbsolutePath()));
    assertThat(failed.output()).contains("no " + newest);
  }

  @Test
  void aFolderOfLibrariesTakesThePlaceOfTheJar() throws Exception {
    List<String> options =
        List.of("-D" + LoadGenLibrary.FOLDER_PROPERTY + "=" + folder.toAbsolutePath());
    String oldest = LoadGenBuild.all().getFirst().version();
    String newest = LoadGenBuild.newest().version();
    unpack(oldest, oldest);

    assertThat(ForkedLoadGen.run(folder, options, "versions", oldest, newest).value("loaded"))
        .isEqualTo(oldest);
    assertThat(ForkedLoadGen.run(folder, options, "versions", newest, newest).value("refused"))
        .startsWith("LoadGenUnavailableException: There is no LoadGen " + newest)
        .contains(folder.toString(), "There is " + LoadGenBuild.all().getFirst() + ".");
  }

  @Test
  void aLibraryThatHoldsAnotherLoadGenIsRefused() throws Exception {
    String oldest = LoadGenBuild.all().getFirst().version();
    String newest = LoadGenBuild.newest().version();
    unpack(oldest, newest);

    ForkedLoadGen test =
        ForkedLoadGen.run(
                folder,
                List.of("-D" + LoadGenLibrary.FOLDER_PROPERTY + "=" + folder.toAbsolutePath()),
                "versions",
                newest,
                newest)
            .succeeded();

    assertThat(test.value("refused"))
        .contains("The library of LoadGen %s holds LoadGen %s".formatted(newest, oldest));
  }

  /** Puts a version's library into the folder, under the name of a version. */
  private void unpack(String version, String name) throws IOException, LoadGenUnavailableException {
    String platform =
        LoadGenLibrary.platform(System.getProperty("os.name"), System.getProperty("os.arch"));
    try (InputStream library =
        Objects.requireNonNull(
            LoadGenVersionsTest.class.getResourceAsStream(
                "/native/" + platform + "/libloadgen-jni-" + version + ".so"))) {
      Files.copy(library, folder.resolve("libloadgen-jni-" + name + ".so"));
    }
  }
}
