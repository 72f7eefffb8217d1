package dev.loadgen.local.manifest;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.MappingIterator;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import dev.loadgen.api.v1alpha1.BenchmarkRun;
import dev.loadgen.api.v1alpha1.InferenceBackend;
import dev.loadgen.local.schema.BrokenRule;
import dev.loadgen.local.schema.CustomResourceSchemas;
import dev.loadgen.local.schema.SchemaProblem;
import dev.loadgen.local.schema.StructuralSchema;
import dev.loadgen.local.schema.Suggestions;
import dev.loadgen.operator.run.RunSpecProblems;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.yaml.snakeyaml.LoaderOptions;

/**
 * Reads files and folders of YAML or JSON and finds all that is wrong with them before anything is
 * started: syntax, kinds, fields by the CRDs' schemas, rules between fields, and references that no
 * document fulfils. Missing fields get the schema's defaults.
 */
public final class ManifestReader {
  // Also the order of creation.
  private static final Map<String, Kind> KINDS = kinds();
  // ConfigMaps with datasets are larger than the YAML library's bound of 3 MiB.
  private static final int MOST_CHARACTERS = 256 << 20;

  private final CustomResourceSchemas schemas;
  private final Rules rules;
  private final YAMLMapper yaml;
  private final List<Manifest> objects = new ArrayList<>();
  private final List<String> notes = new ArrayList<>();
  private final List<String> problems = new ArrayList<>();

  private record Kind(String apiVersion, boolean namespaced) {}

  /**
   * What is asked of valid objects, beyond the schemas and their rules.
   *
   * @param ofRun what is wrong with a run, as messages; empty: nothing
   * @param ofBackend the same of a backend
   * @param whole whether everything that objects refer to must be there as well
   */
  public record Rules(
      Function<BenchmarkRun, List<String>> ofRun,
      Function<InferenceBackend, List<String>> ofBackend,
      boolean whole) {}

  private ManifestReader(CustomResourceSchemas schemas, Rules rules) {
    this.schemas = schemas;
    this.rules = rules;
    LoaderOptions options = new LoaderOptions();
    options.setCodePointLimit(MOST_CHARACTERS);
    this.yaml =
        YAMLMapper.builder(YAMLFactory.builder().loaderOptions(options).build())
            .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
            .build();
  }

  private static Map<String, Kind> kinds() {
    Map<String, Kind> kinds = new LinkedHashMap<>();
    kinds.put("Namespace", new Kind("v1", false));
    kinds.put("PersistentVolume", new Kind("v1", false));
    kinds.put("PersistentVolumeClaim", new Kind("v1", true));
    kinds.put("ConfigMap", new Kind("v1", true));
    kinds.put("Secret", new Kind("v1", true));
    kinds.put("InferenceBackend", new Kind("loadgen.dev/v1alpha1", true));
    kinds.put("BenchmarkRun", new Kind("loadgen.dev/v1alpha1", true));
    return kinds;
  }

  /** Reads all files, and of each folder the files in it that are YAML or JSON. */
  public static Manifests read(List<Path> paths, CustomResourceSchemas schemas, Rules rules) {
    ManifestReader reader = new ManifestReader(schemas, rules);
    paths.forEach(reader::path);
    if (rules.whole() && reader.problems.isEmpty()) {
      reader.references();
    }
    List<String> order = List.copyOf(KINDS.keySet());
    reader.objects.sort(Comparator.comparingInt(object -> order.indexOf(object.kind())));
    return new Manifests(
        List.copyOf(reader.objects), List.copyOf(reader.notes), List.copyOf(reader.problems));
  }

  private void path(Path path) {
    if (Files.isDirectory(path)) {
      try (Stream<Path> entries = Files.list(path)) {
        List<Path> files = entries.filter(ManifestReader::isManifest).sorted().toList();
        if (files.isEmpty()) {
          problems.add(path + ": holds no .yaml, .yml or .json file");
        }
        files.forEach(this::file);
      } catch (IOException e) {
        problems.add(path + ": cannot be read: " + e);
      }
    } else if (Files.isRegularFile(path)) {
      file(path);
    } else {
      problems.add(path + ": no such file or folder");
    }
  }

  private static boolean isManifest(Path file) {
    String name = file.getFileName().toString().toLowerCase(Locale.ROOT);
    return Files.isRegularFile(file)
        && (name.endsWith(".yaml") || name.endsWith(".yml") || name.endsWith(".json"));
  }

  private void file(Path file) {
    List<JsonNode> documents;
    try (MappingIterator<JsonNode> values =
        yaml.readerFor(JsonNode.class).readValues(Files.readAllBytes(file))) {
      documents = values.readAll();
    } catch (JsonProcessingException e) {
      problems.add(file + ": is not valid YAML: " + firstLine(e));
      return;
    } catch (IOException e) {
      problems.add(file + ": cannot be read: " + e);
      return;
    }
    List<JsonNode> content = documents.stream().filter(document -> !isEmpty(document)).toList();
    if (content.isEmpty()) {
      problems.add(file + ": holds no document");
    }
    content.forEach(document -> document(file, document));
  }

