package dev.loadgen.operator.provenance;

import dev.loadgen.api.v1alpha1.BenchmarkRun;
import dev.loadgen.api.v1alpha1.InferenceBackend;
import dev.loadgen.contract.Excerpt;
import dev.loadgen.contract.Provenance;
import dev.loadgen.contract.Provenance.Runner;
import dev.loadgen.contract.Provenance.Servers;
import dev.loadgen.contract.RunnerInterface;
import dev.loadgen.desired.Labels;
import dev.loadgen.desired.RunnerObjects;
import dev.loadgen.desired.RunnerTemplates;
import dev.loadgen.operator.settings.OperatorSettings;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Looks at what a run measures, and by what. */
public final class Provenances {
  /** Of each list in a status, which etcd keeps and every watcher reads. */
  private static final int MOST_SERVERS = 64;

  private static final int MOST_KINDS = 8;
  private static final int MOST_ARGUMENTS = 128;
  private static final int LONGEST_ARGUMENT = 256;
  private static final int LONGEST_ARGUMENTS = 8_192;
  private static final int MOST_PROBLEMS = 8;
  private static final int LONGEST_PROBLEM = 500;

  private final KubernetesClient client;
  private final OperatorSettings settings;
  private final NodeLabels nodes;

  /** Looks by a client, for runs under these settings. */
  public Provenances(KubernetesClient client, OperatorSettings settings) {
    this.client = client;
    this.settings = settings;
    this.nodes = new NodeLabels(client, settings.clock());
  }

  /**
   * What a test is planned on.
   *
   * @param provenance as the plan has it
   * @param arguments of the servers, all of them, by which they were started; null: they are not
   *     ours, or differ
   * @param files to be kept with the results, by their names
   */
  public record Planned(
      Provenance provenance, @Nullable List<String> arguments, Map<String, String> files) {}

  /** Looks at the servers of a run that is about to start. */
  public Planned planned(BenchmarkRun run, InferenceBackend backend) {
    List<Pod> pods = servers(backend);
    ServerFacts servers = ServerFacts.of(backend, pods);
    Container runner = RunnerTemplates.container(run, settings.runnerImage(), settings.pods());
    return new Planned(
        new Provenance(
            backend.getMetadata().getGeneration(),
            null,
            servers.servers(nodes::of),
            new Runner(runner.getImage(), null, null),
            Stream.concat(
                    servers.problems().stream(),
                    RunnerFacts.problems(runner, settings.runnerImage()).stream())
                .toList()),
        servers.arguments(),
        Map.of(
            RunnerInterface.RUN_FILE,
            UserYaml.of(run),
            RunnerInterface.BACKEND_FILE,
            UserYaml.of(backend)));
  }

  /**
   * What there is now that the test has ended.
   *
   * @param backend null: it is there no more
   * @param runner the run's own pod
   */
  public Provenance ended(
      BenchmarkRun run, @Nullable InferenceBackend backend, List<Pod> servers, Pod runner) {
    if (backend == null) {
      return new Provenance(
          null,
          null,
          List.of(),
          runner(runner),
          Stream.concat(
                  Stream.of(
                      "the backend was deleted before the operator inspected it after the test;"
                          + " keep it until the run has ended"),
                  problems(run, runner).stream())
              .toList());
    }
    ServerFacts facts =
        ServerFacts.of(backend, backend.getSpec().external() == null ? servers : List.of());
    return new Provenance(
        backend.getMetadata().getGeneration(),
        null,
        facts.servers(nodes::of),
        runner(runner),
        Stream.concat(facts.problems().stream(), problems(run, runner).stream()).toList());
  }

  /** The runner as its pod has it. */
  public static Runner runner(Pod pod) {
    Container container = PodFacts.container(pod, RunnerObjects.CONTAINER);
    return new Runner(
        container == null ? null : container.getImage(),
        PodFacts.imageId(pod, RunnerObjects.CONTAINER),
        null);
  }

  /**
   * What of a run's runner is not as the operator makes it.
   *
   * @param pod null: it is gone, and the run's spec has to tell
   */
  public List<String> problems(BenchmarkRun run, @Nullable Pod pod) {
    Container container = pod == null ? null : PodFacts.container(pod, RunnerObjects.CONTAINER);
    return RunnerFacts.problems(
        container == null
            ? RunnerTemplates.container(run, settings.runnerImage(), settings.pods())
            : container,
        settings.runnerImage());
  }

  private List<Pod> servers(InferenceBackend backend) {
    return backend.getSpec().external() != null
        ? List.of()
        : client
            .pods()
            .inNamespace(backend.getMetadata().getNamespace())
            .withLabels(Labels.serverSelector(backend.getMetadata().getName()))
            .list()
            .getItems();
  }

  /** As much of it as a status can have; the results have all. */
  public static Provenance forStatus(Provenance all) {
    List<Servers> servers = new ArrayList<>();
    int left = MOST_SERVERS;
    for (Servers alike : all.serversOrNone()) {
      if (left > 0 && servers.size() < MOST_KINDS) {
        servers.add(
            new Servers(
                alike.image(),
                alike.imageId(),
                shortened(alike.command()),
                shortened(alike.args()),
                alike.gpus(),
                alike.pods().subList(0, Math.min(left, alike.pods().size()))));
        left -= alike.pods().size();
      }
    }
    List<String> problems =
        all.problemsOrNone().stream()
            .limit(MOST_PROBLEMS)
            .map(problem -> Excerpt.of(problem, LONGEST_PROBLEM))
            .toList();
    return new Provenance(
        all.backendGeneration(),
        all.engineVersion(),
        servers.isEmpty() ? null : servers,
        all.runner(),
        problems.isEmpty() ? null : problems);
  }

  /** The first of a long list, and at its end that there are more. */
  private static List<String> shortened(List<String> arguments) {
    List<String> kept = new ArrayList<>();
    int length = 0;
    for (String argument : arguments) {
      String one = Excerpt.of(argument, LONGEST_ARGUMENT);
      length += one.length();
      if (kept.size() == MOST_ARGUMENTS || length > LONGEST_ARGUMENTS) {
        kept.add("… " + (arguments.size() - kept.size()) + " more");
        break;
      }
      kept.add(one);
    }
    return kept;
  }
}
