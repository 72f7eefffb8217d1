package dev.loadgen.runner;

import dev.loadgen.mlperf.ConfType;
import dev.loadgen.mlperf.LoadGen;
import dev.loadgen.mlperf.LoadGenMode;
import dev.loadgen.mlperf.LogSettings;
import dev.loadgen.mlperf.QuerySample;
import dev.loadgen.mlperf.QuerySampleLibrary;
import dev.loadgen.mlperf.SystemUnderTest;
import dev.loadgen.mlperf.TestScenario;
import dev.loadgen.mlperf.TestSettings;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.BitSet;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** What a LoadGen does, without a runner around it. In a JVM of its own, since it has one. */
final class LoadGenProgram {
  private static final byte[] NO_DATA = {0};
  private static final long BOUND_SECONDS = 60;

  private LoadGenProgram() {}

  /**
   * {@code embedded VERSION KEY...}: prints for each key of a model and each scenario a line of
   * what is compiled in. {@code run VERSION SCENARIO MODE LIBRARY FOLDER}: a test with {@code
   * FOLDER/user.conf} that leaves its logs there, and prints the indices of the samples.
   */
  public static void main(String[] args) throws Exception {
    LoadGen.load(args[1]);
    if (args[0].equals("embedded")) {
      for (String key : List.of(args).subList(2, args.length)) {
        for (TestScenario scenario : TestScenario.values()) {
          System.out.println(Embedded.of(key, scenario).line());
        }
      }
    } else {
      run(
          TestScenario.valueOf(args[2]),
          LoadGenMode.valueOf(args[3]),
          Integer.parseInt(args[4]),
          Path.of(args[5]));
    }
  }

  /** Runs it in the folder and returns the lines that it printed. */
  static List<String> fork(Path folder, String... arguments) {
    Path output = folder.resolve("output.txt");
    List<String> command =
        Stream.concat(
                Stream.of(
                    Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                    "-cp",
                    System.getProperty("java.class.path"),
                    "--enable-native-access=ALL-UNNAMED",
                    "-XX:+UseSerialGC",
                    "-XX:TieredStopAtLevel=1",
                    "-XX:-CreateCoredumpOnCrash",
                    "-Xmx256m",
                    LoadGenProgram.class.getName()),
                Stream.of(arguments))
            .toList();
    try {
      Process process =
          new ProcessBuilder(command)
              .redirectErrorStream(true)
              .redirectOutput(output.toFile())
              .start();
      try {
        if (!process.waitFor(BOUND_SECONDS, TimeUnit.SECONDS) || process.exitValue() != 0) {
          throw new AssertionError(
              "LoadGen did not end as it should; it printed:\n" + Files.readString(output));
        }
      } finally {
        process.destroyForcibly();
      }
      return Files.readAllLines(output);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  /** What is compiled into a LoadGen for a key of a model in a scenario. */
  record Embedded(
      String key,
      String scenario,
      String seeds,
      long performanceSamples,
      long accuracySamples,
      boolean tokenLatencies,
      double ttftMs,
      double tpotMs,
      double latencyMs,
      double percentile,
      boolean wholeCopies,
      long minDurationMs,
      long minQueryCount) {
    private static Embedded of(String key, TestScenario scenario) {
      TestSettings settings = new TestSettings();
      settings.fromConfig(null, key, scenario, ConfType.MLPERF_CONF);
      return new Embedded(
          key,
          scenario.name(),
          Stream.of(settings.qslRngSeed, settings.sampleIndexRngSeed, settings.scheduleRngSeed)
              .map(Long::toUnsignedString)
              .toList()
              .toString()
              .replace(", ", " "),
          settings.performanceSampleCountOverride,
          settings.accuracySampleCountOverride,
          settings.useTokenLatencies,
          settings.serverTtftLatency / 1e6,
          settings.serverTpotLatency / 1e6,
          settings.serverTargetLatencyNs / 1e6,
          settings.serverTargetLatencyPercentile * 100,
          settings.sampleConcatenatePermutation,
          settings.minDurationMs,
          settings.minQueryCount);
    }

    private String line() {
      return String.join(
          ",",
          key,
          scenario,
          seeds,
          Long.toString(performanceSamples),
          Long.toString(accuracySamples),
          Boolean.toString(tokenLatencies),
          Double.toString(ttftMs),
          Double.toString(tpotMs),
          Double.toString(latencyMs),
          Double.toString(percentile),
          Boolean.toString(wholeCopies),
          Long.toString(minDurationMs),
          Long.toString(minQueryCount));
    }

    static Embedded parse(String line) {
      String[] parts = line.split(",", -1);
      return new Embedded(
          parts[0],
          parts[1],
          parts[2],
          Long.parseLong(parts[3]),
          Long.parseLong(parts[4]),
          Boolean.parseBoolean(parts[5]),
          Double.parseDouble(parts[6]),
          Double.parseDouble(parts[7]),
          Double.parseDouble(parts[8]),
          Double.parseDouble(parts[9]),
          Boolean.parseBoolean(parts[10]),
          Long.parseLong(parts[11]),
          Long.parseLong(parts[12]));
    }
  }

  private static void run(TestScenario scenario, LoadGenMode mode, int samples, Path folder) {
    TestSettings settings = new TestSettings();
    settings.scenario = scenario;
    settings.mode = mode;
    settings.fromConfig(folder.resolve("user.conf"), "model", scenario, ConfType.USER_CONF);
    LogSettings logs = new LogSettings();
    logs.logOutput.outdir = folder;
    Noop noop = new Noop(samples, new BitSet());
    LoadGen.startTest(noop, noop, settings, logs);
    System.out.println(noop.seen());
  }

  /** A system that completes each sample at once, and its library. */
  private record Noop(int samples, BitSet seen) implements SystemUnderTest, QuerySampleLibrary {
    @Override
    public String name() {
      return "noop";
    }

    @Override
    public void issueQuery(List<QuerySample> query) {
      for (QuerySample sample : query) {
        issueQuery(sample.id(), sample.index());
      }
    }

    @Override
    public void issueQuery(long id, int index) {
      seen.set(index);
      LoadGen.querySamplesComplete(id, NO_DATA, 0, 1, 0);
    }

    @Override
    public void flushQueries() {}

    @Override
    public int totalSampleCount() {
      return samples;
    }

    @Override
    public int performanceSampleCount() {
      return samples;
    }

    @Override
    public void loadSamplesToRam(int[] indices) {}

    @Override
    public void unloadSamplesFromRam(int[] indices) {}
  }
}
