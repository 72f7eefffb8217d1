package dev.loadgen.api.v1alpha1;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What becomes of objects that no type of ours can hold. */
class TolerantReadingTest {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final YAMLMapper YAML = new YAMLMapper();

  private static InferenceBackend backend(String spec) throws JsonProcessingException {
    return read(InferenceBackend.class, "spec: {engine: vllm, model: {name: m}, %s}", spec);
  }

  private static <K> K read(Class<K> kind, String form, String part)
      throws JsonProcessingException {
    JsonNode tree =
        YAML.readTree(
            "metadata: {name: a, namespace: n, annotations: {x: y}}\n" + form.formatted(part));
    return JSON.treeToValue(tree, kind);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "engineConfig: {maxModelLen: 99999999999} | spec.engineConfig.maxModelLen: 99999999999 is"
            + " not a whole number from -2147483648 to 2147483647",
        "resources: {cpu: ''} | spec.resources.cpu: \"\" is not a valid quantity; write it like"
            + " 500m, 4 or 16Gi",
        "resources: {cpu: \"1e999999999\"} | spec.resources.cpu: \"1e999999999\" is not a valid"
            + " quantity; write it like 500m, 4 or 16Gi",
        "lifecycle: Seasonal | spec.lifecycle: \"Seasonal\" is not known to this version of the"
            + " operator, which knows Always, OnDemand",
        "env: [{name: A}, {name: [1]}] | spec.env[1].name: [1] is not text",
        "args: {a: b} | spec.args: {\"a\":\"b\"} is not a list",
        "args: [null] | spec.args: has an entry that is null; remove it",
        "gpus: 3 | spec.gpus: 3 is not an object with fields",
        "scheduling: {tolerations: [{tolerationSeconds: 1e30}]} | "
            + "spec.scheduling.tolerations[0].tolerationSeconds: 1.0E30 is not a whole number of at"
            + " most"
            + " 64 bits"
      })
  void theFieldIsLeftOutAndNamedWithItsValue(String field, String problem)
      throws JsonProcessingException {
    InferenceBackend read = backend(field);

    assertThat(read.getUnreadable()).containsExactly(problem);
    assertThat(read.getMetadata().getName()).isEqualTo("a");
    assertThat(read.getSpec().model().name()).isEqualTo("m");
  }

  @Test
  void ofASpecTheListGoesWhole() throws JsonProcessingException {
    assertThat(backend("env: [{name: A}, {name: [1]}]").getSpec().env()).isNull();
  }

  @Test
  void anEmptyTextIsNoNumber() throws JsonProcessingException {
    assertThat(
            read(
                    BenchmarkRun.class,
                    "spec: {sampling: {performance: {%s}}}",
                    "stopTokenIds: [1, '']")
                .getUnreadable())
        .singleElement()
        .asString()
        .startsWith("spec.sampling.performance.stopTokenIds[1]: \"\" is not a whole number");
  }

  @Test
  void everyBadFieldIsNamed() throws JsonProcessingException {
    assertThat(backend("replicas: x, port: y, gpus: {count: [z]}").getUnreadable()).hasSize(3);
  }

  @Test
  void whatWasLeftOutIsStillToldByACopy() throws JsonProcessingException {
    InferenceBackend read = backend("replicas: many");

    InferenceBackend copy = JSON.readValue(JSON.writeValueAsString(read), InferenceBackend.class);

    assertThat(copy.getUnreadable()).isEqualTo(read.getUnreadable()).hasSize(1);
    assertThat(copy.getMetadata()).isEqualTo(read.getMetadata());
    assertThat(copy.getSpec()).isEqualTo(read.getSpec());
  }

  @ParameterizedTest
  @CsvSource({"''", "'spec: 5'", "'spec: null'", "'spec: [a]'"})
  void thereIsAlwaysASpec(String spec) throws JsonProcessingException {
    BenchmarkRun run = read(BenchmarkRun.class, "%s", spec);

    assertThat(run.getSpec()).isNotNull();
    assertThat(run.getStatus()).isNull();
  }

  @Test
  void aTemplateWithoutEndIsCut() throws JsonProcessingException {
    ObjectNode deep = JSON.createObjectNode();
    ObjectNode at = deep.putObject("spec").putObject("podTemplate");
    for (int i = 0; i < 900; i++) {
      at = at.putObject("a");
    }

    InferenceBackend read = JSON.treeToValue(deep, InferenceBackend.class);

    assertThat(read.getUnreadable())
        .singleElement()
        .asString()
        .startsWith("spec.podTemplate.a.a.")
        .endsWith("is nested deeper than 64 levels")
        .hasSizeLessThan(200);
    assertThat(JSON.writeValueAsString(read)).hasSizeLessThan(2_000);
  }

  @Test
  void aStatusLosesOnlyTheFieldsThatCannotBeRead() throws JsonProcessingException {
    BenchmarkRun run =
        read(
            BenchmarkRun.class,
            "status: %s",
            """
            {phase: Archived, verdict: Excellent, epoch: 3, startTime: yesterday,
             queuedTime: '2026-01-02T03:04:05Z', completionTime: '99999-01-01T00:00:00Z',
             conditions: [
              {type: Complete, status: 'True', observedGeneration: 1e40, lastTransitionTime: soon},
              {type: Failed, status: 'False'}]}
            """);

    BenchmarkRunStatus status = run.getStatus();
    assertThat(status.phase()).isNull();
    assertThat(status.verdict()).isNull();
    assertThat(status.epoch()).isEqualTo(3);
    assertThat(status.startTime()).isNull();
    assertThat(status.completionTime()).isNull();
    assertThat(status.queuedTime()).isEqualTo("2026-01-02T03:04:05Z");
    assertThat(status.conditions()).hasSize(2);
    assertThat(status.conditions().get(0).getType()).isEqualTo("Complete");
    assertThat(status.conditions().get(0).getStatus()).isEqualTo("True");
    assertThat(run.getUnreadable()).hasSize(6).allMatch(problem -> problem.startsWith("status."));
  }

  @Test
  void withTooMuchThatIsWrongNothingIsLeft() throws JsonProcessingException {
    StringBuilder conditions = new StringBuilder();
    for (int i = 0; i < 100; i++) {
      conditions.append("{type: t").append(i).append(", observedGeneration: x},");
    }
    BenchmarkRun run =
        read(BenchmarkRun.class, "status: {conditions: [%s]}", conditions.toString());

    assertThat(run.getUnreadable())
        .contains("status: cannot be read by this version of the operator");
    assertThat(run.getStatus().conditions()).isNull();
    assertThat(run.getSpec()).isNotNull();
  }

  @Test
  void quantitiesAreRead() throws JsonProcessingException {
    InferenceBackend read =
        backend("resources: {cpu: 4, memory: 16Gi, a: 500m, b: 1e3, c: 1.5E, d: '+.5'}");

    assertThat(read.getUnreadable()).isEmpty();
    assertThat(List.copyOf(read.getSpec().resources().keySet()))
        .containsExactlyInAnyOrder("cpu", "memory", "a", "b", "c", "d");
    read.getSpec().resources().values().forEach(quantity -> quantity.getNumericalAmount());
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{observedGeneration: -1} | false",
        "{observedGeneration: -1, conditions: []} | false",
        "{observedGeneration: -1, phase: Pending} | true",
        "{observedGeneration: 1} | true"
      })
  void theDefaultOfTheCustomResourceIsNoStatusUnlessItHasAPhase(String status, boolean written)
      throws JsonProcessingException {
    assertThat(read(BenchmarkRun.class, "status: %s", status).getStatus() != null)
        .isEqualTo(written);
  }
}
