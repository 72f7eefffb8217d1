package dev.loadgen.desired;

import dev.loadgen.api.v1alpha1.NameRules;
import java.util.regex.Pattern;

/** Names of the objects that the operator makes. */
public final class Names {
  /** A name that a label can have, as that of a LocalQueue has to. */
  public static final Pattern QUEUE = Pattern.compile("(?=.{1,63}$)[a-z0-9]([-.a-z0-9]*[a-z0-9])?");

  /** What {@link #QUEUE} is in words. */
  public static final String QUEUE_WORDS =
      "must be the name of a LocalQueue: at most 63 lower-case letters, digits, dots and dashes";

  private static final Pattern DNS_LABEL = Pattern.compile(NameRules.HOST_NAME);

  private Names() {}

  /** Whether a name can be a host name, as a backend's becomes one. */
  public static boolean isDnsLabel(String name) {
    return DNS_LABEL.matcher(name).matches();
  }

  /** The Job that runs LoadGen. */
  public static String runnerJob(String run) {
    return run + "-runner";
  }

  /** The Job that reads what a runner has left. */
  public static String readerJob(String run) {
    return run + "-reader";
  }

  /** The ConfigMap with the plan. */
  public static String plan(String run) {
    return run + "-plan";
  }

  /** The claim that is made for results. */
  public static String resultsClaim(String run) {
    return run + "-results";
  }

  /** The Lease by which a run has a backend. */
  public static String lease(String backend) {
    return "loadgen-" + backend;
  }

  /**
   * One server's pod, which is also its host name and its name in results. Where a server spans
   * nodes, its other pods are {@link #server} of this name and 1, 2 and so on.
   */
  public static String server(String backend, int ordinal) {
    return backend + "-" + ordinal;
  }
}
