package dev.loadgen.local.schema;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.cel.common.CelAbstractSyntaxTree;
import dev.cel.common.CelOptions;
import dev.cel.common.CelValidationException;
import dev.cel.common.types.CelType;
import dev.cel.common.types.SimpleType;
import dev.cel.compiler.CelCompilerFactory;
import dev.cel.parser.CelStandardMacro;
import dev.cel.runtime.CelEvaluationException;
import dev.cel.runtime.CelRuntime;
import dev.cel.runtime.CelRuntimeFactory;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The rules of a schema in CEL ({@code x-kubernetes-validations}), evaluated as a Kubernetes API
 * server does. A rule about {@code oldSelf} applies where a value is replaced. Any other rule
 * applies where the value has changed, so that an object that is older than the rule can be kept.
 *
 * <p>Supported are rules of objects and of their fields, but not of entries of lists and maps; the
 * parts {@code rule} and {@code message} of a rule; and the functions and macros of CEL itself, but
 * not those that Kubernetes adds. Anything else is refused. The cost of rules is not limited.
 *
 * <p>Thread-safe. A rule is compiled when it is first evaluated: few of them are at a start.
 */
final class ValidationRules {
  private static final String RULES = "x-kubernetes-validations";
  private static final String SELF = "self";
  private static final String OLD_SELF = "oldSelf";
  private static final Pattern OF_CHANGE = Pattern.compile("\\b" + OLD_SELF + "\\b");
  private static final Set<String> SUPPORTED = Set.of("rule", "message");

  private final JsonNode root;
  private final IdentityHashMap<JsonNode, List<Rule>> rules = new IdentityHashMap<>();
  private @Nullable SchemaTypes types;

  private ValidationRules(JsonNode root) {
    this.root = root;
  }

  /**
   * The rules of a schema.
   *
   * @throws IllegalArgumentException if one has parts that are not supported
   */
  static ValidationRules of(JsonNode schema) {
    ValidationRules all = new ValidationRules(withNames(schema));
    all.collect(all.root, "");
    return all;
  }

  /** The schema with what rules may know of any object, which no CRD's schema holds. */
  private static ObjectNode withNames(JsonNode schema) {
    ObjectNode root = JsonNodeFactory.instance.objectNode();
    schema.properties().forEach(field -> root.set(field.getKey(), field.getValue()));
    ObjectNode properties = root.putObject("properties");
    for (String name : List.of("apiVersion", "kind")) {
      properties.putObject(name).put("type", "string");
    }
    ObjectNode metadata = properties.putObject("metadata").put("type", "object");
    for (String name : List.of("name", "generateName")) {
      metadata.withObject("/properties").putObject(name).put("type", "string");
    }
    schema
        .path("properties")
        .properties()
        .forEach(property -> properties.set(property.getKey(), property.getValue()));
    return root;
  }

  private void collect(JsonNode schema, String path) {
    List<Rule> ofSchema = new ArrayList<>();
    for (JsonNode rule : schema.path(RULES)) {
      rule.fieldNames()
          .forEachRemaining(
              part -> {
                if (!SUPPORTED.contains(part)) {
                  throw new IllegalArgumentException(
                      "%s of %s: %s is not supported".formatted(RULES, named(path), part));
                }
              });
      ofSchema.add(
          new Rule(
              schema,
              path,
              rule.path("rule").asText().strip(),
              rule.path("message").asText("").strip()));
    }
    if (!ofSchema.isEmpty()) {
      rules.put(schema, ofSchema);
    }
    for (Map.Entry<String, JsonNode> property : schema.path("properties").properties()) {
      collect(property.getValue(), child(path, property.getKey()));
    }
    for (String entries : List.of("items", "additionalProperties")) {
      if (schema.path(entries).findValue(RULES) != null) {
        throw new IllegalArgumentException(
            "%s of the entries of %s are not supported".formatted(RULES, named(path)));
      }
    }
  }