  /** Such as what comes after a last ---. */
  private static boolean isEmpty(@Nullable JsonNode document) {
    return document == null
        || document.isNull()
        || document.isMissingNode()
        || (document.isTextual() && document.asText().isEmpty());
  }

  private static String firstLine(JsonProcessingException e) {
    var at = e.getLocation();
    String where = at == null ? "" : "line " + at.getLineNr() + ": ";
    return where
        + e.getOriginalMessage().lines().limit(2).reduce((a, b) -> a + ": " + b.strip()).orElse("");
  }

  private void document(Path file, JsonNode document) {
    if (!(document instanceof ObjectNode object)) {
      problems.add(file + ": a document is not an object with apiVersion, kind and metadata");
      return;
    }
    String kind = object.path("kind").asText("");
    String apiVersion = object.path("apiVersion").asText("");
    String title = file + ": " + (kind.isEmpty() ? "document" : kind) + "/" + name(object);
    if (kind.equals("List")) {
      object.path("items").forEach(item -> document(file, item));
      return;
    }
    if (kind.equals("Kustomization") || apiVersion.startsWith("kustomize.config.k8s.io/")) {
      notes.add(file + ": is left out: this command reads manifests, not kustomizations");
      return;
    }
    Kind known = KINDS.get(kind);
    if (known == null) {
      problems.add(
          title
              + ": kind "
              + (kind.isEmpty() ? "is missing" : kind + " is not a kind that this command supports")
              + Suggestions.didYouMean(kind, KINDS.keySet())
              + "; it takes "
              + String.join(", ", KINDS.keySet()));
      return;
    }
    if (!apiVersion.equals(known.apiVersion())) {
      problems.add(
          "%s: apiVersion: \"%s\" is not %s".formatted(title, apiVersion, known.apiVersion()));
      return;
    }
    int before = problems.size();
    schemas
        .ofKind(kind)
        .ifPresentOrElse(schema -> custom(title, schema, object), () -> builtIn(title, object));
    String namespace =
        known.namespaced() ? object.path("metadata").path("namespace").asText("default") : "";
    Manifest manifest = new Manifest(file, kind, namespace, name(object), object);
    if (problems.size() == before) {
      betweenFields(manifest);
    }
    objects.stream()
        .filter(
            other ->
                other.kind().equals(kind)
                    && other.namespace().equals(namespace)
                    && other.name().equals(manifest.name()))
        .findFirst()
        .ifPresent(other -> problems.add(title + ": is also in " + other.file()));
    objects.add(manifest);
  }

  private static String name(ObjectNode object) {
    return object.path("metadata").path("name").asText("");
  }

  private void custom(String title, StructuralSchema schema, ObjectNode object) {
    if (object.has("status")) {
      object.remove("status");
      notes.add(title + ": status is ignored; only the operator writes it");
    }
    for (SchemaProblem problem : schema.validate(object)) {
      problems.add(title + ": " + problem);
    }
    if (!object.path("spec").isObject()) {
      problems.add(title + ": spec: is required");
    }
    schema.applyDefaults(object);
  }

  private void builtIn(String title, ObjectNode object) {
    for (SchemaProblem problem : StructuralSchema.ofMetadata(object.path("metadata"))) {
      problems.add(title + ": " + problem);
    }
    for (String field : List.of("data", "stringData")) {
      for (Map.Entry<String, JsonNode> entry : object.path(field).properties()) {
        if (!entry.getValue().isTextual()) {
          problems.add(
              "%s: %s.%s: is not text; put it in quotes or after a |"
                  .formatted(title, field, entry.getKey()));
        }
      }
    }
    JsonNode hostPath = object.path("spec").path("hostPath").path("path");
    if (hostPath.isTextual()
        && (!hostPath.asText().startsWith("/") || hostPath.asText().indexOf('\0') >= 0)) {
      problems.add(
          title
              + ": spec.hostPath.path: "
              + hostPath
              + " is not an absolute path; begin it with /");
    }
  }

  /** The rules between fields: those of the CRD, as its API server has them, and the others. */
  private void betweenFields(Manifest manifest) {
    Set<String> broken = new LinkedHashSet<>();
    schemas.ofKind(manifest.kind()).stream()
        .flatMap(schema -> schema.brokenRules(manifest.object(), null).stream())
        .map(ManifestReader::words)
        .forEach(broken::add);
    broken.addAll(
        switch (manifest.kind()) {
          case "BenchmarkRun" -> rules.ofRun().apply(typed(manifest, BenchmarkRun.class));
          case "InferenceBackend" ->
              rules.ofBackend().apply(typed(manifest, InferenceBackend.class));
          default -> List.of();
        });
    broken.forEach(problem -> problems.add(manifest.title() + ": " + problem));
  }

