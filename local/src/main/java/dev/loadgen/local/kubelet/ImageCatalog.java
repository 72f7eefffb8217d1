package dev.loadgen.local.kubelet;

import java.util.List;

/** What this machine runs for a container image. Thread-safe. */
public interface ImageCatalog {
  /**
   * The local command of a container.
   *
   * @param image as the pod names it
   * @param command the container's {@code command}; empty: the image's own entry point
   * @param args the container's {@code args}
   */
  Resolution resolve(String image, List<String> command, List<String> args);

  /** A command, or why there is none. */
  sealed interface Resolution {}

  /**
   * A command of this machine.
   *
   * @param wrapper words before the launcher, of a program that starts it; paths and addresses are
   *     still those of the container
   * @param launcher the first words, used as they are
   * @param containerWords the further words, in which paths and addresses are still those of the
   *     container
   */
  record Launch(List<String> wrapper, List<String> launcher, List<String> containerWords)
      implements Resolution {
    /** A command that no other program starts. */
    public Launch(List<String> launcher, List<String> containerWords) {
      this(List.of(), launcher, containerWords);
    }
  }

  /** No command of this machine; the message says how to get one. */
  record Unavailable(String message) implements Resolution {}
}
