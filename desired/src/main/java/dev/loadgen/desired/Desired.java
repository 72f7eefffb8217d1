package dev.loadgen.desired;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.MapperFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.loadgen.api.v1alpha1.InferenceBackend;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodTemplateSpec;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.api.model.apps.StatefulSet;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * What a backend that is ours shall consist of, stamped so that a difference from what exists can
 * be told without asking the API server.
 *
 * @param workload the StatefulSet or LeaderWorkerSet
 * @param template the stamp of the pod templates, which every pod made from them carries
 */
public record Desired(HasMetadata workload, Service service, String template) {
  /** Annotation: the hash of the object, or of the pod template, as it was asked for. */
  public static final String STAMP = "loadgen.dev/desired-hash";

  /** Annotation of the workload: the generation of the spec that it was last asked for by. */
  public static final String GENERATION = "loadgen.dev/backend-generation";

  private static final Set<String> QUANTITIES = Set.of("limits", "requests", "sizeLimit");

  private static final ObjectMapper JSON =
      JsonMapper.builder()
          .enable(MapperFeature.SORT_PROPERTIES_ALPHABETICALLY)
          .enable(SerializationFeature.ORDER_MAP_ENTRIES_BY_KEYS)
          .build();

  /** The objects of a backend, whose pods are given {@code defaults}. */
  public static Desired of(InferenceBackend backend, PodDefaults defaults) {
    HasMetadata workload = ServerWorkloads.of(defaults.applied(backend), defaults);
    List<PodTemplateSpec> templates = ServerWorkloads.templates(workload);
    String template = hash(templates.size() == 1 ? templates.getFirst() : templates);
    templates.forEach(pods -> stamp(pods.getMetadata(), template));
    stamped(workload);
    // Not a part of the stamp: a spec that asks for the same servers makes no others.
    workload
        .getMetadata()
        .getAnnotations()
        .put(GENERATION, String.valueOf(backend.getMetadata().getGeneration()));
    return new Desired(workload, stamped(ServerServices.headless(backend)), template);
  }

  /** The stamp of the pods that servers which exist are made with; null: they have none. */
  public static @Nullable String templateOf(HasMetadata existing) {
    return stamp(ServerWorkloads.templates(existing).getFirst().getMetadata());
  }

  /**
   * Whether servers that exist were made for the spec as it is now; then whatever else is asked for
   * by now is the operator's own doing, as another version of it or with other defaults. Empty: an
   * operator made them that did not say.
   */
  public static Optional<Boolean> isOfGeneration(HasMetadata existing, InferenceBackend backend) {
    return Optional.ofNullable(existing.getMetadata().getAnnotations())
        .map(annotations -> annotations.get(GENERATION))
        .map(String.valueOf(backend.getMetadata().getGeneration())::equals);
  }

  /** Whether a pod was made from a template. */
  public static boolean isOf(@Nullable String template, Pod pod) {
    return template != null && template.equals(stamp(pod.getMetadata()));
  }

  /**
   * Whether servers that exist have other pods than are asked for now, so that none of them is of
   * any more use.
   */
  public boolean replaces(@Nullable HasMetadata existing) {
    return existing instanceof StatefulSet servers
        && !template.equals(stamp(servers.getSpec().getTemplate().getMetadata()));
  }

  /** Whether something else was asked for when {@code existing} was written; null: never. */
  public static boolean isOutdated(HasMetadata desired, @Nullable HasMetadata existing) {
    return existing == null
        || !String.valueOf(stamp(desired.getMetadata())).equals(stamp(existing.getMetadata()));
  }

  /**
   * Whether what exists lacks something that is asked for, or was asked for more before: the stamp
   * shows the latter, a comparison of fields what somebody else has changed since.
   */
  public static boolean differs(HasMetadata desired, @Nullable HasMetadata existing) {
    return existing == null
        || isOutdated(desired, existing)
        || !covers(JSON.valueToTree(existing), JSON.valueToTree(desired), false);
  }

  /**
   * Whether every field of {@code part} is in {@code whole}, with the same value.
   *
   * @param quantities whether texts are quantities, of which the API server has its own spelling
   */
  private static boolean covers(@Nullable JsonNode whole, JsonNode part, boolean quantities) {
    if (part.isNull()) {
      return true;
    }
    if (whole == null) {
      return part.isContainerNode() && part.isEmpty();
    }
    if (part.isObject()) {
      return part.properties().stream()
          .allMatch(
              field ->
                  covers(
                      whole.get(field.getKey()),
                      field.getValue(),
                      QUANTITIES.contains(field.getKey()) || quantities));
    }
    if (part.isArray()) {
      return whole.isArray()
          && whole.size() == part.size()
          && IntStream.range(0, part.size())
              .allMatch(i -> covers(whole.get(i), part.get(i), quantities));
    }
    return whole.equals(part)
        || (quantities
            && Quantity.parse(whole.asText())
                    .getNumericalAmount()
                    .compareTo(Quantity.parse(part.asText()).getNumericalAmount())
                == 0);
  }

  private static <T extends HasMetadata> T stamped(T object) {
    stamp(object.getMetadata(), hash(object));
    return object;
  }

  private static void stamp(ObjectMeta metadata, String hash) {
    Map<String, String> annotations = new TreeMap<>();
    if (metadata.getAnnotations() != null) {
      annotations.putAll(metadata.getAnnotations());
    }
    annotations.put(STAMP, hash);
    metadata.setAnnotations(annotations);
  }

  private static @Nullable String stamp(ObjectMeta metadata) {
    return metadata.getAnnotations() == null ? null : metadata.getAnnotations().get(STAMP);
  }

  private static String hash(Object object) {
    try {
      byte[] json = JSON.writeValueAsString(object).getBytes(StandardCharsets.UTF_8);
      byte[] digest = MessageDigest.getInstance("SHA-256").digest(json);
      return HexFormat.of().formatHex(digest, 0, 8);
    } catch (JsonProcessingException | NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Kubernetes object is JSON, every JVM has SHA-256", e);
    }
  }
}
