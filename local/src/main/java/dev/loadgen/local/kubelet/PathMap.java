package dev.loadgen.local.kubelet;

import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;

/** Turns paths and addresses of a container into those of this machine, word by word. Immutable. */
final class PathMap {
  /** A path in the container and what it is here. */
  record Mount(String containerPath, Path localPath) {}

  private final List<Mount> longestFirst;
  private final String address;

  /**
   * Creates a map.
   *
   * @param address replaces {@code 0.0.0.0}: pods share this machine's ports, so each listens on
   *     its own address
   */
  PathMap(List<Mount> mounts, String address) {
    this.longestFirst =
        mounts.stream()
            .sorted(
                Comparator.comparingInt((Mount mount) -> mount.containerPath().length()).reversed())
            .toList();
    this.address = address;
  }

  /** One word of a command line: paths and {@code --option=PATH}, and addresses. */
  String word(String word) {
    return value(word).replace("0.0.0.0", address);
  }

  /** The value of an environment variable: paths alone, also in lists separated by colons. */
  String value(String value) {
    String[] parts = value.split(":", -1);
    boolean paths = value.startsWith("/") && !value.startsWith("//");
    if (paths) {
      for (int i = 0; i < parts.length; i++) {
        parts[i] = path(parts[i]);
      }
      return String.join(":", parts);
    }
    int equals = value.indexOf('=');
    return equals < 0 ? value : value.substring(0, equals + 1) + path(value.substring(equals + 1));
  }

  private String path(String text) {
    for (Mount mount : longestFirst) {
      String from = mount.containerPath();
      if (text.equals(from)) {
        return mount.localPath().toString();
      }
      if (text.startsWith(from.endsWith("/") ? from : from + "/")) {
        return mount.localPath()
            + "/"
            + text.substring(from.endsWith("/") ? from.length() : from.length() + 1);
      }
    }
    return text;
  }
}
