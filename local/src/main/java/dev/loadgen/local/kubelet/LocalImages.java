package dev.loadgen.local.kubelet;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The images that this machine can stand in for: our runner and simulator as further JVMs with this
 * one's class path, vLLM and SGLang where they are installed, and what the user maps.
 */
public final class LocalImages implements ImageCatalog {
  /**
   * Environment variable: options of the JVMs of runners and simulators, separated by white space.
   * {@code {program}} in them stands for {@code runner} or {@code simulator}, so that each can have
   * files of its own.
   */
  public static final String JAVA_OPTIONS = "LOADGEN_JAVA_OPTIONS";

  /** As a mapped command: the simulator in place of an engine. */
  private static final String SIMULATOR = "simulator";

  private static final List<String> SGLANG_MODULE =
      List.of("python3", "-m", "sglang.launch_server");

  /** Programs of this machine that start a server, and look at it. */
  private static final Set<String> PROFILERS = Set.of("nsys", "rocprofv3");

  /** What the engines' commands begin with. */
  private static final Set<String> ENGINES = Set.of("vllm", "python3");

  private final Map<String, List<String>> mapped;
  private final List<Path> searchPath;
  private final Path javaHome;
  private final String classPath;
  private final List<String> javaOptions;

  /**
   * Creates a catalog.
   *
   * @param mapped image, with or without tag, to command; comes before all else
   * @param searchPath folders of programs, first wins
   * @param javaHome the JDK of our own images
   * @param classPath holds runner and simulator
   * @param javaOptions value of {@link #JAVA_OPTIONS}; empty: none
   */
  public LocalImages(
      Map<String, List<String>> mapped,
      List<Path> searchPath,
      Path javaHome,
      String classPath,
      String javaOptions) {
    this.mapped = Map.copyOf(mapped);
    this.searchPath = List.copyOf(searchPath);
    this.javaHome = javaHome;
    this.classPath = classPath;
    this.javaOptions =
        Stream.of(javaOptions.split("\\s+", -1)).filter(option -> !option.isEmpty()).toList();
  }

  /** Our own images alone, run by this process's Java with its options. */
  public static LocalImages own() {
    return own(System.getenv().getOrDefault(JAVA_OPTIONS, ""));
  }

  /**
   * Our own images alone, run by this process's Java.
   *
   * @param javaOptions as in {@link #JAVA_OPTIONS}
   */
  public static LocalImages own(String javaOptions) {
    return new LocalImages(
        Map.of(),
        List.of(),
        Path.of(System.getProperty("java.home")),
        installed().orElseGet(() -> System.getProperty("java.class.path")),
        javaOptions);
  }

