package dev.loadgen.operator;

import dev.loadgen.api.v1alpha1.Durations;
import dev.loadgen.operator.access.ExternalHosts;
import dev.loadgen.operator.desired.PodTemplateLevel;
import java.net.InetAddress;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What {@link Main} reads from environment variables. An empty variable is as good as none.
 *
 * @param healthPort {@value #HEALTH_PORT}; 8081 unless set
 * @param leaderElection {@value #LEADER_ELECTION}; false unless set
 * @param namespace {@value #NAMESPACE}: the operator's own, for the Lease of leader election
 */
record Environment(
    OperatorSettings settings, int healthPort, boolean leaderElection, @Nullable String namespace) {
  /** Namespaces to look after, separated by commas; all unless set. */
  static final String NAMESPACES = "LOADGEN_NAMESPACES";

  /** Image of runners, unless a run names one. */
  static final String RUNNER_IMAGE = "LOADGEN_RUNNER_IMAGE";

  /** How long images may be unavailable, such as {@code 2m}. */
  static final String IMAGE_GRACE = "LOADGEN_IMAGE_GRACE";

  /** How long a runner may take to start, such as {@code 10m}. */
  static final String RUNNER_START_TIMEOUT = "LOADGEN_RUNNER_START_TIMEOUT";

  /** How long ended Jobs are kept, such as {@code 24h}. */
  static final String KEEP_JOBS = "LOADGEN_KEEP_JOBS";

  /** Servers of {@code spec.external} that may be asked, separated by commas: ExternalHosts. */
  static final String EXTERNAL_HOSTS = "LOADGEN_EXTERNAL_HOSTS";

  /** {@code Restricted} or {@code Any}: what pod templates of users may ask for. */
  static final String POD_TEMPLATES = "LOADGEN_POD_TEMPLATES";

  /** Address of the operator's own node. */
  static final String NODE_ADDRESS = "NODE_ADDRESS";

  /** Port of the health endpoints and the metrics. */
  static final String HEALTH_PORT = "LOADGEN_HEALTH_PORT";

  /** {@code true}: one of several operators leads. */
  static final String LEADER_ELECTION = "LOADGEN_LEADER_ELECTION";

  /** The operator's own namespace. */
  static final String NAMESPACE = "POD_NAMESPACE";

  private static final int DEFAULT_HEALTH_PORT = 8081;

  /**
   * Reads the variables.
   *
   * @throws IllegalArgumentException if one cannot be used; the message names it
   */
  static Environment of(Map<String, String> variables) {
    OperatorSettings defaults = OperatorSettings.defaults();
    OperatorSettings settings =
        new OperatorSettings(
            namespaces(variables),
            text(variables, RUNNER_IMAGE, defaults.runnerImage()),
            defaults.progressInterval(),
            defaults.waitInterval(),
            defaults.healthInterval(),
            defaults.healthTimeout(),
            duration(variables, IMAGE_GRACE, defaults.imageGrace()),
            duration(variables, RUNNER_START_TIMEOUT, defaults.runnerStartTimeout()),
            duration(variables, KEEP_JOBS, defaults.keepJobs()),
            externalHosts(variables, defaults.externalHosts()),
            podTemplates(variables, defaults.podTemplates()),
            nodeAddress(variables),
            defaults.clock());
    boolean leaderElection = flag(variables);
    String namespace = variables.get(NAMESPACE);
    if (leaderElection && (namespace == null || namespace.isBlank())) {
      throw new IllegalArgumentException(
          LEADER_ELECTION + " needs " + NAMESPACE + ", the namespace of the operator itself");
    }
    return new Environment(settings, port(variables), leaderElection, namespace);
  }

  private static Set<String> namespaces(Map<String, String> variables) {
    return Set.copyOf(list(variables, NAMESPACES));
  }

  private static ExternalHosts externalHosts(
      Map<String, String> variables, ExternalHosts otherwise) {
    List<String> entries = list(variables, EXTERNAL_HOSTS);
    return entries.isEmpty() ? otherwise : ExternalHosts.of(EXTERNAL_HOSTS, entries);
  }

  private static PodTemplateLevel podTemplates(
      Map<String, String> variables, PodTemplateLevel otherwise) {
    String level = text(variables, POD_TEMPLATES, otherwise.name());
    return Arrays.stream(PodTemplateLevel.values())
        .filter(known -> known.name().equals(level))
        .findFirst()
        .orElseThrow(
            () ->
                new IllegalArgumentException(
                    POD_TEMPLATES + ": must be Restricted or Any, not " + level));
  }

  private static @Nullable String nodeAddress(Map<String, String> variables) {
    String address = text(variables, NODE_ADDRESS, "");
    try {
      return address.isEmpty() ? null : InetAddress.ofLiteral(address).getHostAddress();
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException(NODE_ADDRESS + ": " + address + " is no address", e);
    }
  }

  private static List<String> list(Map<String, String> variables, String name) {
    return Arrays.stream(text(variables, name, "").split(",", -1))
        .map(String::strip)
        .filter(entry -> !entry.isEmpty())
        .distinct()
        .toList();
  }

  private static int port(Map<String, String> variables) {
    String port = text(variables, HEALTH_PORT, String.valueOf(DEFAULT_HEALTH_PORT));
    try {
      int number = Integer.parseInt(port);
      if (number >= 0 && number <= 65535) {
        return number;
      }
    } catch (NumberFormatException notANumber) {
      throw new IllegalArgumentException(HEALTH_PORT + ": " + port + " is no port", notANumber);
    }
    throw new IllegalArgumentException(HEALTH_PORT + ": " + port + " is no port");
  }

  private static boolean flag(Map<String, String> variables) {
    String value = text(variables, LEADER_ELECTION, "false");
    return switch (value) {
      case "true" -> true;
      case "false" -> false;
      default ->
          throw new IllegalArgumentException(
              LEADER_ELECTION + ": must be true or false, not " + value);
    };
  }

  private static Duration duration(Map<String, String> variables, String name, Duration otherwise) {
    String value = text(variables, name, "");
    return value.isEmpty() ? otherwise : Durations.parse(name, value);
  }

  private static String text(Map<String, String> variables, String name, String otherwise) {
    String value = variables.get(name);
    return value == null || value.isBlank() ? otherwise : value.strip();
  }
}
