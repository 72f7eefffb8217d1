package dev.loadgen.rules.ruleset;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.core.type.TypeReference;
import dev.loadgen.contract.Verdict;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * One rule that a verdict can rest on, from {@code rules.yaml}. Immutable.
 *
 * @param name in CamelCase
 * @param effect what becomes of a test that breaks it; {@link Verdict#Valid}: it is told, and no
 *     more
 * @param asks what it asks for, as a sentence
 */
public record Rule(
    @JsonProperty(required = true) String name,
    @JsonProperty(required = true) Verdict effect,
    @JsonProperty(required = true) String asks,
    @JsonProperty(required = true) String source) {
  private static final String FILE = "rules.yaml";

  private static final Map<String, Rule> ALL = read();

  /** All rules, in the order of the file. */
  public static Collection<Rule> all() {
    return ALL.values();
  }

  /**
   * The rule of a name.
   *
   * @throws IllegalArgumentException if there is none
   */
  public static Rule named(String name) {
    Rule found = ALL.get(name);
    if (found == null) {
      throw new IllegalArgumentException("no rule " + name + " in " + FILE);
    }
    return found;
  }

  private static Map<String, Rule> read() {
    try (InputStream in = Rule.class.getResourceAsStream("/dev/loadgen/rules/" + FILE)) {
      List<Rule> rules = RulesetFiles.mapper().readValue(in, new TypeReference<List<Rule>>() {});
      Map<String, Rule> byName = new LinkedHashMap<>();
      for (Rule rule : rules) {
        if (byName.put(rule.name(), rule) != null) {
          throw new IllegalStateException(FILE + ": rule " + rule.name() + " is there twice");
        }
      }
      return Collections.unmodifiableMap(byName);
    } catch (IOException e) {
      throw new UncheckedIOException("cannot read " + FILE, e);
    }
  }
}
