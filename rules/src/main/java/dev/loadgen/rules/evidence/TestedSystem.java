package dev.loadgen.rules.evidence;

import dev.loadgen.contract.Scenario;
import dev.loadgen.contract.TestMode;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A system as one of its tests found it: the tests of a system are held against each other.
 *
 * @param name by which findings call the test
 * @param benchmark such as {@code llama3.1-8b}
 * @param kind {@code Performance}, {@code Accuracy}, or the name of a compliance test
 * @param model as the servers call it
 * @param servers what tells the servers from others, by its name
 * @param dataset SHA-256 of the file; null: it was not kept
 * @param sampling what the servers were asked for, by its name
 */
public record TestedSystem(
    String name,
    String benchmark,
    Scenario scenario,
    String kind,
    String model,
    Map<String, String> servers,
    @Nullable String dataset,
    Map<String, String> sampling) {
  /** Copies the maps. */
  public TestedSystem {
    servers = Collections.unmodifiableMap(new LinkedHashMap<>(servers));
    sampling = Collections.unmodifiableMap(new LinkedHashMap<>(sampling));
  }

  /** Whether it is an accuracy test. */
  public boolean accuracy() {
    return kind.equals(TestMode.Accuracy.name());
  }
}
