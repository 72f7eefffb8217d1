package dev.loadgen.runner.host;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * What Linux tells of a process in files. Not every kernel and container has every file; what is
 * not there is empty.
 *
 * @param proc {@code /proc}
 * @param cgroups {@code /sys/fs/cgroup}
 */
record KernelFiles(Path proc, Path cgroups) {
  static KernelFiles here() {
    return new KernelFiles(Path.of("/proc"), Path.of("/sys/fs/cgroup"));
  }

  /**
   * How often the process's control group had used up its CPU limit.
   *
   * @param periods of the scheduler, of 100 ms each, in which the group had something to do
   * @param throttled of these, those in which it was stopped
   * @param seconds for which it was stopped
   */
  record Throttling(long periods, long throttled, double seconds) {}

  /**
   * The machine's CPU time, of all processors, in clock ticks.
   *
   * @param stolen what a hypervisor gave to others
   */
  record CpuTime(long total, long stolen) {}

  /** Ports that connections are opened from: the first and the last. */
  record PortRange(int first, int last) {
    int size() {
      return last - first + 1;
    }
  }

  /** Empty where no limit is set, or the file cannot be found. */
  Optional<Throttling> throttling() {
    for (Path file : cpuStatFiles()) {
      Map<String, Long> values = new HashMap<>();
      for (String line : lines(file)) {
        String[] words = line.split(" ", -1);
        if (words.length == 2) {
          number(words[1]).ifPresent(value -> values.put(words[0], value));
        }
      }
      Long periods = values.get("nr_periods");
      Long throttled = values.get("nr_throttled");
      if (periods != null && throttled != null) {
        double seconds =
            values.containsKey("throttled_usec")
                ? values.getOrDefault("throttled_usec", 0L) / 1e6
                : values.getOrDefault("throttled_time", 0L) / 1e9;
        return Optional.of(new Throttling(periods, throttled, seconds));
      }
    }
    return Optional.empty();
  }

  /** Where control groups of version 2 and 1 keep it; inside a container at the root of its own. */
  private List<Path> cpuStatFiles() {
    List<Path> files = new ArrayList<>();
    for (String line : lines(proc.resolve("self/cgroup"))) {
      String[] parts = line.split(":", 3);
      if (parts.length == 3) {
        String path = parts[2].replaceFirst("^/+", "");
        if (parts[1].isEmpty()) {
          files.add(cgroups.resolve(path).resolve("cpu.stat"));
        } else if (List.of(parts[1].split(",", -1)).contains("cpu")) {
          files.add(cgroups.resolve(parts[1]).resolve(path).resolve("cpu.stat"));
          files.add(cgroups.resolve("cpu").resolve(path).resolve("cpu.stat"));
        }
      }
    }
    files.add(cgroups.resolve("cpu.stat"));
    files.add(cgroups.resolve("cpu/cpu.stat"));
    return files;
  }

  Optional<CpuTime> cpuTime() {
    for (String line : lines(proc.resolve("stat"))) {
      if (line.startsWith("cpu ")) {
        // user nice system idle iowait irq softirq steal; guest times are in user and nice already.
        String[] words = line.substring(4).strip().split(" +", -1);
        long total = 0;
        long stolen = 0;
        for (int i = 0; i < Math.min(words.length, 8); i++) {
          long ticks = number(words[i]).orElse(0L);
          total += ticks;
          stolen = i == 7 ? ticks : stolen;
        }
        return words.length < 8 ? Optional.empty() : Optional.of(new CpuTime(total, stolen));
      }
    }
    return Optional.empty();
  }

  Optional<PortRange> localPorts() {
    List<String> lines = lines(proc.resolve("sys/net/ipv4/ip_local_port_range"));
    if (lines.isEmpty()) {
      return Optional.empty();
    }
    String[] words = lines.getFirst().strip().split("\\s+", -1);
    Optional<Long> first = number(words[0]);
    Optional<Long> last = words.length == 2 ? number(words[1]) : Optional.empty();
    return first.isPresent() && last.isPresent()
        ? Optional.of(new PortRange(first.get().intValue(), last.get().intValue()))
        : Optional.empty();
  }

  private static Optional<Long> number(String word) {
    try {
      return Optional.of(Long.parseLong(word));
    } catch (NumberFormatException e) {
      return Optional.empty();
    }
  }

  private static List<String> lines(Path file) {
    try {
      return Files.isReadable(file) ? Files.readAllLines(file) : List.of();
    } catch (IOException e) {
      return List.of();
    }
  }
}
