package dev.loadgen.runner;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.loadgen.contract.ContractJson;
import dev.loadgen.contract.PlanBuilder;
import dev.loadgen.contract.Progress;
import dev.loadgen.contract.RunPlan;
import dev.loadgen.contract.RunResult;
import dev.loadgen.contract.RunSummary;
import dev.loadgen.contract.RunnerExit;
import dev.loadgen.contract.RunnerInterface;
import dev.loadgen.contract.Verdict;
import dev.loadgen.contract.VerdictReason;
import dev.loadgen.results.ResultsFolder;
import dev.loadgen.results.Statement;
import dev.loadgen.results.report.HtmlReport;
import dev.loadgen.results.report.StoredRun;
import dev.loadgen.results.report.UnreadableRunException;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import java.util.zip.GZIPInputStream;
import org.awaitility.Awaitility;

/**
 * {@link Main} in a JVM of its own, since LoadGen allows one test a process: one run in a folder
 * that holds datasets, results and what the process printed.
 */
final class ForkedRunner implements AutoCloseable {
  /** Far above what any run of these tests needs; one that hangs fails by it. */
  private static final Duration BOUND = Duration.ofSeconds(150);

  private static final ObjectMapper MAPPER = new ObjectMapper();
  private static final HttpClient HTTP =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
  private static final Pattern PROGRESS = Pattern.compile("progress at (http://\\S+)");

  private final Path folder;
  private final RunPlan plan;
  private final Process process;

  private ForkedRunner(Path folder, RunPlan plan, Process process) {
    this.folder = folder;
    this.plan = plan;
    this.process = process;
  }

  /** Runs a plan to its end. Its dataset is {@code folder/datasets}. */
  static Ended run(Path folder, PlanBuilder plan) {
    try (ForkedRunner runner = start(folder, plan)) {
      return runner.await();
    }
  }

  static ForkedRunner start(Path folder, PlanBuilder builder) {
    return start(folder, builder, List.of());
  }

  /** Starts it by another command, such as {@code nice}. */
  static ForkedRunner start(Path folder, PlanBuilder builder, List<String> by) {
    return start(folder, builder, by, List.of());
  }

