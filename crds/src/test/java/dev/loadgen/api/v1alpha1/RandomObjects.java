package dev.loadgen.api.v1alpha1;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;

/**
 * Makes objects of a kind by walking its schema: each field at its extremes, empty, and with texts
 * that nobody means. Half of them start from a spec that works, so that what is odd is met by the
 * code that works with it. The same seed, the same objects.
 */
public final class RandomObjects {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final YAMLMapper YAML = new YAMLMapper();
  private static final JsonNodeFactory NODES = JsonNodeFactory.instance;

  private static final List<String> TEXTS =
      List.of(
          "",
          " ",
          "a",
          "A_b",
          "-",
          "--port=1",
          "$(A)",
          "${x}",
          "../..",
          "a/b",
          "a.b-c",
          "null",
          "5",
          "https://[::1",
          "http://a:1",
          "http://a:99999/x?y#z",
          "öß☃\uD83C\uDF89",
          "line\nbreak",
          "{\"a\":",
          "{}",
          "*.target_qps = 5\n*.nonsense",
          "x".repeat(64),
          "x".repeat(300),
          "y".repeat(5_000));

  private static final List<String> DURATIONS =
      List.of(
          "0s",
          "1ms",
          "1s",
          "0.000000001ms",
          "30m",
          "8760h",
          "8760h1ms",
          "999999999999h",
          "999999999999h999999999999h999999999999h999999999999h");

  private static final List<String> QUANTITIES =
      List.of(
          "0",
          "-1",
          "1",
          "500m",
          "16Gi",
          "+1",
          ".5",
          "5.",
          "1n",
          "1E",
          "9e18",
          "1e-9",
          "1e99999",
          "1e1.5",
          "-0.0",
          "99999999999999999999999999999999",
          "9".repeat(20) + "Ei");

  private static final List<String> KEYS =
      List.of("cpu", "memory", "nvidia.com/gpu", "", "a b", "A/B/C", "k".repeat(70), "\u0000", "é");

  private static final List<String> TEMPLATES =
      List.of(
          "{}",
          "{spec: null}",
          "{spec: {containers: null}}",
          "{spec: {containers: []}}",
          "{spec: {containers: [{name: server, args: [x]}]}}",
          "{spec: {containers: [{name: server, env: [{name: A, value: b}]}]}}",
          "{spec: {containers: [{name: server, resources: {limits: {cpu: ''}}}]}}",
          "{spec: {containers: [{name: server, ports: [{containerPort: 99999999999}]}]}}",
          "{spec: {containers: [{name: runner, env: [{name: A, value: b}]}], affinity: null}}",
          "{spec: {containers: [{name: runner, volumeMounts: [{name: x, mountPath: '//results/../..'}]}]}}",
          "{spec: {containers: [{name: runner, volumeMounts: [{name: x, mountPath: \"\\0\"}]}]}}",
          "{spec: {volumes: [{name: tmp, $patch: delete}], $patch: replace}}",
          "{metadata: {labels: {a: 1, b: null}}}",
          "{metadata: null}",
          "{$patch: delete}",
          "{spec: [1, [2, [3]]]}",
          "{spec: {terminationGracePeriodSeconds: -1e300}}");

  private final ObjectNode definition;
  private final JsonNode spec;
  private final List<ObjectNode> bases;
  private final Random random;

  private RandomObjects(ObjectNode definition, List<String> bases, Random random) {
    this.definition = definition;
    this.spec = definition.at("/spec/versions/0/schema/openAPIV3Schema/properties/spec");
    this.bases = bases.stream().map(RandomObjects::yaml).toList();
    this.random = random;
  }

  /** Backends. */
  public static RandomObjects backends(Random random) {
    return new RandomObjects(
        definition("inferencebackends"),
        List.of(
            "{engine: vllm, model: {name: m}}",
            "{engine: sglang, model: {name: m}, gpus: {count: 8}, parallelism: {tensor: 4}}",
            "{engine: vllm, model: {name: m}, external: {urls: ['http://a:1', 'http://b:1']}}",
            "{engine: vllm, model: {name: m}, lifecycle: OnDemand, idleTimeout: 5s}",
            "{engine: vllm, model: {name: m}, gpus: {count: 8}, multiNode: {nodes: 2}}",
            "{engine: vllm, model: {name: m}, profiling: {tool: Torch, output: {claimName: c}}}"),
        random);
  }

