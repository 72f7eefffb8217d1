package dev.loadgen.runner.host;

import java.io.IOException;
import java.io.InputStream;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * All that debug mode notes of the machine that the client runs on: variables, arguments, kernel,
 * limits, and what some tools print where they are installed. Without secrets, by {@link
 * Redaction}.
 */
public final class DetailedEnvironment {
  /** Files that say what kernel, processor, memory and container there are. */
  private static final List<String> FILES =
      List.of(
          "/etc/os-release",
          "/proc/version",
          "/proc/cmdline",
          "/proc/meminfo",
          "/proc/loadavg",
          "/proc/self/limits",
          "/proc/self/cgroup",
          "/proc/sys/net/core/somaxconn",
          "/proc/sys/net/ipv4/ip_local_port_range",
          "/proc/sys/net/ipv4/tcp_tw_reuse",
          "/sys/fs/cgroup/cpu.max",
          "/sys/fs/cgroup/cpu.weight",
          "/sys/fs/cgroup/cpu.stat",
          "/sys/fs/cgroup/cpuset.cpus.effective",
          "/sys/fs/cgroup/memory.max",
          "/sys/fs/cgroup/memory.high",
          "/sys/fs/cgroup/memory.current",
          "/sys/fs/cgroup/pids.max",
          "/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor");

  private static final Map<String, List<String>> TOOLS =
      Map.of(
          "lscpu.txt", List.of("lscpu"),
          "nvidia-smi.txt", List.of("nvidia-smi"),
          "nvidia-smi-q.txt", List.of("nvidia-smi", "-q"),
          "pip-list.txt", List.of("python3", "-m", "pip", "list", "--format=freeze"),
          "rocm-smi.txt", List.of("rocm-smi"));

  private static final int MAX_OUTPUT = 1 << 20;

  private DetailedEnvironment() {}

  /**
   * What a tool printed, or why it printed nothing.
   *
   * @param output standard output and errors; empty if it could not be run
   * @param problem empty if it ended well
   */
  record Printed(String output, String problem) {}

  /** Variables, arguments and files. */
  public static Map<String, Object> capture(Redaction redaction) {
    return capture(
        redaction,
        System.getenv(),
        ManagementFactory.getRuntimeMXBean().getInputArguments(),
        DetailedEnvironment::read);
  }

  static Map<String, Object> capture(
      Redaction redaction,
      Map<String, String> variables,
      List<String> jvmArguments,
      Function<Path, String> files) {
    Map<String, Object> all = new LinkedHashMap<>();
    all.put("variables", redaction.variables(variables));
    all.put("jvmArguments", jvmArguments.stream().map(redaction::argument).toList());
    Map<String, String> contents = new LinkedHashMap<>();
    for (String name : FILES) {
      String content = files.apply(Path.of(name)).strip();
      if (!content.isEmpty()) {
        contents.put(name, redaction.text(content));
      }
    }
    all.put("files", contents);
    return all;
  }

  /**
   * What tools print, by the name of a file; one that is not installed is left out. Blocks for at
   * most {@code limit} for each.
   */
  public static Map<String, String> tools(Redaction redaction, Duration limit)
      throws InterruptedException {
    Map<String, String> outputs = new TreeMap<>();
    for (Map.Entry<String, List<String>> tool : TOOLS.entrySet()) {
      Printed printed = run(tool.getValue(), limit);
      String text = redaction.text(printed.output());
      if (!printed.problem().isEmpty() && !text.isEmpty()) {
        text += "\n" + printed.problem() + "\n";
      }
      if (!text.isEmpty()) {
        outputs.put(tool.getKey(), text);
      }
    }
    return outputs;
  }

  static Printed run(List<String> command, Duration limit) throws InterruptedException {
    Path output = null;
    try {
      output = Files.createTempFile("tool", ".txt");
      Process process =
          new ProcessBuilder(command)
              .redirectErrorStream(true)
              .redirectOutput(output.toFile())
              .redirectInput(ProcessBuilder.Redirect.from(Path.of("/dev/null").toFile()))
              .start();
      boolean ended = process.waitFor(limit.toMillis(), TimeUnit.MILLISECONDS);
      if (!ended) {
        process.destroyForcibly();
      }
      byte[] printed;
      try (InputStream in = Files.newInputStream(output)) {
        printed = in.readNBytes(MAX_OUTPUT);
      }
      String problem =
          !ended
              ? "ended after " + limit.toSeconds() + " s"
              : process.exitValue() == 0 ? "" : "exit code " + process.exitValue();
      return new Printed(new String(printed, StandardCharsets.UTF_8), problem);
    } catch (IOException e) {
      return new Printed("", String.valueOf(e.getMessage()));
    } finally {
      delete(output);
    }
  }

  private static void delete(@Nullable Path file) {
    try {
      if (file != null) {
        Files.deleteIfExists(file);
      }
    } catch (IOException e) {
      // A temporary file that stays is no reason to end a test.
    }
  }

  private static String read(Path file) {
    try {
      return Files.isReadable(file) ? Files.readString(file) : "";
    } catch (IOException e) {
      // Not every kernel has every file, and some cannot be read in a container.
      return "";
    }
  }
}
