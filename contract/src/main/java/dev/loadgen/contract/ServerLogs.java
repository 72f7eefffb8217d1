package dev.loadgen.contract;

import java.util.Arrays;
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

  private ServerLogs() {}

  /**
   * The bearer token of a run: its id, which only those can know who may read the run, and which no
   * other start of any run has.
   */
  public static String token(RunPlan.Run run) {
    return run.id();
  }

  /** Which part of what a container has logged. */
  public enum Part {
    /** What it logged since the run has its servers. */
    PRESENT(""),
    /** The same before its last restart. */
    PREVIOUS("previous"),
    /** The first lines of one that had started before, with which an engine says how it runs. */
    BEGINNING("beginning");

    private final String word;

    Part(String word) {
      this.word = word;
    }
  }

  /**
   * A log.
   *
   * @param pod name of the pod: that of the replica, and where a replica spans nodes also that name
   *     with a dash and a number
   * @param container name of the container in it
   */
  public record Source(String pod, String container, Part part) {
    /** The log of a container as it runs, or of the same container before its last restart. */
    public Source(String pod, String container, boolean previous) {
      this(pod, container, previous ? Part.PREVIOUS : Part.PRESENT);
    }

    /** Whether it is of the container before its last restart. */
    public boolean previous() {
      return part == Part.PREVIOUS;
    }

    /** Whether the pod is that of a replica, or another one of it. */
    public boolean isOf(String replica) {
      return pod.equals(replica)
          || (pod.startsWith(replica + "-")
              && OTHER_POD.matcher(pod.substring(replica.length() + 1)).matches());
    }

    /** Its path below {@link RunnerInterface#SERVER_LOGS_PATH}, without a slash at either end. */
    public String path() {
      return pod + "/" + container + (part.word.isEmpty() ? "" : "/" + part.word);
    }

    /** The file in the results folder; no two logs of a backend's servers have the same. */
    public String file() {
      return "server/"
          + pod
          + "."
          + container
          + (part.word.isEmpty() ? "" : "." + part.word)
          + ".log.gz";
    }

    /** The source of a path; empty if it is none. */
    public static Optional<Source> ofPath(String path) {
      String[] parts = path.split("/", -1);
      String word =
          parts.length == 2 ? "" : parts.length == 3 && !parts[2].isEmpty() ? parts[2] : "?";
      return Arrays.stream(Part.values())
          .filter(part -> part.word.equals(word))
          .filter(
              part ->
                  parts[0].length() <= LONGEST_POD
                      && POD.matcher(parts[0]).matches()
                      && CONTAINER.matcher(parts[1]).matches())
          .findFirst()
          .map(part -> new Source(parts[0], parts[1], part));
    }
  }

  /** The logs that the runner has in full, by their {@link Source#path paths}. */
  public record Kept(List<String> paths) {}

  /** The end of the delivery, with what could not be delivered: each names the log and says why. */
  public record End(List<String> problems) {}
}
