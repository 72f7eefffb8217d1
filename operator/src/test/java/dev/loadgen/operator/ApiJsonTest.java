package dev.loadgen.operator;

import static org.assertj.core.api.Assertions.assertThat;

import dev.loadgen.api.v1alpha1.InferenceBackend;
import io.fabric8.kubernetes.api.model.WatchEvent;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What an API server may send of a kind of ours, in the forms in which it does. */
class ApiJsonTest {
  private static final KubernetesSerialization API = ApiJson.serialization();

  @ParameterizedTest
  @ValueSource(ints = {100, 1_500, 9_900})
  void anEventOfAnObjectWithoutEndIsRead(int levels) {
    String backend = backend("{\"a\":".repeat(levels) + "1" + "}".repeat(levels));

    WatchEvent event =
        API.unmarshal("{\"type\":\"ADDED\",\"object\":" + backend + "}", WatchEvent.class);

    assertThat(event.getObject())
        .isInstanceOfSatisfying(
            InferenceBackend.class,
            read -> {
              assertThat(read.getUnreadable()).hasSize(1);
              assertThat(API.clone(read).getUnreadable()).isEqualTo(read.getUnreadable());
            });
  }

  @ParameterizedTest
  @ValueSource(ints = {40_000, 100_000, 1_000_000})
  void aNameWithoutEndIsRead(int length) {
    String backend = backend("{\"" + "k".repeat(length) + "\": 1}");

    assertThat(API.unmarshal(backend, InferenceBackend.class).getUnreadable()).isEmpty();
  }

  private static String backend(String podTemplate) {
    return """
    {"apiVersion": "loadgen.dev/v1alpha1", "kind": "InferenceBackend",
     "metadata": {"name": "b", "namespace": "n", "resourceVersion": "1"},
     "spec": {"engine": "vllm", "model": {"name": "m"}, "podTemplate": %s}}
    """
        .formatted(podTemplate);
  }
}