  /** Runs. */
  public static RandomObjects runs(Random random) {
    String data = "dataset: {configMapName: d, path: d.json}";
    return new RandomObjects(
        definition("benchmarkruns"),
        List.of(
            "{benchmark: llama3.1-8b, scenario: Offline, backendRef: {name: llm}, " + data + "}",
            "{benchmark: llama3.1-8b, scenario: Server, backendRef: {name: llm}, load: {targetQps: 5},"
                + " ruleset: v6.1, "
                + data
                + "}",
            "{benchmark: custom, scenario: SingleStream, backendRef: {name: llm},"
                + " load: {limits: {latency: 5s}}, "
                + data
                + "}",
            "{benchmark: gpt-oss-120b, scenario: Offline, mode: Accuracy, "
                + "backend: {engine: vllm, model: {name: m}}, "
                + data
                + "}",
            "{benchmark: custom, scenario: Interactive, backendRef: {name: llm}, load: {targetQps: 5,"
                + " limits: {ttft: 2s, tpot: 100ms}}, "
                + data
                + "}"),
        random);
  }

  /**
   * An object.
   *
   * @param beyond whether some of its fields are what the schema refuses: of a newer or an older
   *     version, or of nobody's
   */
  public ObjectNode next(String name, boolean beyond) {
    ObjectNode object = JSON.createObjectNode();
    object.put("apiVersion", "loadgen.dev/v1alpha1");
    object.set("kind", definition.at("/spec/names/kind"));
    object.putObject("metadata").put("name", name);
    ObjectNode made;
    if (random.nextInt(4) == 0) {
      made = object(spec, random.nextDouble() * 0.5, beyond ? 0.02 : 0);
    } else {
      made = bases.get(random.nextInt(bases.size())).deepCopy();
      int changes = 1 + random.nextInt(3);
      for (int i = 0; i < changes; i++) {
        change(spec, made, beyond && random.nextBoolean());
      }
    }
    object.set("spec", made);
    return object;
  }

  /** Gives one field below an object another value; what leads there is made if need be. */
  private void change(JsonNode schema, ObjectNode object, boolean beyond) {
    List<Map.Entry<String, JsonNode>> fields = new ArrayList<>();
    schema.path("properties").properties().forEach(fields::add);
    Map.Entry<String, JsonNode> field = fields.get(random.nextInt(fields.size()));
    JsonNode child = field.getValue();
    if (child.has("properties") && random.nextInt(8) != 0) {
      if (!(object.get(field.getKey()) instanceof ObjectNode)) {
        object.set(field.getKey(), value(child, 0, 0));
      }
      change(child, (ObjectNode) object.get(field.getKey()), beyond);
    } else {
      object.set(field.getKey(), beyond ? absurd(child) : value(child, 0.5, 0));
    }
  }

  /**
   * A value.
   *
   * @param share of the fields that need not be there
   * @param refused how often a value is one that the schema refuses
   */
  private JsonNode value(JsonNode schema, double share, double refused) {
    if (refused > 0 && random.nextDouble() < refused) {
      return absurd(schema);
    }
    if (schema.path("x-kubernetes-int-or-string").asBoolean()) {
      return random.nextInt(4) == 0
          ? NODES.numberNode(random.nextInt(5) - 1)
          : NODES.textNode(any(QUANTITIES));
    }
    if (schema.path("x-kubernetes-preserve-unknown-fields").asBoolean()) {
      return template();
    }
    return switch (schema.path("type").asText()) {
      case "object" ->
          schema.has("additionalProperties")
              ? map(schema, share, refused)
              : object(schema, share, refused);
      case "array" -> array(schema, share, refused);
      case "integer" -> integer(schema);
      case "number" -> number(schema);
      case "boolean" -> NODES.booleanNode(random.nextBoolean());
      default -> text(schema);
    };
  }

  private ObjectNode object(JsonNode schema, double share, double refused) {
    ObjectNode made = JSON.createObjectNode();
    for (Map.Entry<String, JsonNode> field : schema.path("properties").properties()) {
      boolean required =
          schema.path("required").valueStream().anyMatch(r -> r.asText().equals(field.getKey()));
      if (required || random.nextDouble() < share) {
        made.set(field.getKey(), value(field.getValue(), share * 0.7, refused));
      }
    }
    return made;
  }

