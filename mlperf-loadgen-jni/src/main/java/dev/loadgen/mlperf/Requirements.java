package dev.loadgen.mlperf;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;

/**
 * What LoadGen takes for granted: without it, it crashes, hangs or generates queries until memory
 * is gone.
 */
final class Requirements {
  /** What the table of samples and Java's arrays hold. */
  private static final double MAX_SAMPLES = 1 << 29;

  private Requirements() {}

  static void checkName(String what, String name) {
    for (int i = 0; i < name.length(); i++) {
      char c = name.charAt(i);
      // LoadGen writes names into JSON as they are.
      if (c < ' ' || c == '"' || c == '\\') {
        throw new IllegalArgumentException(
            "The name of the "
                + what
                + " must have no control characters, quotation marks or backslashes: "
                + name);
      }
    }
  }

  static void checkCounts(int total, int performance) {
    require(total >= 1, "The query sample library is empty: totalSampleCount is " + total);
    require(
        performance >= 1,
        "performanceSampleCount of the query sample library must be at least 1, it is "
            + performance);
  }

  /** Checks settings as they will be effective, for a library of a given size. */
  static void checkSettings(TestSettings s, int total, int performance) {
    require(
        s.minQueryCount >= 1,
        "minQueryCount must be at least 1, it is "
            + s.minQueryCount
            + ": LoadGen cannot run a test without a query");
    require(s.minDurationMs >= 0, "minDurationMs must not be negative, it is " + s.minDurationMs);
    require(s.maxDurationMs >= 0, "maxDurationMs must not be negative, it is " + s.maxDurationMs);
    require(s.maxQueryCount >= 0, "maxQueryCount must not be negative, it is " + s.maxQueryCount);
    require(
        s.performanceSampleCountOverride >= 0
            && s.performanceSampleCountOverride <= Integer.MAX_VALUE,
        "performanceSampleCountOverride must be 0 to 2147483647, it is "
            + s.performanceSampleCountOverride);
    require(
        s.accuracySampleCountOverride >= 0 && s.accuracySampleCountOverride <= Integer.MAX_VALUE,
        "accuracySampleCountOverride must be 0 to 2147483647, it is "
            + s.accuracySampleCountOverride);
    require(
        s.accuracySampleCountOverride == 0 || LoadGen.hasSetting("accuracy_sample_count_override"),
        ("accuracySampleCountOverride must be 0, it is %s: LoadGen %s has no such setting;"
                + " let the query sample library have that many samples instead")
            .formatted(s.accuracySampleCountOverride, LoadGen.version()));
    require(
        s.mode != LoadGenMode.FindPeakPerformance || s.scenario == TestScenario.Server,
        "FindPeakPerformance works in the Server scenario only, scenario is " + s.scenario);
    long loaded =
        Math.min(
            total,
            s.performanceSampleCountOverride == 0 ? performance : s.performanceSampleCountOverride);
    if (s.performanceIssueSame) {
      require(
          s.performanceIssueSameIndex >= 0 && s.performanceIssueSameIndex < loaded,
          "performanceIssueSameIndex must be below the number of loaded samples, %s; it is %s"
              .formatted(loaded, s.performanceIssueSameIndex));
    }

    double queriesPerSecond =
        switch (s.scenario) {
          case SingleStream ->
              1e9 / positive("singleStreamExpectedLatencyNs", s.singleStreamExpectedLatencyNs);
          case MultiStream -> {
            require(
                s.multiStreamSamplesPerQuery >= 1 && s.multiStreamSamplesPerQuery <= MAX_SAMPLES,
                "multiStreamSamplesPerQuery must be at least 1, it is "
                    + s.multiStreamSamplesPerQuery);
            yield 1e9 / positive("multiStreamExpectedLatencyNs", s.multiStreamExpectedLatencyNs);
          }
          case Server -> positive("serverTargetQps", s.serverTargetQps);
          case Offline -> positive("offlineExpectedQps", s.offlineExpectedQps);
        };
    double generated =
        Math.max(2 * queriesPerSecond * s.minDurationMs / 1000, (double) s.minQueryCount);
    if (s.scenario == TestScenario.MultiStream) {
      generated *= s.multiStreamSamplesPerQuery;
    }
    require(
        generated <= MAX_SAMPLES,
        "LoadGen would have to generate about %.3g samples before the test; lower the rate, minDurationMs or minQueryCount"
            .formatted(generated));
    if (s.scenario == TestScenario.Server) {
      require(
          s.serverNumIssueQueryThreads >= 0 && s.serverNumIssueQueryThreads <= 512,
          "serverNumIssueQueryThreads must be 0 to 512, half of the threads that LoadGen's logger holds; it is "
              + s.serverNumIssueQueryThreads);
    } else {
      require(
          s.serverNumIssueQueryThreads == 0,
          "serverNumIssueQueryThreads is for the Server scenario, scenario is " + s.scenario);
    }
  }

  private static double positive(String field, double value) {
    require(
        value > 0 && value < Double.POSITIVE_INFINITY,
        field + " must be a positive number, it is " + value);
    return value;
  }

  /**
   * Checks that the log files can be written: LoadGen otherwise returns from a test that never ran,
   * with its log thread still running.
   */
  static void checkLogs(LogSettings logs) {
    LogOutputSettings output = logs.logOutput;
    checkFileName("prefix", output.prefix);
    checkFileName("suffix", output.suffix);
    Path folder = output.outdir;
    if (!Files.isDirectory(folder)) {
      throw new IllegalArgumentException(
          "logOutput.outdir: "
              + folder.toAbsolutePath()
              + " is not a folder. Create it before the test");
    }
    try {
      Files.delete(Files.createTempFile(folder, output.prefix, ".probe"));
      if (!output.prefixWithDatetime) {
        for (String name :
            List.of("summary%s.txt", "detail%s.txt", "accuracy%s.json", "trace%s.json")) {
          Path file = folder.resolve(output.prefix + name.formatted(output.suffix));
          Files.newByteChannel(file, StandardOpenOption.WRITE, StandardOpenOption.CREATE).close();
        }
      }
    } catch (IOException e) {
      throw new IllegalArgumentException(
          "logOutput.outdir: the log files cannot be written in %s: %s"
              .formatted(folder.toAbsolutePath(), e.getMessage()),
          e);
    }
  }

  private static void checkFileName(String field, String part) {
    require(
        part.chars().allMatch(c -> c >= ' ' && c != '/'),
        "logOutput." + field + " is a part of file names and must have no '/': " + part);
  }

  private static void require(boolean condition, String message) {
    if (!condition) {
      throw new IllegalArgumentException(message);
    }
  }
}
