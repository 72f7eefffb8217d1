package dev.loadgen.rules.ruleset;

import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The ruleset files of the class path. Every {@code index.txt} counts, so that a jar or folder on
 * the class path can add rounds; the first file of a name wins.
 */
final class RulesetFiles {
  private static final String FOLDER = "dev/loadgen/rules/rulesets/";

  static final Map<String, Ruleset> ALL = readAll(RulesetFiles.class.getClassLoader());

  private RulesetFiles() {}

  static Map<String, Ruleset> readAll(ClassLoader loader) {
    try {
      Map<String, Ruleset> all = new LinkedHashMap<>();
      for (URL index : Collections.list(loader.getResources(FOLDER + "index.txt"))) {
        for (String name : names(index)) {
          if (!all.containsKey(name)) {
            all.put(name, read(loader, name));
          }
        }
      }
      return Collections.unmodifiableMap(all);
    } catch (IOException e) {
      throw new UncheckedIOException("cannot read the rulesets on the class path", e);
    }
  }

  private static List<String> names(URL index) throws IOException {
    try (InputStream in = index.openStream()) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8)
          .lines()
          .map(String::strip)
          .filter(line -> !line.isEmpty() && !line.startsWith("#"))
          .toList();
    }
  }

  private static Ruleset read(ClassLoader loader, String name) throws IOException {
    String file = FOLDER + name + ".yaml";
    try (InputStream in = loader.getResourceAsStream(file)) {
      if (in == null) {
        throw new IllegalStateException(file + " is in index.txt but not on the class path");
      }
      return parse(file, name, in);
    }
  }

  static Ruleset parse(String file, String name, InputStream in) throws IOException {
    Ruleset ruleset;
    try {
      ruleset = mapper().readValue(in, Ruleset.class);
    } catch (com.fasterxml.jackson.core.JacksonException e) {
      throw new IllegalStateException(file + ": " + e.getOriginalMessage(), e);
    }
    if (!ruleset.name().equals(name)) {
      throw new IllegalStateException(file + ": name must be " + name + ": " + ruleset.name());
    }
    return ruleset;
  }

  static ObjectMapper mapper() {
    return JsonMapper.builder(new YAMLFactory())
        .enable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
        .enable(DeserializationFeature.FAIL_ON_NULL_FOR_PRIMITIVES)
        .enable(DeserializationFeature.FAIL_ON_READING_DUP_TREE_KEY)
        .enable(com.fasterxml.jackson.core.StreamReadFeature.STRICT_DUPLICATE_DETECTION)
        .build();
  }
}
