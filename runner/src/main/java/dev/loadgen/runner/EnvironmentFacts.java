package dev.loadgen.runner;

import dev.loadgen.contract.ContractJson;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * What the runner ran on, and what it found out about the test: {@code environment.json}. It holds
 * no environment variables, since these hold secrets. Thread-safe.
 */
final class EnvironmentFacts {
  private final Map<String, Object> facts;

  private EnvironmentFacts(Map<String, Object> facts) {
    this.facts = facts;
  }

  synchronized void put(String name, Object fact) {
    facts.put(name, fact);
  }

  synchronized String json() {
    return ContractJson.writePretty(facts) + "\n";
  }

  static EnvironmentFacts capture() {
    Map<String, Object> all = new LinkedHashMap<>();
    Package own = EnvironmentFacts.class.getPackage();
    all.put(
        "runnerVersion",
        own.getImplementationVersion() == null ? "development" : own.getImplementationVersion());
    all.put(
        "java",
        System.getProperty("java.vm.name") + " " + System.getProperty("java.runtime.version"));
    all.put(
        "garbageCollectors",
        ManagementFactory.getGarbageCollectorMXBeans().stream().map(gc -> gc.getName()).toList());
    all.put("maxHeapBytes", Runtime.getRuntime().maxMemory());
    all.put("os", System.getProperty("os.name") + " " + System.getProperty("os.version"));
    all.put("architecture", System.getProperty("os.arch"));
    all.put("availableProcessors", Runtime.getRuntime().availableProcessors());
    first(Path.of("/proc/cpuinfo"), "model name").ifPresent(model -> all.put("cpu", model));
    first(Path.of("/proc/meminfo"), "MemTotal").ifPresent(memory -> all.put("memory", memory));
    line(Path.of("/sys/fs/cgroup/cpu.max")).ifPresent(limit -> all.put("cgroupCpuMax", limit));
    line(Path.of("/sys/fs/cgroup/memory.max"))
        .ifPresent(limit -> all.put("cgroupMemoryMax", limit));
    openFiles().ifPresent(limit -> all.put("openFilesLimit", limit));
    return new EnvironmentFacts(all);
  }

  private static Optional<String> first(Path file, String key) {
    return lines(file)
        .filter(line -> line.startsWith(key))
        .map(line -> line.substring(line.indexOf(':') + 1).strip())
        .findFirst();
  }

  private static Optional<String> line(Path file) {
    return lines(file).findFirst();
  }

  private static Optional<String> openFiles() {
    return lines(Path.of("/proc/self/limits"))
        .filter(line -> line.startsWith("Max open files"))
        .map(line -> line.substring("Max open files".length()).strip().replaceFirst("\\s.*", ""))
        .findFirst();
  }

  private static Stream<String> lines(Path file) {
    try {
      return Files.isReadable(file) ? Files.readAllLines(file).stream() : Stream.of();
    } catch (IOException e) {
      // Not every kernel has every file; what is not there is not captured.
      return List.<String>of().stream();
    }
  }
}
