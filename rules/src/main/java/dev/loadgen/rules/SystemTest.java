package dev.loadgen.rules;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A test as one of those that a system is judged by together.
 *
 * @param name by which findings call it
 * @param benchmark such as {@code llama3.1-8b}
 * @param scenario Offline, Server, Interactive or SingleStream
 * @param kind {@code Performance}, {@code Accuracy}, or the name of a compliance test
 * @param model as the servers call it
 * @param servers what tells the servers from others, by its name
 * @param dataset SHA-256 of the file; null: it was not kept
 * @param sampling what the servers were asked for, by its name
 */
public record SystemTest(
    String name,
    String benchmark,
    String scenario,
    String kind,
    String model,
    Map<String, String> servers,
    @Nullable String dataset,
    Map<String, String> sampling) {
  /** Copies the maps. */
  public SystemTest {
    servers = Collections.unmodifiableMap(new LinkedHashMap<>(servers));
    sampling = Collections.unmodifiableMap(new LinkedHashMap<>(sampling));
  }

  boolean accuracy() {
    return kind.equals("Accuracy");
  }
}
