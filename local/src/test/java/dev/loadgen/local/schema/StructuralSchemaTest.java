package dev.loadgen.local.schema;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class StructuralSchemaTest {
  private static final String RUN =
      """
      apiVersion: loadgen.dev/v1alpha1
      kind: BenchmarkRun
      metadata: {name: r}
      spec:
        benchmark: llama3.1-8b
        scenario: Offline
        backendRef: {name: b}
        dataset: {configMapName: m, path: p}
        load: {targetQps: 1.5, minDuration: 10s}
      """;
  private static final CustomResourceSchemas SCHEMAS = CustomResourceSchemas.load();

  @Test
  void acceptsAValidRun() throws JsonProcessingException {
    assertThat(problems(RUN)).isEmpty();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '~',
      value = {
        "scenario: Offline | scenario: Offlin | spec.scenario: \"Offlin\" is not one of"
            + " Interactive, Offline, Server, SingleStream; did you mean Offline?",
        "scenario: Offline | scenario: 3 | spec.scenario: 3 is not text; put it in quotes",
        "scenario: Offline | scenari: Offline | spec.scenari: unknown field; did you mean"
            + " scenario?",
        "targetQps: 1.5 | targetQps: 0 | spec.load.targetQps: 0 is too small; it must be at least"
            + " 0.000001",
        "targetQps: 1.5 | targetQps: 1000001 | spec.load.targetQps: 1000001 is too large; it must be"
            + " at most 1000000",
        "load: {targetQps: 1.5, minDuration: 10s} | results: {size: 3 apples} | spec.results.size:"
            + " \"3 apples\" is not a valid quantity; write it like 500m, 4 or 16Gi",
        "targetQps: 1.5 | targetQps: fast | spec.load.targetQps: \"fast\" is not a number",
        "targetQps: 1.5 | minQueryCount: 1.5 | spec.load.minQueryCount: 1.5 is not a whole number",
        "targetQps: 1.5 | minQueryCount: 0 | spec.load.minQueryCount: 0 is too small; it must be at"
            + " least 1",
        "targetQps: 1.5 | coalesceQueries: yes please | spec.load.coalesceQueries: \"yes please\""
            + " is neither true nor false",
        "minDuration: 10s | minDuration: 10 s | spec.load.minDuration: \"10 s\" is not a valid"
            + " duration; write it like 90s, 10m, 1h30m or 250ms",
        "benchmark: llama3.1-8b | mode: Performance | spec.benchmark: is required: MLPerf benchmark"
            + " that fixes model key, sample counts and limits; custom for any other model.",
        "backendRef: {name: b} | backendRef: b | spec.backendRef: \"b\" is not an object; write its"
            + " fields on the lines below, indented: name",
        "backendRef: {name: b} | backendRef: {nam: b} | spec.backendRef.nam: unknown field; did you"
            + " mean name?",
        "metadata: {name: r} | metadata: {name: R_1} | metadata.name: \"R_1\" is not a valid"
            + " Kubernetes name: use only lower-case letters, digits, - and ., with a letter or"
            + " digit at"
            + " both ends",
        "metadata: {name: r} | metadata: {name: r, lables: {}} | metadata.lables: unknown field;"
            + " did you mean labels?",
        "metadata: {name: r} | metadata: {name: r, labels: {a: 1}} | metadata.labels.a: 1 is not"
            + " text; put it in quotes",
        "metadata: {name: r} | metadata: {name: r, labels: []} | metadata.labels: [] is not an"
            + " object; write its fields on the lines below, indented",
        "metadata: {name: r} | metadata: {name: r, annotations: x} | metadata.annotations: \"x\" is"
            + " not an object; write its fields on the lines below, indented",
        "metadata: {name: r} | metadata: {name: r, finalizers: x} | metadata.finalizers: \"x\" is"
            + " not a list; write - before each entry",
        "metadata: {name: r} | metadata: {name: r, finalizers: [1]} | metadata.finalizers[0]: 1 is"
            + " not text; put it in quotes",
        "metadata: {name: r} | metadata: {name: r, generation: x} | metadata.generation: \"x\" is"
            + " not a whole number",
        "metadata: {name: r} | metadata: {name: r, generation: 1e308} | metadata.generation:"
            + " 1.0E308 is not a whole number",
        "metadata: {name: r} | metadata: {name: r, uid: {}} | metadata.uid: {} is not text; put it"
            + " in"
            + " quotes",
        "metadata: {name: r} | metadata: {name: r, managedFields: 1} | metadata.managedFields: 1 is"
            + " not a list; write - before each entry",
        "metadata: {name: r} | metadata: {name: r, ownerReferences: [x]} |"
            + " metadata.ownerReferences[0]: \"x\" is not an object; write its fields on the lines"
            + " below,"
            + " indented: apiVersion, kind, name, uid",
        "metadata: {name: r} | metadata: {name: r, ownerReferences: [{controller: x}]} |"
            + " metadata.ownerReferences[0].controller: \"x\" is neither true nor false",
        "metadata: {name: r} | metadata: {name: r, creationTimestamp: 5} | metadata.creationTimestamp:"
            + " 5 is not text; put it in quotes"
      })
  void namesTheFieldWhatIsWrongAndTheCure(String valid, String broken, String message)
      throws JsonProcessingException {
    assertThat(RUN).contains(valid);

    assertThat(problems(RUN.replace(valid, broken))).contains(message);
  }

  /** A pattern that is matched part by part takes the stack for each of them. */
  @ParameterizedTest
  @ValueSource(strings = {"minDuration: 10s", "name: r"})
  void aLongTextIsNamedAsAnyOther(String field) throws JsonProcessingException {
    String name = field.substring(0, field.indexOf(':') + 2);
    String part = name.startsWith("name") ? "a." : "1s";

    assertThat(problems(RUN.replace(field, name + part.repeat(50_000)))).isNotEmpty();
  }

  @Test
  void findsAllProblemsAtOnce() throws JsonProcessingException {
    String broken =
        RUN.replace("Offline", "Onlin").replace("10s", "ten").replace("targetQps", "targetqps");

    assertThat(problems(broken)).hasSize(3);
  }

  @Test
  void namesTheEntryOfAList() throws JsonProcessingException {
    String backend =
        """
        kind: InferenceBackend
        metadata: {name: b}
        spec:
          engine: vllm
          model: {name: m}
          args: [a, 1]
        """;

    assertThat(problems("InferenceBackend", backend))
        .containsExactly("spec.args[1]: 1 is not text; put it in quotes");
  }

  @Test
  void takesNullAsAbsent() throws JsonProcessingException {
    assertThat(problems(RUN.replace("targetQps: 1.5", "targetQps: null"))).isEmpty();
    assertThat(problems(RUN.replace("scenario: Offline", "scenario: null")))
        .singleElement()
        .asString()
        .startsWith("spec.scenario: is required");
  }

  @Test
  void takesQuantitiesAsNumberOrText() throws JsonProcessingException {
    String runner = "targetQps: 1.5}\n  runner: {resources: {cpu: 4, memory: 4Gi}}\n  client: {";

    assertThat(
            problems(
                RUN.replace(
                    "targetQps: 1.5, minDuration: 10s",
                    runner.replace("}\n  client: {", "}\n  client: {streaming: true"))))
        .isEmpty();
  }

  @Test
  void fillsInDefaultsWhereTheParentIsThere() throws JsonProcessingException {
    ObjectNode run = yaml(RUN);

    SCHEMAS.ofKind("BenchmarkRun").orElseThrow().applyDefaults(run);

    assertThat(run.at("/spec/mode").asText()).isEqualTo("Performance");
    assertThat(run.at("/spec/ruleset").asText()).isEqualTo("none");
    assertThat(run.at("/spec/dataset/format").asText()).isEqualTo("Auto");
    assertThat(run.at("/spec/client").isMissingNode()).isTrue();
  }

  @Test
  void dropsUnknownFields() throws JsonProcessingException {
    ObjectNode run = yaml(RUN.replace("targetQps: 1.5", "targetQps: 1.5, more: 2"));

    SCHEMAS.ofKind("BenchmarkRun").orElseThrow().prune(run);

    assertThat(run.at("/spec/load").has("more")).isFalse();
    assertThat(run.at("/spec/load/targetQps").asDouble()).isEqualTo(1.5);
  }

  private static List<String> problems(String text) throws JsonProcessingException {
    return problems("BenchmarkRun", text);
  }

  private static List<String> problems(String kind, String text) throws JsonProcessingException {
    return SCHEMAS.ofKind(kind).orElseThrow().validate(yaml(text)).stream()
        .map(SchemaProblem::toString)
        .toList();
  }

  private static ObjectNode yaml(String text) throws JsonProcessingException {
    return (ObjectNode) new YAMLMapper().readTree(text);
  }
}