  /** The jar of this class with those that the build put beside it; empty: it is in no jar. */
  private static Optional<String> installed() {
    Path jar =
        Path.of(
            URI.create(
                LocalImages.class.getProtectionDomain().getCodeSource().getLocation().toString()));
    Path libraries = jar.resolveSibling("lib");
    if (!jar.toString().endsWith(".jar") || !Files.isDirectory(libraries)) {
      return Optional.empty();
    }
    try (Stream<Path> beside = Files.list(libraries)) {
      return Optional.of(
          Stream.concat(Stream.of(jar), beside.sorted())
              .map(Path::toString)
              .collect(Collectors.joining(File.pathSeparator)));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The folders of the variable PATH, then those of {@code further} that exist. */
  public static List<Path> searchPath(String pathVariable, List<Path> further) {
    return Stream.concat(
            Stream.of(pathVariable.split(File.pathSeparator, -1))
                .filter(folder -> !folder.isEmpty())
                .map(Path::of),
            further.stream().filter(Files::isDirectory))
        .toList();
  }

  @Override
  public Resolution resolve(String image, List<String> command, List<String> args) {
    int program = wrapped(command);
    Resolution resolution = program(image, command.subList(program, command.size()), args);
    return resolution instanceof Launch launch && program > 0
        ? new Launch(command.subList(0, program), launch.launcher(), launch.containerWords())
        : resolution;
  }

  /** Where a command that a profiler starts begins; 0: no profiler starts it. */
  private static int wrapped(List<String> command) {
    if (command.isEmpty() || !PROFILERS.contains(command.getFirst())) {
      return 0;
    }
    for (int i = 1; i < command.size(); i++) {
      if (ENGINES.contains(command.get(i))) {
        return i;
      }
    }
    return 0;
  }

  private Resolution program(String image, List<String> command, List<String> args) {
    Optional<List<String>> user = mapping(image);
    if (user.isPresent() && user.get().equals(List.of(SIMULATOR))) {
      return new Launch(simulator(), joined(command, args));
    }
    if (user.isPresent()) {
      return new Launch(user.get(), command.isEmpty() ? args : withoutProgram(command, args));
    }
    String repository = repository(image);
    String name = repository.substring(repository.lastIndexOf('/') + 1);
    if (name.contains("loadgen-runner")) {
      return new Launch(runner(), args);
    }
    if (name.contains("loadgen-simulator")) {
      return new Launch(simulator(), joined(command, args));
    }
    if (repository.contains("vllm")) {
      return vllm(image, command, args);
    }
    if (repository.contains("sglang")) {
      return sglang(image, command, args);
    }
    return new Unavailable(
        "this machine has no command for image \"%s\"; map one: --image %s=COMMAND"
            .formatted(image, repository));
  }

  private Optional<List<String>> mapping(String image) {
    return Optional.ofNullable(mapped.get(image))
        .or(() -> Optional.ofNullable(mapped.get(repository(image))));
  }

  /** The image without tag and digest. */
  static String repository(String image) {
    int digest = image.indexOf('@');
    String rest = digest < 0 ? image : image.substring(0, digest);
    int tag = rest.lastIndexOf(':');
    return tag > rest.lastIndexOf('/') ? rest.substring(0, tag) : rest;
  }

  private Resolution vllm(String image, List<String> command, List<String> args) {
    Optional<Path> program = program("vllm");
    if (program.isEmpty()) {
      return new Unavailable(missing(image, "vLLM", "vllm"));
    }
    List<String> words = joined(command, args);
    // The image's own entry point is `vllm serve`, and so the arguments alone are given.
    List<String> rest =
        words.isEmpty() || !words.getFirst().equals("vllm")
            ? prepended("serve", words)
            : words.subList(1, words.size());
    return new Launch(List.of(program.get().toString()), rest);
  }

  private Resolution sglang(String image, List<String> command, List<String> args) {
    List<String> words = joined(command, args);
    List<String> rest =
        Collections.indexOfSubList(words, SGLANG_MODULE) == 0
            ? words.subList(SGLANG_MODULE.size(), words.size())
            : words;
    Optional<Path> launcher = program("sglang");
    if (launcher.isPresent() && isScriptOfOurs(launcher.get())) {
      return new Launch(List.of(launcher.get().toString()), rest);
    }
    Optional<Path> python = program("python3").filter(LocalImages::hasSglang);
    return python
        .<Resolution>map(
            found -> new Launch(List.of(found.toString(), "-m", "sglang.launch_server"), rest))
        .orElseGet(() -> new Unavailable(missing(image, "SGLang", "sglang")));
  }

  /**
   * Whether a program called {@code sglang} is hack/real-servers' launcher, which takes the
   * arguments of sglang.launch_server; SGLang's own command of that name does not.
   */
  private static boolean isScriptOfOurs(Path launcher) {
    try {
      return Files.size(launcher) < 100_000
          && Files.readString(launcher).contains("sglang.launch_server");
    } catch (IOException e) {
      return false; // unreadable or binary: not the script
    }
  }

  private static boolean hasSglang(Path python) {
    try {
      Process check =
          new ProcessBuilder(
                  python.toString(),
                  "-c",
                  "import importlib.util as u, sys; sys.exit(not u.find_spec('sglang'))")
              .redirectErrorStream(true)
              .redirectOutput(ProcessBuilder.Redirect.DISCARD)
              .start();
      if (!check.waitFor(20, TimeUnit.SECONDS)) {
        check.destroyForcibly();
        return false;
      }
      return check.exitValue() == 0;
    } catch (IOException e) {
      return false;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }

  private static String missing(String image, String product, String program) {
    return ("this machine has no command for image \"%s\": install %s so that %s is found on PATH"
            + " (hack/real-servers/setup.sh installs it for CPU), map the image (--image"
            + " %s=COMMAND), or point spec.external.urls at a running server")
        .formatted(image, product, program, repository(image));
  }

  private Optional<Path> program(String name) {
    return searchPath.stream()
        .map(folder -> folder.resolve(name))
        .filter(Files::isExecutable)
        .findFirst();
  }

  private List<String> runner() {
    List<String> words = java("runner");
    words.add("dev.loadgen.runner.Main");
    return words;
  }

  private List<String> simulator() {
    List<String> words = java("simulator");
    words.add("dev.loadgen.simulator.Main");
    return words;
  }

  private List<String> java(String program) {
    List<String> words = new ArrayList<>();
    words.add(javaHome.resolve("bin").resolve("java").toString());
    words.add("--enable-native-access=ALL-UNNAMED");
    // Machines run several of these side by side, unlike a node with its limits.
    words.add("-XX:MaxRAMPercentage=20");
    javaOptions.forEach(option -> words.add(option.replace("{program}", program)));
    words.add("-cp");
    words.add(classPath);
    return words;
  }

  private static List<String> joined(List<String> command, List<String> args) {
    return Stream.concat(command.stream(), args.stream()).toList();
  }

  private static List<String> withoutProgram(List<String> command, List<String> args) {
    return joined(command.subList(1, command.size()), args);
  }

  private static List<String> prepended(String first, List<String> rest) {
    return Stream.concat(Stream.of(first), rest.stream()).toList();
  }
}
