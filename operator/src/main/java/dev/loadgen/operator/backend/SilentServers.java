package dev.loadgen.operator.backend;

import dev.loadgen.api.v1alpha1.InferenceBackend;
import dev.loadgen.desired.ServerWorkloads;
import dev.loadgen.reconcile.access.AccessReader;
import dev.loadgen.reconcile.access.ServerAccess;
import dev.loadgen.reconcile.background.BackgroundAnswers;
import dev.loadgen.reconcile.background.FairExecutor;
import dev.loadgen.reconcile.logs.PodLogs;
import dev.loadgen.reconcile.status.PodReport;
import io.javaoperatorsdk.operator.processing.event.source.EventSource;
import java.time.Clock;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The newest lines of servers that hang, which leave no end of a container that would carry them. A
 * log is read beside the passes, once for each time that its server falls silent.
 */
final class SilentServers {
  private static final Logger log = LoggerFactory.getLogger(SilentServers.class);
  private static final Duration FOR_EVER = Duration.ofDays(3_650);

  /** A log that could not be read is asked for again after this time. */
  private static final Duration UNREADABLE_LOG = Duration.ofSeconds(60);

  private final PodLogs logs;
  private final AccessReader access;
  private final BackgroundAnswers<InferenceBackend, Optional<String>> tails;

  SilentServers(PodLogs logs, AccessReader access, FairExecutor background, Clock clock) {
    this.logs = logs;
    this.access = access;
    this.tails = new BackgroundAnswers<>("backend-logs", background, clock, Optional::isPresent);
  }

  /** What wakes backends, for JOSDK to start. */
  EventSource<?, InferenceBackend> eventSource() {
    return tails;
  }

  /** A fault of the operator in reading logs of a backend; empty: none. */
  Optional<Throwable> fault(InferenceBackend backend) {
    return tails.fault(backend);
  }

  /** The last lines of those servers that are silent, as far as they are known, by their names. */
  Map<String, String> logTails(InferenceBackend backend, List<PodReport> servers) {
    Map<String, String> known = new HashMap<>();
    Set<String> silent = new HashSet<>();
    for (PodReport server : servers) {
      server
          .silentSince()
          .ifPresent(
              since -> {
                silent.add(server.name());
                tails
                    .latest(
                        backend,
                        server.name(),
                        List.of(server.pod().getMetadata().getUid(), since),
                        last -> last.value().isPresent() ? FOR_EVER : UNREADABLE_LOG,
                        () -> tail(backend, server))
                    .flatMap(BackgroundAnswers.Answer::value)
                    .ifPresent(tail -> known.put(server.name(), tail));
              });
    }
    tails.keepOnly(backend, silent);
    return known;
  }

  private Optional<String> tail(InferenceBackend backend, PodReport server) {
    try {
      String tail = logs.tail(server.pod(), ServerWorkloads.CONTAINER);
      return Optional.of(
          PodReport.tail(
              access.read(backend) instanceof AccessReader.Result.Found(ServerAccess found)
                  ? found.redact(tail)
                  : tail));
    } catch (PodLogs.UnreadableLogException e) {
      log.info("no log pod={} because={}", server.name(), e.getMessage());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    return Optional.empty();
  }
}
