package dev.loadgen.operator;

import dev.loadgen.contract.Durations;
import dev.loadgen.contract.Engine;
import dev.loadgen.desired.PodDefaults;
import dev.loadgen.desired.PodTemplateLevel;
import dev.loadgen.operator.settings.OperatorSettings;
import dev.loadgen.reconcile.access.ExternalHosts;
import java.net.InetAddress;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * What {@link Main} reads from environment variables. An empty variable is as good as none.
 *
 * @param healthPort {@value #HEALTH_PORT}; 8081 unless set
 * @param leaderElection {@value #LEADER_ELECTION}; false unless set
 * @param namespace {@value #NAMESPACE}: the operator's own, for the Lease of leader election
 * @param logFormat {@value #LOG_FORMAT}; {@code text} unless set
 */
record Environment(
    OperatorSettings settings,
    int healthPort,
    boolean leaderElection,
    @Nullable String namespace,
    String logFormat) {
  /** Namespaces to look after, separated by commas; all unless set. */
  static final String NAMESPACES = "LOADGEN_NAMESPACES";

  /** Image of runners, unless a run names one. */
  static final String RUNNER_IMAGE = "LOADGEN_RUNNER_IMAGE";

  /** Secrets by which servers and runners pull images, each in its namespace, with commas. */
  static final String IMAGE_PULL_SECRETS = "LOADGEN_IMAGE_PULL_SECRETS";

  /** User of servers and runners, a number, or {@value #NO_USER}: the namespace gives it. */
  static final String POD_USER = "LOADGEN_POD_USER";

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

  /** Leaves the user of pods to others. */
  static final String NO_USER = "none";

  /** {@code text} or {@code json}: the lines of the log. */
  static final String LOG_FORMAT = "LOADGEN_LOG_FORMAT";

  private static final String TEXT = "text";
  private static final Set<String> LOG_FORMATS = Set.of(TEXT, "json");

  private static final int DEFAULT_HEALTH_PORT = 8081;

  /** The greatest user that Kubernetes admits. */
  private static final long MOST_USER = Integer.MAX_VALUE;

  /** Registry and path, and a tag or a digest or both or neither. */
  private static final Pattern IMAGE =
      Pattern.compile(
          "[A-Za-z0-9][A-Za-z0-9.-]*(:[0-9]{1,5})?(/[a-z0-9]+([._-]+[a-z0-9]+)*)*"
              + "(:[A-Za-z0-9_][A-Za-z0-9_.-]{0,127})?(@[a-z0-9]+:[a-f0-9]{32,128})?");

  private static final Pattern OBJECT_NAME =
      Pattern.compile("(?=.{1,253}$)[a-z0-9]([-a-z0-9.]*[a-z0-9])?");

  /**
   * Reads the variables.
   *
   * @throws IllegalArgumentException if one cannot be used; the message names it
   */
  static Environment of(Map<String, String> variables) {
    OperatorSettings defaults = OperatorSettings.defaults();
    OperatorSettings settings =
        defaults
            .with()
            .namespaces(namespaces(variables))
            .runnerImage(image(variables, RUNNER_IMAGE, defaults.runnerImage()))
            .imageGrace(duration(variables, IMAGE_GRACE, defaults.imageGrace()))
            .runnerStartTimeout(
                duration(variables, RUNNER_START_TIMEOUT, defaults.runnerStartTimeout()))
            .keepJobs(duration(variables, KEEP_JOBS, defaults.keepJobs()))
            .externalHosts(externalHosts(variables, defaults.externalHosts()))
            .podTemplates(podTemplates(variables, defaults.podTemplates()))
            .pods(pods(variables, defaults.pods()))
            .nodeAddress(nodeAddress(variables))
            .build();
    boolean leaderElection = flag(variables);
    String namespace = variables.get(NAMESPACE);
    if (leaderElection && (namespace == null || namespace.isBlank())) {
      throw new IllegalArgumentException(
          LEADER_ELECTION + " needs " + NAMESPACE + ", the namespace of the operator itself");
    }
    return new Environment(
        settings, port(variables), leaderElection, namespace, logFormat(variables));
  }

  private static String logFormat(Map<String, String> variables) {
    String format = text(variables, LOG_FORMAT, TEXT);
    if (!LOG_FORMATS.contains(format)) {
      throw new IllegalArgumentException(LOG_FORMAT + ": must be text or json, not " + format);
    }
    return format;
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

  /** Image of an engine's servers, unless a backend names one: {@code LOADGEN_VLLM_IMAGE}. */
  static String imageOf(Engine engine) {
    return "LOADGEN_" + engine.name().toUpperCase(Locale.ROOT) + "_IMAGE";
  }

  private static PodDefaults pods(Map<String, String> variables, PodDefaults otherwise) {
    Map<Engine, String> images = new TreeMap<>(otherwise.engineImages());
    images.replaceAll((engine, own) -> image(variables, imageOf(engine), own));
    List<String> secrets = list(variables, IMAGE_PULL_SECRETS);
    for (String secret : secrets) {
      if (!OBJECT_NAME.matcher(secret).matches()) {
        throw new IllegalArgumentException(
            IMAGE_PULL_SECRETS
                + ": "
                + secret
                + " is not a valid Secret name; give lower case letters, digits, dots and dashes,"
                + " and"
                + " commas between names");
      }
    }
    return new PodDefaults(images, secrets, podUser(variables, otherwise.user()));
  }

  private static String image(Map<String, String> variables, String name, String otherwise) {
    String image = text(variables, name, otherwise);
    if (!IMAGE.matcher(image).matches()) {
      throw new IllegalArgumentException(
          name
              + ": "
              + image
              + " is not a valid image name; give one like"
              + " registry.example/path:tag");
    }
    return image;
  }

  private static @Nullable Long podUser(Map<String, String> variables, @Nullable Long otherwise) {
    String user = text(variables, POD_USER, "");
    if (user.isEmpty()) {
      return otherwise;
    }
    if (user.equals(NO_USER)) {
      return null;
    }
    try {
      long number = Long.parseLong(user);
      if (number >= 1 && number <= MOST_USER) {
        return number;
      }
    } catch (NumberFormatException notANumber) {
      throw new IllegalArgumentException(noUser(user), notANumber);
    }
    throw new IllegalArgumentException(noUser(user));
  }

  private static String noUser(String user) {
    return "%s: must be 1 to %d, or %s where the namespace gives pods their user, not %s"
        .formatted(POD_USER, MOST_USER, NO_USER, user);
  }

  private static @Nullable String nodeAddress(Map<String, String> variables) {
    String address = text(variables, NODE_ADDRESS, "");
    try {
      return address.isEmpty() ? null : InetAddress.ofLiteral(address).getHostAddress();
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException(
          NODE_ADDRESS + ": " + address + " is not a valid IP address", e);
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
      throw new IllegalArgumentException(
          HEALTH_PORT + ": " + port + " is not a valid port", notANumber);
    }
    throw new IllegalArgumentException(HEALTH_PORT + ": " + port + " is not a valid port");
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
