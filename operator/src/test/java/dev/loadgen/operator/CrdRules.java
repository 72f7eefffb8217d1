package dev.loadgen.operator;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeSet;

/** The CEL rules of the generated CRDs. */
public final class CrdRules {
  private CrdRules() {}

  /** The messages of all rules of a file in {@code manifests/crds}. */
  public static Set<String> messages(String file) {
    Path path = Path.of(System.getProperty("repository.root"), "manifests", "crds", file);
    try {
      Set<String> messages = new TreeSet<>();
      collect(new YAMLMapper().readTree(path.toFile()), messages);
      return messages;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static void collect(JsonNode node, Set<String> messages) {
    node.path("x-kubernetes-validations")
        .forEach(rule -> messages.add(rule.path("message").asText().strip()));
    node.forEach(child -> collect(child, messages));
  }
}
