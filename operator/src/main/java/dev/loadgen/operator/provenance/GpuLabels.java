package dev.loadgen.operator.provenance;

import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * What the labels of a node say of its GPUs: those of NVIDIA's GPU feature discovery (0.17) and of
 * AMD's node labeller (1.31). A label that is not there is null.
 *
 * @param memory of one GPU, with its unit
 */
record GpuLabels(@Nullable String product, @Nullable String memory, @Nullable String driver) {
  /** Nothing is known of the node. */
  static final GpuLabels UNKNOWN = new GpuLabels(null, null, null);

  /** The labels of the vendor of a resource, such as {@code nvidia.com/gpu}. */
  static GpuLabels of(String resource, Map<String, String> labels) {
    if (resource.startsWith("nvidia.com/")) {
      return new GpuLabels(
          labels.get("nvidia.com/gpu.product"),
          Optional.ofNullable(labels.get("nvidia.com/gpu.memory"))
              .map(mebibytes -> mebibytes + " MiB")
              .orElse(null),
          nvidiaDriver(labels));
    }
    return resource.startsWith("amd.com/")
        ? new GpuLabels(
            labels.get("amd.com/gpu.product-name"),
            labels.get("amd.com/gpu.vram"),
            labels.get("amd.com/gpu.driver-version"))
        : UNKNOWN;
  }

  /** As a whole since 0.16, and in three parts before and after. */
  private static @Nullable String nvidiaDriver(Map<String, String> labels) {
    String whole = labels.get("nvidia.com/cuda.driver-version.full");
    if (whole != null) {
      return whole;
    }
    String parts =
        Stream.of("major", "minor", "rev")
            .map(part -> labels.get("nvidia.com/cuda.driver." + part))
            .filter(value -> value != null && !value.isEmpty())
            .collect(Collectors.joining("."));
    return parts.isEmpty() ? null : parts;
  }
}
