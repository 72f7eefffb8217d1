package dev.loadgen.results;

import dev.loadgen.contract.ContractJson;
import dev.loadgen.contract.Excerpt;
import dev.loadgen.contract.RunResult;
import dev.loadgen.contract.RunSummary;
import dev.loadgen.contract.VerdictReason;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A summary in the bytes that Kubernetes keeps of it; the whole one is in the results folder. */
public final class TerminationMessage {
  private TerminationMessage() {}

  /**
   * The summary as JSON of at most {@link RunSummary#TERMINATION_MESSAGE_BYTES}; what people can
   * look up goes first.
   */
  public static String of(RunSummary summary) {
    String whole = ContractJson.write(summary.withoutDetails());
    if (fits(whole)) {
      return whole;
    }
    RunSummary without = withoutReplicas(summary.withoutDetails());
    String message = ContractJson.write(without);
    for (int length = 400; !fits(message) && length >= 50; length /= 2) {
      message = ContractJson.write(shortened(without, length));
    }
    for (int reasons = 8; !fits(message) && reasons >= 0; reasons--) {
      message = ContractJson.write(withReasons(shortened(without, 50), reasons));
    }
    return message;
  }

  /** Writes the file that Kubernetes reads a container's message from, whole or not at all. */
  public static void write(Path file, String message) throws IOException {
    byte[] bytes = message.getBytes(StandardCharsets.UTF_8);
    if (Files.exists(file)) {
      // Kubernetes mounts the file itself, so it cannot be replaced by another.
      Files.write(file, bytes);
      return;
    }
    Path written = file.resolveSibling("." + file.getFileName() + ".tmp");
    Files.write(written, bytes);
    Files.move(written, file, StandardCopyOption.ATOMIC_MOVE);
  }

  private static boolean fits(String message) {
    return message.getBytes(StandardCharsets.UTF_8).length <= RunSummary.TERMINATION_MESSAGE_BYTES;
  }

  private static RunSummary withoutReplicas(RunSummary summary) {
    RunResult result = summary.result();
    return result == null ? summary : summary.withResult(result.withReplicas(null));
  }

  private static RunSummary shortened(RunSummary s, int length) {
    RunSummary.Failure failure =
        s.failure() == null
            ? null
            // A failure's message is all that there is to say, so it gets more room than one reason
            // of many.
            : new RunSummary.Failure(
                s.failure().reason(), Excerpt.of(s.failure().message(), 4 * length));
    List<VerdictReason> reasons =
        s.verdictReasons().stream()
            .map(
                reason ->
                    new VerdictReason(
                        reason.rule(),
                        Excerpt.of(reason.message(), length),
                        Excerpt.of(reason.fix(), length)))
            .toList();
    return s.with()
        .failure(failure)
        .verdictReasons(reasons)
        .mlflow(shortened(s.mlflow(), length))
        .build();
  }

  private static RunSummary.@Nullable Export shortened(
      RunSummary.@Nullable Export export, int length) {
    return export == null || export.problem() == null
        ? export
        : new RunSummary.Export(export.url(), Excerpt.of(export.problem(), length));
  }

  private static RunSummary withReasons(RunSummary s, int reasons) {
    return s.withVerdictReasons(
        s.verdictReasons().subList(0, Math.min(reasons, s.verdictReasons().size())));
  }
}
