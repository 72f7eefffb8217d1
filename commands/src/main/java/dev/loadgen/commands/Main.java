package dev.loadgen.commands;

/** The program {@code loadgen} with the commands that read files alone. */
public final class Main {
  private Main() {}

  /** Runs a command and ends the JVM with its exit status. */
  public static void main(String[] args) {
    Surroundings surroundings = Surroundings.ofProcess();
    System.exit(LoadgenCommand.execute(surroundings, LoadgenCommand.ofFiles(surroundings), args));
  }
}
