package dev.loadgen.local;

import dev.loadgen.commands.Surroundings;
import dev.loadgen.local.kubelet.LocalImages;
import java.nio.file.Path;

/** Where tests type {@code loadgen}, with all of its commands. */
final class TestTerminal extends dev.loadgen.commands.TestTerminal {
  TestTerminal(Path home) {
    super(home);
    // So that runs are as short as in other tests.
    set(LocalImages.JAVA_OPTIONS, System.getenv().getOrDefault(LocalImages.JAVA_OPTIONS, ""));
  }

  @Override
  protected int execute(Surroundings surroundings, String... arguments) {
    return Main.execute(surroundings, arguments);
  }
}
