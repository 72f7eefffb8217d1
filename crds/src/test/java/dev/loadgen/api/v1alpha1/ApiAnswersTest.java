package dev.loadgen.api.v1alpha1;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

class ApiAnswersTest {
  @Test
  void everyRuleOfBothKindsIsBroken() throws IOException {
    Path folder = Path.of(System.getProperty("repository.root"), "manifests", "crds");
    Set<String> rules = new TreeSet<>();
    for (String file : List.of("benchmarkruns.yaml", "inferencebackends.yaml")) {
      JsonNode definition = new YAMLMapper().readTree(folder.resolve(file).toFile());
      for (JsonNode validations : definition.findValues("x-kubernetes-validations")) {
        validations.forEach(rule -> rules.add(rule.path("message").asText().strip()));
      }
    }
    Set<String> broken = new TreeSet<>();
    ApiAnswers.all().stream()
        .map(ApiAnswers.Question::rule)
        .filter(rule -> !rule.isEmpty())
        .forEach(broken::add);

    assertThat(broken).isEqualTo(rules);
  }
}