  /** Starts it by another command, with further options of the JVM. */
  static ForkedRunner start(
      Path folder, PlanBuilder builder, List<String> by, List<String> options) {
    RunPlan plan = builder.build();
    try {
      Files.writeString(folder.resolve("plan.json"), ContractJson.writePretty(plan));
      return start(folder, plan, by, options);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Runs it with the warm-up that a run has unless told otherwise. */
  static Ended runWarm(Path folder, PlanBuilder builder) {
    return run(folder, builder, List.of("-D" + WarmUp.PROPERTY + "=on"));
  }

  /** Runs it with further options of the JVM. */
  static Ended run(Path folder, PlanBuilder builder, List<String> options) {
    try (ForkedRunner runner = start(folder, builder, List.of(), options)) {
      return runner.await();
    }
  }

  /** Runs what {@code plan.json} holds, be it a plan or not. */
  static Ended runFile(Path folder) {
    try (ForkedRunner runner = start(folder, new PlanBuilder().build(), List.of())) {
      return runner.await();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static ForkedRunner start(Path folder, RunPlan plan, List<String> by) throws IOException {
    return start(folder, plan, by, List.of());
  }

  private static ForkedRunner start(
      Path folder, RunPlan plan, List<String> by, List<String> options) throws IOException {
    Files.createDirectories(folder.resolve("datasets"));
    List<String> command = new ArrayList<>(by);
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(StartCache.options());
    // Where nothing is measured, the warm-up would be most of the test's time.
    command.add("-D" + WarmUp.PROPERTY + "=off");
    if (options.stream().noneMatch(option -> option.endsWith("GC"))) {
      command.add("-XX:+UseSerialGC");
    }
    command.addAll(
        List.of(
            "-cp",
            StartCache.classPath(),
            "--enable-native-access=ALL-UNNAMED",
            "-XX:TieredStopAtLevel=1",
            "-XX:-CreateCoredumpOnCrash",
            "-Xmx512m"));
    command.addAll(options);
    command.addAll(
        List.of(
            Main.class.getName(),
            RunnerInterface.PLAN_OPTION,
            folder.resolve("plan.json").toString(),
            RunnerInterface.DATASETS_OPTION,
            folder.resolve("datasets").toString(),
            RunnerInterface.RESULTS_OPTION,
            folder.resolve("results").toString(),
            RunnerInterface.SECRETS_OPTION,
            folder.resolve("secrets").toString(),
            RunnerInterface.TERMINATION_LOG_OPTION,
            folder.resolve("termination-log").toString(),
            RunnerInterface.LISTEN_OPTION,
            "127.0.0.1:0"));
    Process process =
        new ProcessBuilder(command)
            .directory(folder.toFile())
            .redirectErrorStream(true)
            .redirectOutput(folder.resolve("output.txt").toFile())
            .start();
    return new ForkedRunner(folder, plan, process);
  }

  Process process() {
    return process;
  }

  String output() {
    try {
      return Files.readString(folder.resolve("output.txt"));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Where it serves progress, once it does. */
  URI progress() {
    return URI.create(
        Awaitility.await("the runner says where it serves progress")
            .atMost(BOUND)
            .until(
                () -> {
                  Matcher line = PROGRESS.matcher(output());
                  return line.find() ? line.group(1) : "";
                },
                url -> !url.isEmpty()));
  }

  /** Waits until its progress is as wanted. */
  Progress awaitProgress(Predicate<Progress> wanted) {
    HttpRequest request =
        HttpRequest.newBuilder(progress().resolve(RunnerInterface.PROGRESS_PATH)).build();
    return Awaitility.await("progress as wanted")
        .atMost(BOUND)
        .pollInterval(Duration.ofMillis(20))
        .until(
            () ->
                ContractJson.read(
                    HTTP.send(request, HttpResponse.BodyHandlers.ofString()).body(),
                    Progress.class),
            wanted);
  }

  /** Waits for its end. */
  Ended await() {
    return await(BOUND);
  }

  Ended await(Duration bound) {
    try {
      boolean ended = process.waitFor(bound.toMillis(), TimeUnit.MILLISECONDS);
      assertThat(ended).as("the runner ends within %s; its output:%n%s", bound, output()).isTrue();
      return new Ended(folder, plan, process.exitValue(), output());
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  @Override
  public void close() {
    process.destroyForcibly();
  }

  /** A run that has ended. */
  record Ended(Path folder, RunPlan plan, int exitCode, String output) {
    /** Columns of {@code requests.csv.gz}. */
    static final int REPLICA = 1;

    static final int ENDED = 5;
    static final int TOKENS = 6;
    static final int FINISH_REASON = 7;
    static final int FAILURE = 8;

    Path results() {
      return folder.resolve("results").resolve(plan.run().name()).resolve(plan.run().uid());
    }

    RunSummary summary() {
      return read(results().resolve("summary.json"));
    }

    RunSummary terminationMessage() {
      return read(folder.resolve("termination-log"));
    }

    private RunSummary read(Path file) {
      try {
        return ContractJson.read(Files.readString(file), RunSummary.class);
      } catch (IOException e) {
        throw new AssertionError(file + " cannot be read; the runner printed:\n" + output, e);
      }
    }

    JsonNode json(String file) {
      try {
        return MAPPER.readTree(results().resolve(file).toFile());
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }

    String text(String file) {
      try {
        return Files.readString(results().resolve(file));
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }

    /** The rows of {@code requests.csv.gz} without the header; values have no commas in tests. */
    List<String[]> requests() {
      List<String[]> rows = new ArrayList<>();
      try (BufferedReader lines =
          new BufferedReader(
              new InputStreamReader(
                  new GZIPInputStream(Files.newInputStream(results().resolve("requests.csv.gz"))),
                  StandardCharsets.UTF_8))) {
        lines.readLine();
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
          rows.add(line.split(",", 10));
        }
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
      return rows;
    }

    /** Why samples failed, in the order of issue; one for each that did. */
    List<String> failureKinds() {
      return requests().stream().map(row -> row[FAILURE]).filter(kind -> !kind.isEmpty()).toList();
    }

    /** Fails unless every sample is accounted for once, in each place that counts. */
    Ended countsAgree(long failed) {
      RunResult result = summary().result();
      List<String[]> rows = requests();
      assertThat(result.failed()).as(output).isEqualTo(failed);
      assertThat(result.completed()).isEqualTo(rows.size() - failed);
      assertThat(rows)
          .allSatisfy(
              row -> {
                assertThat(row[ENDED]).isNotEmpty();
                assertThat(Integer.parseInt(row[TOKENS]) > 0).isEqualTo(row[FAILURE].isEmpty());
              });
      assertThat(failureKinds()).hasSize((int) failed);
      assertThat(rows.stream().mapToLong(row -> Long.parseLong(row[TOKENS])).sum())
          .isEqualTo(result.outputTokens());
      return this;
    }

    /** Fails unless the test ran to its end and the folder has all that it must have. */
    Ended completed() {
      assertThat(exitCode).as(output).isZero();
      folderIsComplete();
      assertThat(results())
          .isDirectoryContaining(file -> file.endsWith("mlperf_log_detail.txt"))
          .isDirectoryContaining(file -> file.endsWith("mlperf_log_summary.txt"))
          .isDirectoryContaining(file -> file.endsWith("mlperf_log_accuracy.json"))
          .isDirectoryContaining(file -> file.endsWith("requests.csv.gz"))
          .isDirectoryContaining(file -> file.endsWith("user.conf"));
      assertThat(json("environment.json").path("loadGenVersion").asText()).isNotEmpty();
      assertThat(summary().failure()).as(output).isNull();
      assertThat(summary().verdict()).as(output).isNotNull();
      return this;
    }

    /**
     * Fails unless the verdict is Valid, but for what a machine that others load does to the
     * client: these runs are short and share their processors with other tests.
     */
    Ended accepted() {
      assertThat(summary().verdict()).as(output).isIn(Verdict.Valid, Verdict.Inconclusive);
      assertThat(summary().verdictReasons())
          .as(output)
          .extracting(VerdictReason::rule)
          .isSubsetOf("ClientLimited");
      return this;
    }

    /** Fails if what it printed, its results or its last words hold a secret. */
    void keepsToItself(String... secrets) {
      assertThat(output).doesNotContain(secrets);
      for (Path root : List.of(folder.resolve("results"), folder.resolve("termination-log"))) {
        try (Stream<Path> files = Files.walk(root)) {
          assertThat(files.filter(Files::isRegularFile))
              .isNotEmpty()
              .allSatisfy(
                  file ->
                      assertThat(new String(Files.readAllBytes(file), StandardCharsets.ISO_8859_1))
                          .as("%s", file)
                          .doesNotContain(secrets));
        } catch (IOException e) {
          throw new UncheckedIOException(e);
        }
      }
    }

    /** Our tokens are the server's, before and after the test. */
    void tokensAgree() {
      JsonNode tokens = json("server/tokens.json");
      long ours = 0;
      for (JsonNode replica : tokens) {
        assertThat(replica.path("server").isIntegralNumber()).as("%s", replica).isTrue();
        assertThat(replica.path("ours").asLong()).isEqualTo(replica.path("server").asLong());
        ours += replica.path("ours").asLong();
      }
      assertThat(ours).isPositive().isEqualTo(summary().result().outputTokens());
    }

    /** Fails unless the run failed so, with a complete folder that says so. */
    Ended failed(RunnerExit exit, String... parts) {
      assertThat(exitCode).as(output).isEqualTo(exit.code());
      folderIsComplete();
      saysSo(summary(), exit, parts);
      saysSo(terminationMessage(), exit, parts);
      return this;
    }

    /** Fails unless the run failed so before there was a folder. */
    Ended refused(RunnerExit exit, String... parts) {
      assertThat(exitCode).as(output).isEqualTo(exit.code());
      saysSo(terminationMessage(), exit, parts);
      assertThat(partialFolders()).isEmpty();
      return this;
    }

    private void saysSo(RunSummary summary, RunnerExit exit, String... parts) {
      RunSummary.Failure failure = summary.failure();
      assertThat(failure).as(output).isNotNull();
      assertThat(failure.reason()).isEqualTo(exit.reason());
      assertThat(failure.message()).contains(parts);
      assertThat(summary.verdict()).isNull();
    }

    private void folderIsComplete() {
      assertThat(results()).as(output).isDirectory();
      assertThat(partialFolders()).isEmpty();
      assertThat(plan(text("plan.json"))).isEqualTo(plan.withoutCredentials());
      assertThat(json("environment.json").path("runnerVersion").asText()).isNotEmpty();
      assertThat(text("report.html")).isEqualTo(reportMadeAgain());
      assertThat(text("runner.log")).isNotEmpty();
      assertThat(summary().resultsPath()).isEqualTo(plan.run().name() + "/" + plan.run().uid());
      manifestHolds(results());
    }

    private String reportMadeAgain() {
      try {
        return HtmlReport.html(StoredRun.readPublished(results()), "");
      } catch (UnreadableRunException e) {
        throw new AssertionError(e);
      }
    }

    private static RunPlan plan(String json) {
      try {
        return ContractJson.read(json, RunPlan.class);
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }

    private List<Path> partialFolders() {
      Path root = folder.resolve("results");
      if (!Files.exists(root)) {
        return List.of();
      }
      try (Stream<Path> all = Files.walk(root)) {
        return all.filter(
                file ->
                    file.getFileName().toString().endsWith(".partial")
                        || file.getFileName().toString().endsWith(".tmp"))
            .toList();
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }

  /**
   * Fails unless the manifest lists every other file of the folder with its size and SHA-256, but
   * for the statement of it.
   */
  static void manifestHolds(Path folder) {
    try {
      ResultsFolder.Manifest manifest =
          ContractJson.read(
              Files.readString(folder.resolve(ResultsFolder.MANIFEST)),
              ResultsFolder.Manifest.class);
      List<ResultsFolder.Manifest.Entry> found = new ArrayList<>();
      try (Stream<Path> files = Files.walk(folder)) {
        for (Path file : files.filter(Files::isRegularFile).sorted().toList()) {
          String path = folder.relativize(file).toString();
          if (!path.equals(ResultsFolder.MANIFEST) && !path.equals(Statement.FILE)) {
            byte[] content = Files.readAllBytes(file);
            found.add(
                new ResultsFolder.Manifest.Entry(
                    path,
                    content.length,
                    HexFormat.of()
                        .formatHex(MessageDigest.getInstance("SHA-256").digest(content))));
          }
        }
      }
      assertThat(manifest.files()).containsExactlyInAnyOrderElementsOf(found);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (NoSuchAlgorithmException e) {
      throw new AssertionError(e);
    }
  }

  /** Writes a file of the run's datasets. */
  static void dataset(Path folder, String name, byte[] content) {
    try {
      Files.createDirectories(folder.resolve("datasets"));
      Files.write(folder.resolve("datasets").resolve(name), content);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Writes {@code prompts.json}: so many samples with text and token ids, all different. */
  static void prompts(Path folder, int samples) {
    StringBuilder json = new StringBuilder("[");
    for (int i = 0; i < samples; i++) {
      json.append(i == 0 ? "" : ",\n")
          .append("{\"input\": \"question ")
          .append(i)
          .append("\", \"tok_input\": ")
          .append(tokenIds(i))
          .append('}');
    }
    dataset(folder, "prompts.json", json.append(']').toString().getBytes(StandardCharsets.UTF_8));
  }

  /** The token ids of a sample of {@link #prompts}, as JSON. */
  static String tokenIds(int sample) {
    return "[100, 200, " + (1000 + sample) + "]";
  }
}
