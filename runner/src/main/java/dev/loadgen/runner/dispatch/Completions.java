package dev.loadgen.runner.dispatch;

/** Takes what LoadGen is to be told. LoadGen itself in a run; a recorder in tests. */
public interface Completions {
  /**
   * The first token of a sample has arrived.
   *
   * @param data what the accuracy log holds of it; empty if no log wants it, or the server did not
   *     send what the log needs
   */
  void firstToken(long id, byte[] data);

  /**
   * A sample has ended.
   *
   * @param data what the accuracy log holds; empty if it failed, or if no log wants it
   * @param tokens output tokens; 0 if it failed
   */
  void complete(long id, byte[] data, int tokens);
}
