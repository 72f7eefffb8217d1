package dev.loadgen.simulator;

/** Is told of each inference request as it arrives, on the thread that will answer it. */
@FunctionalInterface
public interface RequestObserver {
  /** Tells nobody. */
  RequestObserver NONE = (path, body) -> {};

  /**
   * A request has arrived.
   *
   * @param path its path, such as {@code /v1/completions}
   * @param body its body; not to be changed
   */
  void received(String path, byte[] body);
}
