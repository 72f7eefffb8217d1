package dev.loadgen.desired;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import java.io.IOException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class StrategicMergeTest {
  private static final YAMLMapper YAML = new YAMLMapper();

  @ParameterizedTest(name = "{1}")
  @CsvSource(
      delimiter = '|',
      value = {
        "{a: 1, b: {c: 1}} | {b: {d: 2}} | {a: 1, b: {c: 1, d: 2}}",
        "{a: 1, b: 2} | {b: null} | {a: 1}",
        "{a: {b: 1}} | {a: {$patch: replace, c: 2}} | {a: {c: 2}}",
        "{a: {b: 1}} | {a: {$patch: delete}} | {a: {}}",
        "{command: [a, b]} | {command: [c]} | {command: [c]}",
        "{tolerations: [{key: a}]} | {tolerations: [{key: b}]} | {tolerations: [{key: b}]}",
        "{env: [{name: A, value: '1'}, {name: B}]} | {env: [{name: A, value: '2'}, {name: C}]}"
            + " | {env: [{name: A, value: '2'}, {name: B}, {name: C}]}",
        "{env: [{name: A}, {name: B}]} | {env: [{name: A, $patch: delete}]} | {env: [{name: B}]}",
        "{env: [{name: A}]} | {env: [{name: B, $patch: delete}]} | {env: [{name: A}]}",
        "{env: [{name: A}]} | {env: [{$patch: replace}, {name: B}]} | {env: [{name: B}]}",
        "{ports: [{containerPort: 1, name: a}]} | {ports: [{containerPort: 2}]}"
            + " | {ports: [{containerPort: 1, name: a}, {containerPort: 2}]}",
        "{volumes: [{name: a, emptyDir: {medium: Memory}}]}"
            + " | {volumes: [{name: a, emptyDir: {sizeLimit: 1Gi}}]}"
            + " | {volumes: [{name: a, emptyDir: {medium: Memory, sizeLimit: 1Gi}}]}",
        "{volumes: [{name: a, emptyDir: {}}]} | {volumes: [{name: a, hostPath: {path: /x}}]}"
            + " | {volumes: [{name: a, hostPath: {path: /x}}]}",
        "{} | {containers: [{name: a, image: null, tty: true}]} | {containers: [{name: a, tty: true}]}"
      })
  void mergesAsKubernetesDoes(String target, String patch, String merged) throws IOException {
    ObjectNode before = object(target);

    assertThat(StrategicMerge.merged(before, object(patch))).isEqualTo(object(merged));
    assertThat(before).as("is left alone").isEqualTo(object(target));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{a: {$patch: merge}} | p.a.$patch: must be delete or replace, not merge",
        "{$retainKeys: [a]} | p.$retainKeys: is not supported; $patch: delete and $patch: replace are",
        "{env: [{value: a}]} | p.env[0].name: is missing; elements are merged by it",
        "{env: [a]} | p.env[0]: must be an object with name"
      })
  void aWrongDirectiveIsNamed(String patch, String problem) throws IOException {
    assertThat(StrategicMerge.problems("p", object(patch))).containsExactly(problem);
  }

  @Test
  void anOrdinaryPatchHasNoProblems() throws IOException {
    assertThat(
            StrategicMerge.problems(
                "p", object("{env: [{$patch: replace}, {name: A}], command: [a], x: null}")))
        .isEmpty();
  }

  private static ObjectNode object(String yaml) throws IOException {
    return (ObjectNode) YAML.readTree(yaml);
  }
}
