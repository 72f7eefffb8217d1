package dev.loadgen.operator.provenance;

import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.EnvVar;
import io.fabric8.kubernetes.api.model.VolumeMount;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * What of a runner's container is not as the operator makes it, so that it may not be the program
 * that the verdict trusts. Pure. It is evidence against a mistake and against what is done openly;
 * who may change images, nodes or this operator can deceive it.
 */
final class RunnerFacts {
  /** Variables that put other code into the place of the runner's own, or of the servers. */
  private static final Set<String> OTHER_CODE =
      Set.of("LD_AUDIT", "LD_LIBRARY_PATH", "LD_PRELOAD", "LOADGEN_RESOLVE", "PATH");

  /** Variables from which a JVM takes options. */
  private static final Set<String> OF_JAVA =
      Set.of("JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS", "_JAVA_OPTIONS");

  /**
   * Options that load no code: properties other than those that say where code is, sizes, garbage
   * collectors, logs.
   */
  private static final Pattern HARMLESS =
      Pattern.compile(
          "-D(?!java\\.(class|system|library|home|security|vm)|jdk\\.(module|internal)"
              + "|dev\\.loadgen|sun\\.boot|logback)[\\w.-]+(=.*)?"
              + "|-Xm[snx]\\S+|-Xss\\S+|-Xlog\\S*"
              + "|-XX:[+-]?\\w*(GC|RAMPercentage|HeapSize|Metaspace|Threads|ProcessorCount)\\w*(=\\S+)?");

  /** Where the image has its program, its Java and their libraries. */
  private static final List<Path> PROGRAM =
      Stream.of("/opt/loadgen", "/opt/java", "/usr", "/lib", "/lib64", "/bin", "/etc/ld.so.preload")
          .map(Path::of)
          .toList();

  private RunnerFacts() {}

  /**
   * What is not as the operator makes it, each with what to do about it.
   *
   * @param image of the operator's own runner
   */
  static List<String> problems(Container runner, String image) {
    List<String> problems = new ArrayList<>();
    if (!image.equals(runner.getImage())) {
      problems.add(
          ("the runner's image is %s and not the operator's, %s; remove spec.runner.image, or"
                  + " have an administrator make it the operator's (runnerImage), and see that nothing"
                  + " else changes images of pods")
              .formatted(runner.getImage(), image));
    }
    if (!runner.getCommand().isEmpty()) {
      problems.add(
          "the runner's pod runs "
              + String.join(" ", runner.getCommand())
              + " in place of its image's program; see what changes pods in this namespace");
    }
    for (EnvVar variable : runner.getEnv()) {
      String name = variable.getName();
      if (OTHER_CODE.contains(name) || (OF_JAVA.contains(name) && !isHarmless(variable))) {
        problems.add(
            "the runner has the variable "
                + name
                + ", by which other code may run in place of its own; remove it from"
                + " spec.runner.podTemplate"
                + (OF_JAVA.contains(name)
                    ? ", or let it have properties (-D), sizes and logs alone"
                    : ""));
      }
    }
    if (!runner.getEnvFrom().isEmpty()) {
      problems.add(
          "the runner takes variables by envFrom, whose values are not visible; list each in env of"
              + " spec.runner.podTemplate");
    }
    for (VolumeMount mount : runner.getVolumeMounts()) {
      if (hidesTheProgram(mount.getMountPath())) {
        problems.add(
            "the runner has a volume at "
                + mount.getMountPath()
                + ", where its program or what it needs is; mount it elsewhere");
      }
    }
    return problems;
  }

  /** A value that comes from somewhere else is not seen. */
  private static boolean isHarmless(EnvVar variable) {
    return variable.getValueFrom() == null
        && (variable.getValue() == null
            || Stream.of(variable.getValue().strip().split("\\s+"))
                .allMatch(option -> option.isEmpty() || HARMLESS.matcher(option).matches()));
  }

  private static boolean hidesTheProgram(String mountPath) {
    try {
      Path path = Path.of("/").resolve(mountPath).normalize();
      return PROGRAM.stream().anyMatch(part -> path.startsWith(part) || part.startsWith(path));
    } catch (InvalidPathException e) {
      return false; // the API server refuses it
    }
  }
}
