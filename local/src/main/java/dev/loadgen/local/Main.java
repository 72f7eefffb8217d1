package dev.loadgen.local;

import dev.loadgen.commands.LoadgenCommand;
import dev.loadgen.commands.Surroundings;
import dev.loadgen.commands.wait.WaitCommand;
import java.util.ArrayList;
import java.util.List;

/** The program {@code loadgen}. */
public final class Main {
  private Main() {}

  /** Runs a command and ends the JVM with its exit status. */
  public static void main(String[] args) {
    System.exit(execute(Surroundings.ofProcess(), args));
  }

  /** Runs a command and returns its exit status. */
  static int execute(Surroundings surroundings, String... args) {
    List<Object> commands = new ArrayList<>();
    commands.add(new PlanCommand(surroundings));
    commands.add(new RunCommand(surroundings));
    commands.add(
        new WaitCommand(
            surroundings.out(),
            surroundings.err(),
            surroundings.terminal(),
            new KubernetesClusters(surroundings)));
    commands.addAll(LoadgenCommand.ofFiles(surroundings));
    commands.add(new SimulateCommand());
    commands.add(new PrimeCommand());
    return LoadgenCommand.execute(surroundings, commands, args);
  }
}