  private synchronized SchemaTypes types() {
    if (types == null) {
      types = SchemaTypes.of(root);
    }
    return types;
  }

  /**
   * The rules that an object breaks.
   *
   * @param object an object without problems of its schema
   * @param stored what it replaces; null where it is new
   * @throws IllegalArgumentException if a rule does not compile
   */
  List<BrokenRule> broken(JsonNode object, @Nullable JsonNode stored) {
    List<BrokenRule> broken = new ArrayList<>();
    evaluate(root, "", object, stored, broken);
    return broken;
  }

  private void evaluate(
      JsonNode schema,
      String path,
      JsonNode value,
      @Nullable JsonNode stored,
      List<BrokenRule> broken) {
    if (value.isMissingNode() || value.isNull()) {
      return;
    }
    JsonNode old = stored == null || stored.isMissingNode() || stored.isNull() ? null : stored;
    List<Rule> ofSchema = rules.getOrDefault(schema, List.of());
    if (!ofSchema.isEmpty()) {
      boolean changed = !value.equals(old);
      Map<String, Object> variables = new HashMap<>();
      variables.put(SELF, types().value(schema, value));
      if (old != null) {
        variables.put(OLD_SELF, types().value(schema, old));
      }
      for (Rule rule : ofSchema) {
        String problem = (rule.ofChange() ? old != null : changed) ? rule.problem(variables) : null;
        if (problem != null) {
          broken.add(new BrokenRule(path, problem));
        }
      }
    }
    for (Map.Entry<String, JsonNode> property : schema.path("properties").properties()) {
      String name = property.getKey();
      evaluate(
          property.getValue(),
          child(path, name),
          value.path(name),
          old == null ? null : old.path(name),
          broken);
    }
  }

  private static String child(String path, String name) {
    return path.isEmpty() ? name : path + "." + name;
  }

  private static String named(String path) {
    return path.isEmpty() ? "the object" : path;
  }

  /** What evaluates rules, of whatever schema. */
  private static final class Evaluation {
    static final CelOptions OPTIONS =
        CelOptions.current().enableHeterogeneousNumericComparisons(true).build();
    static final CelRuntime RUNTIME =
        CelRuntimeFactory.plannerRuntimeBuilder().setOptions(OPTIONS).build();

    private Evaluation() {}
  }

  private final class Rule {
    private final JsonNode schema;
    private final String path;
    private final String text;
    private final String message;
    private CelRuntime.@Nullable Program program;

    Rule(JsonNode schema, String path, String text, String message) {
      this.schema = schema;
      this.path = path;
      this.text = text;
      this.message = message;
    }

    boolean ofChange() {
      return OF_CHANGE.matcher(text).find();
    }

    /** What to say of values that break it; null if they do not. */
    @Nullable String problem(Map<String, Object> variables) {
      String words = message.isEmpty() ? "failed rule: " + text : message;
      try {
        return Boolean.TRUE.equals(program().eval(variables)) ? null : words;
      } catch (CelEvaluationException e) {
        return e.getMessage() + " evaluating rule: " + (message.isEmpty() ? text : message);
      }
    }

    synchronized CelRuntime.Program program() {
      if (program == null) {
        try {
          program = Evaluation.RUNTIME.createProgram(compiled());
        } catch (CelValidationException | CelEvaluationException e) {
          throw new IllegalArgumentException(
              "%s of %s: %s: %s".formatted(RULES, named(path), text, e.getMessage()), e);
        }
      }
      return program;
    }

    private CelAbstractSyntaxTree compiled() throws CelValidationException {
      CelType self = types().type(schema);
      return CelCompilerFactory.standardCelCompilerBuilder()
          .setOptions(Evaluation.OPTIONS)
          .setStandardMacros(CelStandardMacro.STANDARD_MACROS)
          .setTypeProvider(types().provider())
          .addVar(SELF, self)
          .addVar(OLD_SELF, self)
          .setResultType(SimpleType.BOOL)
          .build()
          .compile(text)
          .getAst();
    }
  }
}
