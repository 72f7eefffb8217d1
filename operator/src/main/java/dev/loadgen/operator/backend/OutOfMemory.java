package dev.loadgen.operator.backend;

import dev.loadgen.api.v1alpha1.InferenceBackendSpec;
import dev.loadgen.api.v1alpha1.InferenceBackendSpec.EngineConfig;
import dev.loadgen.desired.ServerCommand;
import io.fabric8.kubernetes.api.model.ContainerStateTerminated;
import io.fabric8.kubernetes.api.model.Quantity;
import java.util.Objects;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Tells from the end of a server that it lacked memory, and which settings to change. Pure. */
final class OutOfMemory {
  /** By any engine's words: an image may run another one than the spec says. */
  private static final Pattern KV_CACHE_TOO_SMALL =
      any(commands().map(ServerCommand::kvCacheTooSmall));

  /** PyTorch, CUDA and HIP; and engines as they find that others use the GPU. */
  private static final Pattern GPU =
      any(
          Stream.concat(
              Stream.of("out ?of ?memory", "cudaErrorMemoryAllocation"),
              commands().flatMap(command -> command.gpuTooSmall().stream())));

  private OutOfMemory() {}

  private static Stream<ServerCommand> commands() {
    return ServerCommand.engines().stream().map(ServerCommand::of);
  }

  private static Pattern any(Stream<String> expressions) {
    return Pattern.compile(expressions.collect(Collectors.joining("|")), Pattern.CASE_INSENSITIVE);
  }

  /** What to do about it; empty if memory was not what the server lacked. */
  static Optional<String> cure(ContainerStateTerminated end, InferenceBackendSpec spec) {
    EngineConfig set = ServerCommand.settingsOf(spec);
    String sequences = setting("spec.engineConfig.maxNumSeqs", set.maxNumSeqs());
    String length = setting("spec.engineConfig.maxModelLen", set.maxModelLen());
    String share = setting("spec.engineConfig.gpuMemoryUtilization", set.gpuMemoryUtilization());
    if ("OOMKilled".equals(end.getReason())) {
      return Optional.of(
          "the container needs more memory than it may have: raise %s, or lower %s or %s"
              .formatted(setting("spec.resources.memory", memory(spec)), sequences, length));
    }
    String log = Objects.requireNonNullElse(end.getMessage(), "");
    if (KV_CACHE_TOO_SMALL.matcher(log).find()) {
      return Optional.of(
          "the KV cache does not fit: lower " + length + ", raise " + share + more(spec));
    }
    if (GPU.matcher(log).find()) {
      return Optional.of(
          "the memory of the GPUs does not suffice: lower "
              + share
              + ", "
              + sequences
              + " or "
              + length
              + more(spec));
    }
    return Optional.empty();
  }

  private static String more(InferenceBackendSpec spec) {
    return spec.gpus() == null
        ? ""
        : ", or split the model over more GPUs: " + setting("spec.gpus.count", spec.gpus().count());
  }

  private static @Nullable Quantity memory(InferenceBackendSpec spec) {
    return spec.resources() == null ? null : spec.resources().get("memory");
  }

  private static String setting(String field, @Nullable Object value) {
    return field + (value == null ? " (unset)" : " (" + value + ")");
  }
}