  /** The message of a rule names the field, as seen from the kind that has the rule. */
  private static String words(BrokenRule rule) {
    return (rule.path() + ".").startsWith("spec.backend.")
        ? RunSpecProblems.ofOwnBackend(rule.message())
        : rule.message();
  }

  private static <T> T typed(Manifest manifest, Class<T> type) {
    return Serialization.unmarshal(manifest.object().toString(), type);
  }

  // References

  private void references() {
    Map<String, Manifest> known = new HashMap<>();
    objects.forEach(
        object -> known.put(key(object.kind(), object.namespace(), object.name()), object));
    long runs = objects.stream().filter(object -> object.kind().equals("BenchmarkRun")).count();
    if (runs == 0) {
      problems.add("the given files have no BenchmarkRun: there is nothing to run");
    }
    for (Manifest object : objects) {
      if (object.kind().equals("BenchmarkRun")) {
        run(object, known);
      } else if (object.kind().equals("InferenceBackend")) {
        backend(object, known);
      }
    }
  }

  private void run(Manifest run, Map<String, Manifest> known) {
    JsonNode spec = run.object().path("spec");
    needs(
        run,
        known,
        "InferenceBackend",
        "spec.backendRef.name",
        spec.path("backendRef").path("name"));
    JsonNode dataset = spec.path("dataset");
    needs(run, known, "PersistentVolumeClaim", "spec.dataset.claimName", dataset.path("claimName"));
    needs(run, known, "ConfigMap", "spec.dataset.configMapName", dataset.path("configMapName"))
        .ifPresent(
            map ->
                hasKey(
                    run,
                    "spec.dataset.path",
                    map,
                    dataset.path("path").asText(""),
                    "data",
                    "binaryData"));
    needs(
        run,
        known,
        "PersistentVolumeClaim",
        "spec.results.claimName",
        spec.path("results").path("claimName"));
    JsonNode config = spec.path("sampling").path("generationConfig");
    needs(run, known, "ConfigMap", "spec.sampling.generationConfig.name", config.path("name"))
        .ifPresent(
            map ->
                hasKey(
                    run,
                    "spec.sampling.generationConfig.key",
                    map,
                    config.path("key").asText(""),
                    "data"));
    needs(
        run,
        known,
        "Secret",
        "spec.mlflow.tokenSecretRef.name",
        spec.path("mlflow").path("tokenSecretRef").path("name"));
  }

  private void hasKey(Manifest object, String field, Manifest holder, String key, String... parts) {
    for (String part : parts) {
      if (holder.object().path(part).has(key)) {
        return;
      }
    }
    problems.add(
        "%s: %s: \"%s\" is not a key of %s %s"
            .formatted(object.title(), field, key, holder.kind(), holder.name()));
  }

  private void backend(Manifest backend, Map<String, Manifest> known) {
    JsonNode model = backend.object().path("spec").path("model");
    String claim = "PersistentVolumeClaim";
    needs(
        backend, known, claim, "spec.model.claim.claimName", model.path("claim").path("claimName"));
    needs(backend, known, claim, "spec.model.cacheClaimName", model.path("cacheClaimName"));
    needs(
        backend,
        known,
        "Secret",
        "spec.model.tokenSecretRef.name",
        model.path("tokenSecretRef").path("name"));
    JsonNode access = backend.object().path("spec").path("access");
    needs(
        backend,
        known,
        "Secret",
        "spec.access.apiKeySecretRef.name",
        access.path("apiKeySecretRef").path("name"));
    needs(
        backend,
        known,
        "Secret",
        "spec.access.headersSecretName",
        access.path("headersSecretName"));
    needs(
        backend,
        known,
        "ConfigMap",
        "spec.access.caConfigMapRef.name",
        access.path("caConfigMapRef").path("name"));
  }

  private Optional<Manifest> needs(
      Manifest object, Map<String, Manifest> known, String kind, String field, JsonNode name) {
    if (!name.isTextual()) {
      return Optional.empty();
    }
    @Nullable Manifest found = known.get(key(kind, object.namespace(), name.asText()));
    if (found == null) {
      List<String> names =
          objects.stream()
              .filter(
                  other ->
                      other.kind().equals(kind) && other.namespace().equals(object.namespace()))
              .map(Manifest::name)
              .toList();
      problems.add(
          "%s: %s: there is no %s \"%s\" in namespace %s in the given files%s"
              .formatted(
                  object.title(),
                  field,
                  kind,
                  name.asText(),
                  object.namespace(),
                  names.isEmpty() ? "; add it" : "; there is " + String.join(", ", names)));
    }
    return Optional.ofNullable(found);
  }

  private static String key(String kind, String namespace, String name) {
    return kind + "/" + namespace + "/" + name;
  }
}
