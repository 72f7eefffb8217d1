package dev.loadgen.results.report;

import dev.loadgen.accuracy.input.AccuracyLog;
import dev.loadgen.contract.RunnerInterface;
import dev.loadgen.results.ResultsFolder;
import dev.loadgen.results.accuracy.Scores;
import dev.loadgen.results.metrics.ServerMetricsFile;
import dev.loadgen.rules.log.DetailLog;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** The files of a results folder that a report names, each with what it holds. */
final class FolderFiles {
  private static final Map<String, String> WHAT = what();

  private FolderFiles() {}

  private static Map<String, String> what() {
    Map<String, String> what = new LinkedHashMap<>();
    what.put(ResultsFolder.SUMMARY, "verdict, reasons and result");
    what.put(ResultsFolder.PLAN, "what was asked for, with all defaults");
    what.put(RunnerInterface.RUN_FILE, "the run as its author wrote it");
    what.put(RunnerInterface.BACKEND_FILE, "the backend as its author wrote it");
    what.put(ResultsFolder.REQUESTS, "a row a sample");
    what.put(Scores.FILE_NAME, "scores of the answers");
    what.put(ResultsFolder.ENVIRONMENT, "what the client ran on, and what it used");
    what.put("user.conf", "the settings that LoadGen read");
    what.put(
        "audit.config", "the settings of the compliance test's audit, which LoadGen read last");
    what.put("verify_accuracy.txt", "what the compliance test came to, for a submission");
    what.put("verify_output_len.txt", "what the compliance test came to, for a submission");
    what.put(ResultsFolder.LOADGEN_SUMMARY, "LoadGen's summary");
    what.put(DetailLog.FILE_NAME, "LoadGen's log, on which the verdict rests");
    what.put(AccuracyLog.FILE_NAME, "LoadGen's accuracy log");
    what.put(ResultsFolder.TOKENS, "output tokens by our count and by the servers'");
    what.put(ServerMetricsFile.NAME, "the servers' metrics during the test");
    what.put("debug/token-statistics.json", "statistics of input and output tokens");
    what.put("debug/phases.json", "statistics of the phases of requests");
    what.put("debug/phases.csv.gz", "the phases of each request");
    what.put("debug/environment.json", "the machine in detail");
    what.put(ResultsFolder.RUNNER_LOG, "the client's own log");
    return what;
  }

  /** The files that are there, in the order in which they are worth looking at. */
  static List<String> present(Path folder) throws UnreadableRunException {
    Stream<String> known =
        WHAT.keySet().stream().filter(file -> Files.exists(folder.resolve(file)));
    return Stream.concat(known, serverLogs(folder).stream()).toList();
  }

  private static List<String> serverLogs(Path folder) throws UnreadableRunException {
    Path servers = folder.resolve("server");
    if (!Files.isDirectory(servers)) {
      return List.of();
    }
    try (Stream<Path> files = Files.list(servers)) {
      return files
          .map(file -> "server/" + file.getFileName())
          .filter(FolderFiles::isServerLog)
          .sorted()
          .toList();
    } catch (IOException e) {
      throw new UnreadableRunException(servers + ": cannot be read: " + e.getMessage(), e);
    }
  }

  static String what(String file) {
    if (isServerLog(file)) {
      return file.endsWith(".previous.log.gz")
          ? "a server's log until its last restart"
          : file.endsWith(".beginning.log.gz")
              ? "the first lines of a server's log, of before the run"
              : "a server's log";
    }
    return WHAT.getOrDefault(file, "");
  }

  private static boolean isServerLog(String file) {
    return file.startsWith("server/") && file.endsWith(".log.gz");
  }
}