  private ObjectNode map(JsonNode schema, double share, double refused) {
    ObjectNode made = JSON.createObjectNode();
    int entries = entries(schema.path("maxProperties").asInt());
    for (int i = 0; i < entries; i++) {
      made.set(
          i < 2 ? any(KEYS) : "key-" + i,
          entry(schema.path("additionalProperties"), i, share, refused));
    }
    return made;
  }

  private ArrayNode array(JsonNode schema, double share, double refused) {
    ArrayNode made = JSON.createArrayNode();
    boolean scalar = !schema.path("items").has("properties");
    int entries = entries(scalar ? schema.path("maxItems").asInt() : 3);
    for (int i = 0; i < entries; i++) {
      made.add(entry(schema.path("items"), i, share, refused));
    }
    return made;
  }

  /** As many as there may be are rare: such objects are large, and one at a time shows as much. */
  private int entries(int most) {
    return random.nextInt(10) == 0 ? most : random.nextInt(3);
  }

  /** Of many entries all but the first are small, or an object would be larger than etcd takes. */
  private JsonNode entry(JsonNode schema, int index, double share, double refused) {
    return index >= 2 && schema.path("type").asText().equals("string")
        ? NODES.textNode("entry-" + index)
        : value(schema, share * 0.7, refused);
  }

  private JsonNode integer(JsonNode schema) {
    BigDecimal least = schema.path("minimum").decimalValue();
    BigDecimal most = schema.path("maximum").decimalValue();
    long low = least.longValue();
    long high = most.longValue();
    return NODES.numberNode(
        any(List.of(low, high, low + 1, high - 1, Math.max(low, Math.min(high, 8)))).longValue());
  }

  private JsonNode number(JsonNode schema) {
    double low = schema.path("minimum").doubleValue();
    double high = schema.path("maximum").doubleValue();
    boolean above = schema.path("exclusiveMinimum").asBoolean();
    return NODES.numberNode(
        any(List.of(above ? Math.nextUp(low) : low, high, (low + high) / 2)).doubleValue());
  }

  private JsonNode text(JsonNode schema) {
    JsonNode words = schema.path("enum");
    if (words.isArray()) {
      return words.get(random.nextInt(words.size()));
    }
    String pattern = schema.path("pattern").asText();
    if (pattern.contains("(ms|s|m|h)")) {
      return NODES.textNode(any(DURATIONS));
    }
    if (pattern.startsWith("^https?")) {
      return NODES.textNode(any(List.of("http://a", "https://u:p@b/c", "http:// ", "http://\n")));
    }
    if (pattern.startsWith("^(none|v")) {
      return NODES.textNode(any(List.of("none", "v6.1", "v5.1", "v999.999")));
    }
    if (pattern.startsWith("^TEST")) {
      return NODES.textNode(any(List.of("TEST06", "TEST07", "TEST99")));
    }
    return NODES.textNode(pattern.startsWith("^[0-9a-f]") ? "0".repeat(64) : any(TEXTS));
  }

  private JsonNode template() {
    if (random.nextInt(10) == 0) {
      ObjectNode deep = JSON.createObjectNode();
      ObjectNode at = deep;
      for (int i = 0; i < 500; i++) {
        at = at.putObject("spec");
      }
      return deep;
    }
    return yaml(any(TEMPLATES));
  }

  /** What no schema of ours accepts there, or hardly any. */
  private JsonNode absurd(JsonNode schema) {
    if (schema.has("enum")) {
      return NODES.textNode("FromTheFuture");
    }
    return switch (random.nextInt(9)) {
      case 0 -> NODES.numberNode(99_999_999_999L);
      case 1 -> NODES.numberNode(-1);
      case 2 -> NODES.numberNode(1e300);
      case 3 -> NODES.textNode(any(TEXTS));
      case 4 -> JSON.createObjectNode().put("a", 1);
      case 5 -> JSON.createArrayNode().add("x").addNull();
      case 6 -> NODES.booleanNode(true);
      case 7 -> NODES.numberNode(2_000_000_000);
      default -> NODES.nullNode();
    };
  }

  private <V> V any(List<V> values) {
    return values.get(random.nextInt(values.size()));
  }

  private static ObjectNode yaml(String text) {
    try {
      return (ObjectNode) YAML.readTree(text);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static ObjectNode definition(String plural) {
    try (InputStream yaml =
        RandomObjects.class.getResourceAsStream(
            "/META-INF/fabric8/" + plural + ".loadgen.dev-v1.yml")) {
      return (ObjectNode) YAML.readTree(yaml);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
