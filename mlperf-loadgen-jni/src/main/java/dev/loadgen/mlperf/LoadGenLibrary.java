package dev.loadgen.mlperf;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Comparator;
import java.util.Locale;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Loads one LoadGen into the process. Not two: their state is that of the process, and a second
 * library's functions would never be found behind those of the first.
 */
final class LoadGenLibrary {
  /** System property: a folder with unpacked libraries, in place of those in the jar. */
  static final String FOLDER_PROPERTY = "dev.loadgen.mlperf.libraries";

  /**
   * Environment variable: {@code native/build.sh}, which builds a version that the jar lacks. Set
   * by {@code bin/loadgen}, whose first start builds the newest alone.
   */
  static final String BUILD_VARIABLE = "LOADGEN_BUILD";

  private static @Nullable String loaded;

  private LoadGenLibrary() {}

  /**
   * Loads a version, unless it is loaded already.
   *
   * @throws LoadGenUnavailableException if it is not here
   * @throws IllegalStateException if another version is loaded
   */
  static synchronized void load(String version) throws LoadGenUnavailableException {
    if (version.equals(loaded)) {
      return;
    }
    if (loaded != null) {
      throw new IllegalStateException(
          ("LoadGen %s is asked for, and this process has loaded LoadGen %s. Start another"
                  + " process for it")
              .formatted(version, loaded));
    }
    open(version);
    loaded = version;
  }

  /** Loads the newest version, unless one is loaded already. */
  static synchronized void loadAny() {
    if (loaded != null) {
      return;
    }
    try {
      load(LoadGenBuild.newest().version());
    } catch (LoadGenUnavailableException e) {
      UnsatisfiedLinkError error = new UnsatisfiedLinkError(e.getMessage());
      error.initCause(e);
      throw error;
    }
  }

  private static void open(String version) throws LoadGenUnavailableException {
    String platform = platform(System.getProperty("os.name"), System.getProperty("os.arch"));
    String file = fileName(version);
    String given = System.getProperty(FOLDER_PROPERTY);
    if (given != null) {
      Path library = Path.of(given).resolve(file).toAbsolutePath();
      if (!Files.isReadable(library)) {
        throw new LoadGenUnavailableException(
            "There is no LoadGen %s: %s cannot be read. %s"
                .formatted(version, library, whatThereIs(platform)));
      }
      link(library, version);
      return;
    }
    try (InputStream library = resource(platform, version)) {
      if (library == null) {
        String build = System.getenv(BUILD_VARIABLE);
        if (build == null || build.isEmpty()) {
          throw new LoadGenUnavailableException(
              "This mlperf-loadgen-jni has no LoadGen %s for %s. %s"
                  .formatted(version, platform, whatThereIs(platform)));
        }
        buildAndLink(build, platform, version);
        return;
      }
      Path copy = Files.createTempFile("libloadgen-jni", ".so");
      try {
        Files.copy(library, copy, StandardCopyOption.REPLACE_EXISTING);
        link(copy.toAbsolutePath(), version);
      } finally {
        // The mapping keeps the library; nothing is left behind even when the process is killed
        // later.
        Files.deleteIfExists(copy);
      }
    } catch (IOException e) {
      throw new LoadGenUnavailableException(
          "The LoadGen library cannot be written to java.io.tmpdir, "
              + System.getProperty("java.io.tmpdir")
              + ". Make that folder writable, or name a folder of unpacked libraries with -D"
              + FOLDER_PROPERTY,
          e);
    }
  }

  private static void buildAndLink(String script, String platform, String version)
      throws IOException, LoadGenUnavailableException {
    Path folder = Files.createTempDirectory("loadgen-library");
    try {
      build(script, folder, version);
      link(folder.resolve("native").resolve(platform).resolve(fileName(version)), version);
    } finally {
      // The mapping keeps the library.
      delete(folder);
    }
  }

  /**
   * Has a version built. Takes half a minute the first time, and nothing later: the script keeps
   * what it has built. A build that hangs ends when the thread is interrupted.
   *
   * @param script value of {@link #BUILD_VARIABLE}
   * @param folder gets the library below {@code native}
   */
  static void build(String script, Path folder, String version) throws LoadGenUnavailableException {
    Process process;
    try {
      process =
          new ProcessBuilder(script, folder.toString(), version)
              .redirectErrorStream(true)
              .redirectOutput(ProcessBuilder.Redirect.INHERIT)
              .start();
    } catch (IOException e) {
      throw new LoadGenUnavailableException(
          "LoadGen "
              + version
              + " cannot be built: "
              + BUILD_VARIABLE
              + " does not name a program: "
              + e.getMessage(),
          e);
    }
    try {
      if (process.waitFor() != 0) {
        throw new LoadGenUnavailableException(
            "LoadGen %s could not be built by %s; what it printed stands before this message"
                .formatted(version, script));
      }
    } catch (InterruptedException e) {
      process.descendants().forEach(ProcessHandle::destroy);
      process.destroy();
      Thread.currentThread().interrupt();
      throw new LoadGenUnavailableException(
          "The build of LoadGen " + version + " was interrupted", e);
    }
  }

  private static void delete(Path folder) {
    try (Stream<Path> all = Files.walk(folder)) {
      for (Path path : all.sorted(Comparator.reverseOrder()).toList()) {
        Files.deleteIfExists(path);
      }
    } catch (IOException | UncheckedIOException e) {
      // Whether a test can run does not depend on it: what is left lies in the temporary folder.
      folder.toFile().deleteOnExit();
    }
  }

  @SuppressWarnings("restricted") // the jar's manifest asks for native access
  private static void link(Path library, String version) throws LoadGenUnavailableException {
    try {
      System.load(library.toString());
    } catch (UnsatisfiedLinkError e) {
      throw new LoadGenUnavailableException(
          "LoadGen " + version + " cannot be loaded: " + e.getMessage(), e);
    }
  }

  private static @Nullable InputStream resource(String platform, String version) {
    return LoadGenLibrary.class.getResourceAsStream(
        "/native/" + platform + "/" + fileName(version));
  }

  /** As native/build.sh names it. */
  private static String fileName(String version) {
    return "libloadgen-jni-" + version + ".so";
  }

  private static String whatThereIs(String platform) {
    String given = System.getProperty(FOLDER_PROPERTY);
    String there =
        LoadGenBuild.all().stream()
            .filter(
                build ->
                    given == null
                        ? exists(platform, build)
                        : Files.isReadable(Path.of(given).resolve(fileName(build.version()))))
            .map(LoadGenBuild::toString)
            .collect(Collectors.joining(", "));
    return (there.isEmpty() ? "There is none at all" : "There is " + there)
        + ". Others are added to native/versions.csv of mlperf-loadgen-jni and built by native/build.sh";
  }

  private static boolean exists(String platform, LoadGenBuild build) {
    return LoadGenLibrary.class.getResource("/native/" + platform + "/" + fileName(build.version()))
        != null;
  }

  /** The folder of a platform's libraries. */
  static String platform(String os, String arch) throws LoadGenUnavailableException {
    if (!os.equals("Linux")) {
      throw new LoadGenUnavailableException(
          "LoadGen's binding exists for Linux only; this is " + os);
    }
    return switch (arch.toLowerCase(Locale.ROOT)) {
      case "amd64", "x86_64" -> "linux-x86_64";
      case "aarch64", "arm64" -> "linux-aarch64";
      default -> "linux-" + arch;
    };
  }
}
