package dev.loadgen.local;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

/** The real vLLM and SGLang in the user's cache folder, put there by {@code hack/real-servers}. */
final class RealServers {
  private static final Path ROOT = Path.of(System.getProperty("repository.root"));
  private static final long SETUP_MINUTES = 30;

  private RealServers() {}

  /** Takes minutes the first time, then a second. */
  static void install() throws IOException, InterruptedException {
    Process setup =
        new ProcessBuilder(
                ROOT.resolve("hack/real-servers/setup.sh").toString(), folder().toString())
            .inheritIO()
            .start();
    assertThat(setup.waitFor(SETUP_MINUTES, TimeUnit.MINUTES)).as("setup.sh ends in time").isTrue();
    assertThat(setup.exitValue()).isZero();
  }

  /** The folder of the commands {@code vllm} and {@code sglang}. */
  static Path commands() {
    return folder().resolve("bin");
  }

  /** The Python that has an engine's packages. */
  static Path python(String engine) {
    return folder().resolve(engine).resolve("bin/python");
  }

  private static Path folder() {
    String cache = System.getenv("XDG_CACHE_HOME");
    Path base = cache == null ? Path.of(System.getProperty("user.home"), ".cache") : Path.of(cache);
    return base.resolve("loadgen-operator/real-servers");
  }
}
