package dev.loadgen.operator.backend;

import dev.loadgen.api.v1alpha1.BackendPhase;
import dev.loadgen.api.v1alpha1.InferenceBackend;
import dev.loadgen.api.v1alpha1.InferenceBackendStatus.Endpoint;
import dev.loadgen.desired.Endpoints;
import dev.loadgen.desired.ServerWorkloads;
import dev.loadgen.operator.backend.BackendObservation.HealthCheck;
import dev.loadgen.operator.settings.OperatorSettings;
import dev.loadgen.reconcile.access.ServerAccess;
import dev.loadgen.reconcile.background.BackgroundAnswers;
import dev.loadgen.reconcile.background.FairExecutor;
import io.javaoperatorsdk.operator.processing.event.source.EventSource;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** The health of external servers, which are asked for it beside the passes. */
final class HealthChecks implements AutoCloseable {
  private final OperatorSettings settings;
  private final Predicate<InetAddress> ofANode;
  private final String apiServer;
  private final HealthProbe probe;
  private final BackgroundAnswers<InferenceBackend, HealthCheck> checks;

  /**
   * The checks of all backends.
   *
   * @param background on which servers are asked
   * @param ofANode whether an address is that of a node of the cluster
   * @param apiServer host of the API server
   */
  HealthChecks(
      OperatorSettings settings,
      FairExecutor background,
      Predicate<InetAddress> ofANode,
      String apiServer) {
    this.settings = settings;
    this.ofANode = ofANode;
    this.apiServer = apiServer;
    this.checks =
        new BackgroundAnswers<>(
            "backend-health", background, settings.clock(), HealthCheck::healthy);
    this.probe =
        new HealthProbe(settings.externalHosts(), this::reserved, settings.healthTimeout());
  }

  /** What wakes backends, for JOSDK to start. */
  EventSource<?, InferenceBackend> eventSource() {
    return checks;
  }

  /** A fault of the operator in asking a backend's servers; empty: none. */
  Optional<Throwable> fault(InferenceBackend backend) {
    return checks.fault(backend);
  }

  /** What an address is that is the cluster's own, and no server's of a user. */
  private @Nullable String reserved(InetAddress address) {
    if ((settings.nodeAddress() != null
            && InetAddress.ofLiteral(settings.nodeAddress()).equals(address))
        || ofANode.test(address)) {
      return "the address of a node";
    }
    try {
      if (NetworkInterface.getByInetAddress(address) != null) {
        return "an address of the operator itself";
      }
      return List.of(InetAddress.getAllByName(apiServer)).contains(address)
          ? "the address of the API server"
          : null;
    } catch (SocketException | UnknownHostException e) {
      // The API server is unknown at this moment: nothing would be found out but by asking it.
      throw new IllegalStateException("the own addresses and the API server's are not known", e);
    }
  }

  /**
   * The last checks of a backend's servers, in the order of its endpoints; null: not all of them
   * have been asked yet.
   */
  @Nullable List<HealthCheck> latest(BackendState state, ServerAccess letIn) {
    InferenceBackend backend = state.backend();
    List<HealthCheck> found = new ArrayList<>();
    Set<String> urls = new HashSet<>();
    boolean all = true;
    for (Endpoint server : servers(state)) {
      urls.add(server.url());
      String healthPath = ServerWorkloads.healthPath(backend.getSpec());
      Optional<HealthCheck> last =
          checks
              .latest(
                  backend,
                  server.url(),
                  // What else a Secret holds by now is seen by the next check.
                  Optional.ofNullable(backend.getSpec().access()),
                  answer -> interval(state, answer),
                  () -> probe.check(server.url(), healthPath, letIn))
              .map(BackgroundAnswers.Answer::value);
      last.ifPresent(found::add);
      all &= last.isPresent();
    }
    checks.keepOnly(backend, urls);
    return all ? found : null;
  }

  private static List<Endpoint> servers(BackendState state) {
    return state.valid() && state.backend().getSpec().external() != null
        ? Endpoints.of(state.backend())
        : List.of();
  }

  /**
   * How long a check is new enough. A server that does not answer, but has just been healthy, is
   * asked often; one that has not for long, ever more seldom.
   */
  private Duration interval(BackendState state, BackgroundAnswers.Answer<HealthCheck> last) {
    Duration asked = ServerWorkloads.heartbeatInterval(state.backend().getSpec());
    boolean available = state.lastPhase() == BackendPhase.Available;
    return last.failures() == 0
        ? asked == null ? settings.healthInterval() : asked
        : available ? settings.progressInterval() : last.backOff(settings.progressInterval());
  }

  /**
   * How long until an external server is to be asked. One that is being asked wakes its backend if
   * it has news.
   */
  Duration untilNext(BackendState state) {
    return servers(state).stream()
        .map(
            server ->
                checks
                    .untilOld(state.backend(), server.url(), answer -> interval(state, answer))
                    .orElse(settings.waitInterval()))
        .min(Comparator.naturalOrder())
        .orElse(settings.healthInterval());
  }

  /** Ends what servers are asked by. */
  @Override
  public void close() {
    probe.close();
  }
}
