package dev.loadgen.local.schema;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The CRDs of this product, as the jar of the API types carries them. */
public final class CustomResourceSchemas {
  private static final List<String> RESOURCES =
      List.of(
          "/META-INF/fabric8/benchmarkruns.loadgen.dev-v1.yml",
          "/META-INF/fabric8/inferencebackends.loadgen.dev-v1.yml");

  private final Map<String, StructuralSchema> byKind;
  private final List<ObjectNode> definitions;

  private CustomResourceSchemas(
      Map<String, StructuralSchema> byKind, List<ObjectNode> definitions) {
    this.byKind = byKind;
    this.definitions = definitions;
  }

  /** Reads them from the class path. */
  public static CustomResourceSchemas load() {
    YAMLMapper yaml = new YAMLMapper();
    Map<String, StructuralSchema> byKind = new LinkedHashMap<>();
    List<ObjectNode> definitions =
        RESOURCES.stream().map(resource -> read(yaml, resource)).toList();
    for (ObjectNode definition : definitions) {
      JsonNode spec = definition.path("spec");
      byKind.put(
          spec.path("names").path("kind").asText(),
          StructuralSchema.of(
              (ObjectNode) spec.path("versions").path(0).path("schema").path("openAPIV3Schema")));
    }
    return new CustomResourceSchemas(byKind, definitions);
  }

  private static ObjectNode read(YAMLMapper yaml, String resource) {
    try (InputStream in = CustomResourceSchemas.class.getResourceAsStream(resource)) {
      if (in == null) {
        throw new IllegalStateException("the class path lacks " + resource);
      }
      return (ObjectNode) yaml.readTree(in);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The schema of a kind of ours. */
  public Optional<StructuralSchema> ofKind(String kind) {
    return Optional.ofNullable(byKind.get(kind));
  }

  /** The CustomResourceDefinition objects. */
  public List<ObjectNode> definitions() {
    return definitions;
  }
}
