package dev.loadgen.desired;

import dev.loadgen.api.v1alpha1.BenchmarkRun;
import dev.loadgen.api.v1alpha1.BenchmarkRunStatus;
import dev.loadgen.api.v1alpha1.Phase;
import io.fabric8.kubernetes.api.model.HasMetadata;
import java.time.Instant;
import java.util.Map;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Which start of its test a run is at. The status counts them, before anything of the next one is
 * made; plan, Job and pod carry the number as a label.
 */
public final class Epochs {
  private static final int FIRST = 1;
  private static final int NONE = 0;
  private static final Pattern NUMBER = Pattern.compile("[1-9][0-9]{0,8}");

  private Epochs() {}

  /** The run's epoch. */
  public static int current(BenchmarkRun run) {
    BenchmarkRunStatus status = run.getStatus();
    return status == null || status.epoch() == null ? FIRST : status.epoch();
  }

  /**
   * The epoch that an object of a run was made in: the first if it has no label, and 0, which no
   * run is at, if somebody else has written another word there.
   */
  public static int of(HasMetadata object) {
    Map<String, String> labels = object.getMetadata().getLabels();
    String epoch = labels == null ? null : labels.get(Labels.EPOCH);
    return epoch == null ? FIRST : NUMBER.matcher(epoch).matches() ? Integer.parseInt(epoch) : NONE;
  }

  /** The value of the annotation that asks for a re-run; null: it is not there. */
  public static @Nullable String rerun(BenchmarkRun run) {
    Map<String, String> annotations = run.getMetadata().getAnnotations();
    return annotations == null ? null : annotations.get(BenchmarkRun.RERUN);
  }

  /**
   * Whether a re-run is asked for. A value that a run is made with asks for nothing, and neither
   * does its removal.
   */
  public static boolean rerunAsked(BenchmarkRun run) {
    String asked = rerun(run);
    return asked != null && run.getStatus() != null && !asked.equals(run.getStatus().rerun());
  }

  /**
   * Since when the run stands in line for its backend. {@link Instant#MAX}: it does from now on,
   * after a suspension or a plan.
   */
  public static Instant inLineSince(BenchmarkRun run) {
    BenchmarkRunStatus status = run.getStatus();
    if (status != null && (status.phase() == Phase.Suspended || status.phase() == Phase.Planned)) {
      return Instant.MAX;
    }
    return Instant.parse(
        status == null || status.queuedTime() == null
            ? run.getMetadata().getCreationTimestamp()
            : status.queuedTime());
  }
}
