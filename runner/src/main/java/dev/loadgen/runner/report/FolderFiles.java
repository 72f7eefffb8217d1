package dev.loadgen.runner.report;

import dev.loadgen.runner.metrics.ServerMetricsFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The files of a results folder that a report names, each with what it holds. */
final class FolderFiles {
  private static final Map<String, String> WHAT = what();

  private FolderFiles() {}

  private static Map<String, String> what() {
    Map<String, String> what = new LinkedHashMap<>();
    what.put("summary.json", "verdict, reasons and result");
    what.put("plan.json", "what was asked for, with all defaults");
    what.put("requests.csv.gz", "a row a sample");
    what.put("accuracy.json", "scores of the answers");
    what.put("environment.json", "what the client ran on, and what it used");
    what.put("user.conf", "the settings that LoadGen read");
    what.put("mlperf_log_summary.txt", "LoadGen's summary");
    what.put("mlperf_log_detail.txt", "LoadGen's log, on which the verdict rests");
    what.put("mlperf_log_accuracy.json", "LoadGen's accuracy log");
    what.put("server/tokens.json", "output tokens by our count and by the servers'");
    what.put(ServerMetricsFile.NAME, "the servers' metrics during the test");
    what.put("debug/token-statistics.json", "statistics of input and output tokens");
    what.put("debug/phases.json", "statistics of the phases of requests");
    what.put("debug/phases.csv.gz", "the phases of each request");
    what.put("debug/environment.json", "the machine in detail");
    what.put("runner.log", "the client's own log");
    return what;
  }

  /** The files that are there, in the order in which they are worth looking at. */
  static List<String> present(Path folder) {
    return WHAT.keySet().stream().filter(file -> Files.exists(folder.resolve(file))).toList();
  }

  /** What a file holds. */
  static String what(String file) {
    return WHAT.getOrDefault(file, "");
  }
}
