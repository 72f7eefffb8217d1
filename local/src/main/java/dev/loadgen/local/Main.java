package dev.loadgen.local;

/** The program {@code loadgen}. */
public final class Main {
  private Main() {}

  /** Runs a command and ends the JVM with its exit status. */
  public static void main(String[] args) {
    System.exit(LoadgenCommand.execute(Surroundings.ofProcess(), args));
  }
}
