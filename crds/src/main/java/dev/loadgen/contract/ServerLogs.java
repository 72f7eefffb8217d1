package dev.loadgen.contract;

import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * How the servers' logs get to the runner, which keeps them with the results and has no right to
 * ask Kubernetes for them. In the stage {@link #STAGE} it takes, below {@link
 * RunnerInterface#SERVER_LOGS_PATH} and from whoever shows {@link #token}:
 *
 * <ul>
 *   <li>{@code GET}: answers with {@link Kept}
 *   <li>{@code PUT} of {@link Source#path}: a log. 201: it is kept; 409: it was kept before, or the
 *       stage is another; 404: no such pod is in the plan
 *   <li>{@code POST} of an {@link End}: nothing more comes
 * </ul>
 */
public final class ServerLogs {
  /** The stage of the runner's progress in which it takes logs. */
  public static final String STAGE = "CollectingServerLogs";

  /** Names of pods and containers as Kubernetes has them; no dot but inside, and no slash. */
  private static final Pattern POD =
      Pattern.compile("[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*");

  private static final Pattern CONTAINER = Pattern.compile("[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?");
  private static final Pattern OTHER_POD = Pattern.compile("[0-9]{1,5}");
  private static final int LONGEST_POD = 253;
  private static final String PREVIOUS = "previous";

  private ServerLogs() {}

  /**
   * The bearer token of a run: its id, which only those can know who may read the run, and which no
   * other start of any run has.
   */
  public static String token(RunPlan.Run run) {
    return run.id();
  }

  /**
   * A log: of a container as it runs, or of the same container before its last restart.
   *
   * @param pod name of the pod: that of the replica, and where a replica spans nodes also that name
   *     with a dash and a number
   * @param container name of the container in it
   */
  public record Source(String pod, String container, boolean previous) {
    /** Whether the pod is that of a replica, or another one of it. */
    public boolean isOf(String replica) {
      return pod.equals(replica)
          || (pod.startsWith(replica + "-")
              && OTHER_POD.matcher(pod.substring(replica.length() + 1)).matches());
    }

    /** Its path below {@link RunnerInterface#SERVER_LOGS_PATH}, without a slash at either end. */
    public String path() {
      return pod + "/" + container + (previous ? "/" + PREVIOUS : "");
    }

    /** The file in the results folder; no two logs of a backend's servers have the same. */
    public String file() {
      return "server/" + pod + "." + container + (previous ? "." + PREVIOUS : "") + ".log.gz";
    }

    /** The source of a path; empty if it is none. */
    public static Optional<Source> ofPath(String path) {
      String[] parts = path.split("/", -1);
      boolean previous = parts.length == 3 && parts[2].equals(PREVIOUS);
      return (parts.length == 2 || previous)
              && parts[0].length() <= LONGEST_POD
              && POD.matcher(parts[0]).matches()
              && CONTAINER.matcher(parts[1]).matches()
          ? Optional.of(new Source(parts[0], parts[1], previous))
          : Optional.empty();
    }
  }

  /** The logs that the runner has in full, by their {@link Source#path paths}. */
  public record Kept(List<String> paths) {}

  /** The end of the delivery, with what could not be delivered: each names the log and says why. */
  public record End(List<String> problems) {}
}
