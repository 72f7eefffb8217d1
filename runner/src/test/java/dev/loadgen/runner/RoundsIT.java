package dev.loadgen.runner;

import static org.assertj.core.api.Assertions.assertThat;

import dev.loadgen.contract.PlanBuilder;
import dev.loadgen.contract.RunPlan;
import dev.loadgen.contract.RunnerExit;
import dev.loadgen.contract.Scenario;
import dev.loadgen.contract.VerdictReason;
import dev.loadgen.mlperf.LoadGenBuild;
import dev.loadgen.rules.log.DetailLog;
import dev.loadgen.rules.log.UnreadableLogException;
import dev.loadgen.rules.ruleset.Ruleset;
import dev.loadgen.rules.ruleset.Seeds;
import dev.loadgen.runner.ForkedRunner.Ended;
import dev.loadgen.simulator.Simulator;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A run has the LoadGen of its ruleset, or does not begin. */
@Timeout(300)
class RoundsIT {
  private static final String LIBRARIES = "-Ddev.loadgen.mlperf.libraries=";

  private final Path folder;

  RoundsIT(@TempDir Path folder) {
    this.folder = folder;
    ForkedRunner.prompts(folder, 40);
  }

  private static PlanBuilder plan(String ruleset) {
    return new PlanBuilder()
        .benchmark("llama3.1-8b", "llama3_1-8b")
        .test(t -> t.ruleset(ruleset).performanceSampleCount(40));
  }

  @ParameterizedTest
  @ValueSource(strings = {"v5.1", "v6.0", "v6.1"})
  void eachRoundRunsWithItsOwnLoadGen(String round) throws UnreadableLogException {
    String version = Ruleset.named(round).loadGen().version();
    Ended run;
    try (Simulator server = Servers.vllm()) {
      run =
          ForkedRunner.run(
                  folder,
                  plan(round)
                      .server(Scenario.Server, 80, 100)
                      .streaming(true)
                      .replica(server.url()))
              .completed()
              .countsAgree(0);
    }

    Seeds seeds = Objects.requireNonNull(Ruleset.named(round).seeds());
    DetailLog log = DetailLog.read(run.results().resolve(DetailLog.FILE_NAME));
    assertThat(log.loadGenVersion())
        .hasValueSatisfying(logged -> assertThat(logged).startsWith(version + " @ "));
    assertThat(log.unsigned("effective_qsl_rng_seed")).hasValue(seeds.qsl());
    assertThat(log.unsigned("effective_sample_index_rng_seed")).hasValue(seeds.sampleIndex());
    assertThat(log.unsigned("effective_schedule_rng_seed")).hasValue(seeds.schedule());
    assertThat(log.errorCount()).as("%s", log.errors()).isZero();
    // A test of a second with 40 samples is no MLPerf result; of its seeds there is no complaint.
    assertThat(run.summary().verdictReasons())
        .extracting(VerdictReason::rule)
        .contains("MinDuration")
        .doesNotContain("SeedsDiffer");
    assertThat(run.json("environment.json").path("loadGenVersion").asText()).isEqualTo(version);
    assertThat(run.text("report.html")).contains("loadGenVersion", version);
  }

  @Test
  void aLibraryThatTheImageLacksIsNamedWithThoseThatItHas() throws IOException {
    Path libraries = libraries("6.0.17", "6.0.17");

    Ended run =
        ForkedRunner.run(
                folder, plan("v6.0").replica("http://127.0.0.1:1"), List.of(LIBRARIES + libraries))
            .failed(
                RunnerExit.PLAN_INVALID,
                "spec.ruleset: v6.0 needs LoadGen 6.0.15",
                "this runner lacks",
                "There is 6.0.17 (v6.1, none).");

    assertThat(run.summary().result()).isNull();
    assertThat(run.json("environment.json").has("loadGenVersion")).isFalse();
  }

  @Test
  void aLibraryThatHoldsAnotherLoadGenIsRefused() throws IOException {
    Path libraries = libraries("6.0.17", "6.0.15");

    ForkedRunner.run(
            folder, plan("v6.0").replica("http://127.0.0.1:1"), List.of(LIBRARIES + libraries))
        .failed(
            RunnerExit.PLAN_INVALID,
            "spec.ruleset: v6.0 needs LoadGen 6.0.15",
            "The library of LoadGen 6.0.15 holds LoadGen 6.0.17");
  }

  @Test
  void aRoundOfTomorrowNeedsItsLoadGen() throws IOException {
    Path rulesets = round("v7.0", "7.0.1", "1");

    ForkedRunner.run(
            folder, plan("v7.0").replica("http://127.0.0.1:1"), List.of(classPath(rulesets)))
        .failed(
            RunnerExit.PLAN_INVALID,
            "spec.ruleset: v7.0 needs LoadGen 7.0.1",
            LoadGenBuild.newest().toString());
  }

  @Test
  void seedsThatTheLoadGenDoesNotHaveAreRefused() throws IOException {
    Path rulesets = round("v7.0", "6.0.17", "16159082839903944937");

    ForkedRunner.run(
            folder, plan("v7.0").replica("http://127.0.0.1:1"), List.of(classPath(rulesets)))
        .failed(
            RunnerExit.PLAN_INVALID,
            "spec.ruleset: v7.0 prescribes other seeds than its LoadGen 6.0.17",
            "schedule_rng_seed is 16159082839903944936, must be 16159082839903944937",
            "correct seeds or loadGen.version");
  }

  @Test
  void aSettingThatTheLoadGenLacksIsRefused() {
    ForkedRunner.run(
            folder,
            plan("v5.1")
                .test(t -> t.userConf("# less\n*.Offline.accuracy_sample_count_override = 10"))
                .accuracy(RunPlan.CompletionData.TOKEN_IDS)
                .replica("http://127.0.0.1:1"))
        .failed(
            RunnerExit.PLAN_INVALID,
            "spec.load.userConf sets accuracy_sample_count_override",
            "LoadGen 5.1.2");
  }

  /** A ruleset as v6.1 but for its name, its LoadGen and the seed of its schedule. */
  private Path round(String name, String version, String schedule) throws IOException {
    Path files = folder.resolve("classes/dev/loadgen/rules/rulesets");
    Files.createDirectories(files);
    Files.writeString(files.resolve("index.txt"), name + "\n");
    try (InputStream in =
        Ruleset.class.getResourceAsStream("/dev/loadgen/rules/rulesets/v6.1.yaml")) {
      String yaml = new String(Objects.requireNonNull(in).readAllBytes(), StandardCharsets.UTF_8);
      Files.writeString(
          files.resolve(name + ".yaml"),
          yaml.replace("name: v6.1\n", "name: " + name + "\n")
              .replace("version: 6.0.17\n", "version: " + version + "\n")
              .replace("16159082839903944936", schedule));
    }
    return folder.resolve("classes");
  }

  private static String classPath(Path folder) {
    return "-Xbootclasspath/a:" + folder;
  }

  /** A folder with one version's library, under the name of a version. */
  private Path libraries(String version, String name) throws IOException {
    String platform =
        "linux-" + (System.getProperty("os.arch").equals("amd64") ? "x86_64" : "aarch64");
    Path libraries = Files.createDirectory(folder.resolve("libraries"));
    try (InputStream library =
        LoadGenBuild.class.getResourceAsStream(
            "/native/" + platform + "/libloadgen-jni-" + version + ".so")) {
      Files.copy(
          Objects.requireNonNull(library), libraries.resolve("libloadgen-jni-" + name + ".so"));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return libraries;
  }
}
