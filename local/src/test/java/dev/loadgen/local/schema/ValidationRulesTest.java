package dev.loadgen.local.schema;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What the rules of our custom resources say is in AnswersOfRulesTest. */
class ValidationRulesTest {
  private static final YAMLMapper YAML = new YAMLMapper();

  private static final String SCHEMA =
      """
      type: object
      properties:
        spec:
          type: object
          x-kubernetes-validations: [{rule: %s}]
          properties:
            whole: {type: integer}
            number: {type: number}
            flag: {type: boolean}
            text: {type: string}
            time: {type: string, format: date-time}
            date: {type: string, format: date}
            size: {x-kubernetes-int-or-string: true}
            map: {type: object, additionalProperties: {type: integer}}
            list: {type: array, items: {type: object, properties: {name: {type: string}}}}
            set: {type: array, x-kubernetes-list-type: set, items: {type: string}}
            any: {type: object, x-kubernetes-preserve-unknown-fields: true}
      """;

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '~',
      value = {
        "self.whole + 1 == 3 | {whole: 2} | {whole: 3}",
        "self.number > 1 && self.number < 2.5 | {number: 2} | {number: 3}",
        "self.flag | {flag: true} | {flag: false}",
        "self.text.matches('^a+$') && self.text.size() > 1 | {text: aa} | {text: b}",
        "self.time < timestamp('2026-01-01T00:00:00Z') | {time: 2025-12-31T23:00:00+00:00} | {time:"
            + " 2026-01-01T00:00:00Z}",
        "type(self.size) == int ? self.size > 1 : self.size == '2Gi' | {size: 2Gi} | {size: 1}",
        "self.map.all(k, self.map[k] > 1) | {map: {a: 2}} | {map: {a: 2, b: 1}}",
        "self.list.exists(x, x.name == 'a') | {list: [{name: b}, {name: a}]} | {list: [{name: b}]}",
        "!has(self.text) | {} | {text: a}",
      })
  void ofEachTypeThereAreValues(String rule, String right, String wrong) {
    assertThat(broken(rule, right, null)).isEmpty();
    assertThat(broken(rule, wrong, null))
        .containsExactly("spec: Invalid value: failed rule: " + rule);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '~',
      value = {
        "{number: 1} | {number: 1.0} | true",
        "{list: [{name: a}, {name: b}]} | {list: [{name: b}, {name: a}]} | false",
        "{set: [a, b]} | {set: [b, a]} | true",
        "{set: [a, b]} | {set: [a]} | false",
        "{any: {a: [1, null, {b: x}]}} | {any: {a: [1.0, null, {b: x}]}} | true",
        "{any: {a: 1}} | {any: {b: 1}} | false",
        "{any: {a: null}} | {any: {}} | false",
        "{date: 2026-01-01} | {date: 2026-01-01} | true",
        "{text: null} | {} | true",
      })
  void whatIsEqualIsEqualByItsSchema(String object, String stored, boolean equal) {
    assertThat(broken("self == oldSelf", object, stored).isEmpty()).isEqualTo(equal);
  }

  @Test
  void aRuleOfAChangeIsForChangesAlone() {
    assertThat(broken("self.whole >= oldSelf.whole", "{whole: 1}", null)).isEmpty();
    assertThat(broken("self.whole >= oldSelf.whole", "{whole: 2}", "{whole: 1}")).isEmpty();
    assertThat(broken("self.whole >= oldSelf.whole", "{whole: 1}", "{whole: 2}")).hasSize(1);
  }

  @Test
  void whatIsOlderThanARuleCanBeKept() {
    assertThat(broken("self.whole > 1", "{whole: 1}", "{whole: 1}")).isEmpty();
    assertThat(broken("self.whole > 1", "{whole: 1, flag: true}", "{whole: 1}")).hasSize(1);
  }

  @Test
  void aRuleThatCannotBeEvaluatedIsBroken() {
    assertThat(broken("self.whole / self.map['a'] == 1", "{whole: 1, map: {a: 0}}", null))
        .singleElement()
        .asString()
        .startsWith("spec: Invalid value: ")
        .endsWith(" evaluating rule: self.whole / self.map['a'] == 1");
  }

  /** Among them what Kubernetes adds to CEL, and what it does not let rules see. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "self.hole == 1",
        "self.whole == 'a'",
        "self.whole",
        "self.whole ==",
        "self.any.a == 1",
        "self.set.size() == 1",
        "self.date == '2026-01-01'",
        "isURL(self.text)",
        "self.text.find('a') == 'a'",
        "self.list.isSorted()",
        "quantity(self.text) == quantity('1')",
        "self.?text.orValue('') == ''"
      })
  void whatIsNotThereDoesNotCompile(String rule) {
    assertThatThrownBy(() -> broken(rule, "{}", null))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith("x-kubernetes-validations of spec: " + rule + ": ");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "messageExpression: self.text",
        "reason: FieldValueForbidden",
        "fieldPath: .text",
        "optionalOldSelf: true"
      })
  void aPartThatIsNotSupportedIsRefused(String part) {
    assertThatThrownBy(
            () -> of("{type: object, x-kubernetes-validations: [{rule: 'true', " + part + "}]}"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(
            "x-kubernetes-validations of the object: "
                + part.replaceAll(":.*", "")
                + " is not supported");
  }

  @ParameterizedTest
  @ValueSource(strings = {"items", "additionalProperties"})
  void rulesOfEntriesAreRefused(String entries) {
    assertThatThrownBy(
            () ->
                of(
                    "{type: object, properties: {spec: {"
                        + entries
                        + ": {properties: {a: {x-kubernetes-validations: [{rule: 'true'}]}}}}}}"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("x-kubernetes-validations of the entries of spec are not supported");
  }

  @Test
  void ofTheWholeObjectANameIsKnownAndNothingElseOfItsMetadata() {
    String schema =
        "{type: object, properties: {}, x-kubernetes-validations: [{rule: %s, message: ' no '}]}";

    assertThat(
            of(schema.formatted(quoted("self.metadata.name == 'a' && self.kind == 'K'")))
                .broken(yaml("{kind: K, metadata: {name: b, labels: {a: b}}}"), null))
        .extracting(BrokenRule::toString)
        .containsExactly("<nil>: Invalid value: no");
    assertThatThrownBy(
            () ->
                of(schema.formatted(quoted("has(self.metadata.labels)")))
                    .broken(yaml("{metadata: {name: b}}"), null))
        .hasMessageContaining("undefined field 'labels'");
  }

  private static List<String> broken(String rule, String spec, @Nullable String stored) {
    return of(SCHEMA.formatted(quoted(rule)))
        .broken(object(spec), stored == null ? null : object(stored))
        .stream()
        .map(BrokenRule::toString)
        .toList();
  }

  private static String quoted(String rule) {
    return "'" + rule.replace("'", "''") + "'";
  }

  private static JsonNode object(String spec) {
    return yaml("{metadata: {name: n}, spec: " + spec + "}");
  }

  private static ValidationRules of(String schema) {
    return ValidationRules.of(yaml(schema));
  }

  private static JsonNode yaml(String text) {
    try {
      return YAML.readTree(text);
    } catch (JsonProcessingException e) {
      throw new IllegalArgumentException(text, e);
    }
  }
}
