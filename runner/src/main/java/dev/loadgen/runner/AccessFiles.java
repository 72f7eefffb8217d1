package dev.loadgen.runner;

import dev.loadgen.client.transport.Access;
import dev.loadgen.contract.AccessRules;
import dev.loadgen.contract.RunPlan;
import dev.loadgen.contract.RunnerExit;
import dev.loadgen.contract.RunnerInterface;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Reads what a plan's servers ask for from the folder of {@code --secrets}. */
final class AccessFiles {
  private final Path folder;

  private AccessFiles(Path folder) {
    this.folder = folder;
  }

  /**
   * The access that a plan needs.
   *
   * @param folder the folder of secrets; null: none was given
   * @throws RunFailedException naming the file that is missing or cannot be used
   */
  static Access read(RunPlan.@Nullable Access needed, @Nullable Path folder)
      throws RunFailedException {
    if (needed == null || !(needed.apiKey() || needed.headers() || needed.certificateAuthority())) {
      return Access.NONE;
    }
    if (folder == null) {
      throw invalid(
          "server.access: the plan needs secrets; name their folder by "
              + RunnerInterface.SECRETS_OPTION,
          null);
    }
    return new AccessFiles(folder).read(needed);
  }

  private Access read(RunPlan.Access needed) throws RunFailedException {
    Map<String, String> headers = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
    List<String> secrets = new ArrayList<>();
    if (needed.headers()) {
      for (Path file : headerFiles()) {
        String name = file.getFileName().toString();
        String value = value(RunnerInterface.HEADERS_FOLDER + "/" + name);
        String problem = AccessRules.nameProblem(name).orElse(null);
        if (problem != null) {
          throw invalid(RunnerInterface.HEADERS_FOLDER + ": " + problem, null);
        }
        headers.put(name, value);
        secrets.add(value);
      }
    }
    if (needed.apiKey()) {
      String key = value(RunnerInterface.API_KEY_FILE);
      if (headers.put("Authorization", "Bearer " + key) != null) {
        throw invalid(
            RunnerInterface.HEADERS_FOLDER
                + ": Authorization is there, and an API key too, which is sent by that header;"
                + " remove one of them",
            null);
      }
      secrets.add(key);
    }
    try {
      byte[] certificates = needed.certificateAuthority() ? bytes(RunnerInterface.CA_FILE) : null;
      return Access.of(headers, secrets, certificates);
    } catch (IllegalArgumentException e) {
      throw invalid(RunnerInterface.CA_FILE + ": " + e.getMessage(), e);
    }
  }

  /** Without the links by which Kubernetes changes a mounted volume at once. */
  private List<Path> headerFiles() throws RunFailedException {
    try (Stream<Path> files = Files.list(folder.resolve(RunnerInterface.HEADERS_FOLDER))) {
      return files
          .filter(file -> !file.getFileName().toString().startsWith(".."))
          .sorted()
          .toList();
    } catch (IOException e) {
      throw unreadable(RunnerInterface.HEADERS_FOLDER, e);
    }
  }

  private String value(String name) throws RunFailedException {
    String value = new String(bytes(name), StandardCharsets.UTF_8).strip();
    String problem = AccessRules.valueProblem(value).orElse(null);
    if (problem != null) {
      throw invalid(name + ": " + problem, null);
    }
    return value;
  }

  private byte[] bytes(String name) throws RunFailedException {
    try {
      return Files.readAllBytes(folder.resolve(name));
    } catch (IOException e) {
      throw unreadable(name, e);
    }
  }

  private static RunFailedException unreadable(String name, IOException e) {
    return invalid(name + " cannot be read: " + e.getClass().getSimpleName(), e);
  }

  private static RunFailedException invalid(String problem, @Nullable Throwable cause) {
    return new RunFailedException(
        RunnerExit.PLAN_INVALID, RunnerInterface.SECRETS_OPTION + ": " + problem, cause);
  }
}
