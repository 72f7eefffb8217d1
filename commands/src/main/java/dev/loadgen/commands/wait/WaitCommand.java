package dev.loadgen.commands.wait;

import dev.loadgen.contract.Durations;
import java.io.PrintWriter;
import java.nio.charset.Charset;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code loadgen wait}: waits in a cluster until runs have ended. */
@Command(
    name = "wait",
    sortOptions = false,
    usageHelpAutoWidth = true,
    mixinStandardHelpOptions = true,
    description = {
      "Wait until runs of a cluster have ended, show progress, print the results.",
      "It asks the cluster of a kubeconfig, or in a pod that of the service account.",
      "Of several runs the worst exit status counts: 1 before 3 before 4 before 0."
    },
    exitCodeListHeading = "Exit status:%n",
    exitCodeList = {
      "0:every run has the verdict Valid",
      "1:a verdict is Invalid, or a run failed or was deleted",
      "2:a run does not exist, there is no cluster, or no right to read its runs",
      "3:--timeout passed; the runs go on",
      "4:a verdict is Inconclusive",
      "130:interrupted; the runs go on"
    })
public final class WaitCommand implements Callable<Integer> {
  private static final Pattern REFERENCE =
      Pattern.compile(
          "(?:(?:br|benchmarkruns?)(?:\\.loadgen\\.dev)?/)?([a-z0-9](?:[-.a-z0-9]{0,251}[a-z0-9])?)");

  private static final Pattern NAMESPACE = Pattern.compile("[a-z0-9](?:[-a-z0-9]{0,61}[a-z0-9])?");

  private final PrintWriter out;
  private final PrintWriter err;
  private final boolean terminal;
  private final Clusters clusters;

  @Parameters(
      arity = "1..*",
      paramLabel = "br/NAME",
      description = "The runs. Waiting ends when all of them have ended.")
  private List<String> runs = List.of();

  @Option(
      names = {"-n", "--namespace"},
      paramLabel = "NAMESPACE",
      description =
          "Where the runs are. Default: that of the context, or in a pod that of the pod.")
  private @Nullable String namespace;

  @Option(
      names = "--context",
      paramLabel = "CONTEXT",
      description = "The context of the kubeconfig. Default: its current one.")
  private @Nullable String context;

  @Option(
      names = "--kubeconfig",
      paramLabel = "FILE",
      description =
          "The kubeconfig. Default: KUBECONFIG, then ~/.kube/config, then the pod's service"
              + " account.")
  private @Nullable Path kubeconfig;

  @Option(
      names = "--timeout",
      paramLabel = "TIME",
      description = "How long to wait for all runs together, such as 90s or 6h. Default: 2h.")
  private String timeout = "2h";

  /**
   * A command.
   *
   * @param terminal whether {@code out} is a terminal on which lines can be redrawn
   */
  public WaitCommand(PrintWriter out, PrintWriter err, boolean terminal, Clusters clusters) {
    this.out = out;
    this.err = err;
    this.terminal = terminal;
    this.clusters = clusters;
  }

  /** The command in the runner's image, whose cluster is the one that it runs in. */
  public static WaitCommand inPod() {
    Charset charset = System.out.charset();
    return new WaitCommand(
        new PrintWriter(System.out, true, charset),
        new PrintWriter(System.err, true, charset),
        false,
        (namespace, context, kubeconfig) ->
            ServiceAccount.open(
                System.getenv(), ServiceAccount.FOLDER, namespace, context, kubeconfig));
  }

  @Override
  public Integer call() throws InterruptedException {
    List<String> problems = new ArrayList<>();
    List<String> names = names(problems);
    if (namespace != null && !NAMESPACE.matcher(namespace).matches()) {
      problems.add("-n: \"" + namespace + "\" is not a valid namespace name");
    }
    Duration deadline = Duration.ZERO;
    try {
      deadline = Durations.parse("--timeout", timeout);
    } catch (IllegalArgumentException e) {
      problems.add(String.valueOf(e.getMessage()));
    }
    if (!problems.isEmpty()) {
      return unusable(problems);
    }
    try (RunReader reader = clusters.open(namespace, context, kubeconfig)) {
      return new Waiting(reader, Time.real(), terminal, out, err).run(names, deadline);
    } catch (NoClusterException e) {
      return unusable(List.of(String.valueOf(e.getMessage())));
    }
  }

  private List<String> names(List<String> problems) {
    List<String> names = new ArrayList<>();
    for (String run : runs) {
      Matcher reference = REFERENCE.matcher(run);
      if (reference.matches()) {
        names.add(reference.group(1));
      } else {
        problems.add("\"" + run + "\" does not name a run; write br/NAME");
      }
    }
    return names.stream().distinct().toList();
  }

  private int unusable(List<String> problems) {
    problems.forEach(problem -> err.println("loadgen: " + problem));
    err.flush();
    return Waiting.UNUSABLE;
  }
}
