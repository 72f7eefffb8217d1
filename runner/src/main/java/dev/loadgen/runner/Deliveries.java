package dev.loadgen.runner;

import dev.loadgen.client.transport.Access;
import dev.loadgen.contract.Provenance;
import dev.loadgen.contract.RunPlan;
import dev.loadgen.contract.RunnerInterface;
import dev.loadgen.contract.ServerLogs;
import dev.loadgen.results.report.StoredProvenance;
import dev.loadgen.runner.logs.ServerLogInbox;
import dev.loadgen.runner.provenance.ProvenanceInbox;
import java.time.Duration;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What the operator sends to the runner: more time, the servers' logs, and what it sees of servers
 * and runner when the test has ended. Nothing of it fails a test.
 */
final class Deliveries {
  private static final Logger LOG = LoggerFactory.getLogger(Deliveries.class);

  /** How long the servers' logs may not move: an operator is restarted in less. */
  private static final Duration SENDER_PATIENCE = Duration.ofSeconds(30);

  /**
   * The same where a verdict rests on what the operator sees at the end: long enough for another
   * one to take over, and to be started on another node.
   */
  private static final Duration OPERATOR_PATIENCE = Duration.ofSeconds(60);

  private final TestContext context;
  private final ProvenanceInbox provenance;
  private volatile @Nullable ServerLogInbox logs;
  private volatile @Nullable String missingLogs;

  Deliveries(TestContext context) {
    this.context = context;
    this.provenance = new ProvenanceInbox(ServerLogs.token(context.plan().run()));
  }

  /** Nothing can be sent to a runner that does not listen. */
  void refuse() {
    missingLogs =
        wantsLogs() ? "not delivered: the runner has no " + RunnerInterface.LISTEN_OPTION : null;
  }

  /**
   * Takes what comes to a server.
   *
   * @param secrets which are taken out of logs
   */
  void acceptAt(ProgressServer server, Access secrets) {
    String token = ServerLogs.token(context.plan().run());
    server.serve(RunnerInterface.DEADLINE_PATH, new DeadlineHandler(token, context.time()));
    server.serve(RunnerInterface.PROVENANCE_PATH, provenance);
    if (wantsLogs() || isAttested()) {
      ServerLogInbox inbox =
          new ServerLogInbox(
              wantsLogs()
                  ? context.plan().server().replicas().stream()
                      .map(RunPlan.Replica::name)
                      .collect(Collectors.toSet())
                  : Set.of(),
              token,
              context.folder().path(),
              secrets::redact,
              ServerLogInbox.LIMIT,
              System::nanoTime);
      server.serve(RunnerInterface.SERVER_LOGS_PATH, inbox);
      logs = inbox;
    }
  }

  private boolean wantsLogs() {
    return Boolean.TRUE.equals(context.plan().server().logs());
  }

  /** Whether the operator looks at servers and runner, before the test and after. */
  private boolean isAttested() {
    return context.plan().server().provenance() != null;
  }

  /**
   * Waits for the servers' logs and for what the operator sees, if somebody sends them. It ends
   * early by {@link #stop}, and by an interruption.
   *
   * @param most how long it may take
   */
  void collect(Duration most) {
    ServerLogInbox inbox = logs;
    if (inbox == null) {
      return;
    }
    inbox.open();
    context.progress().enter(Stage.CollectingServerLogs);
    LOG.info(
        "waiting for {}",
        wantsLogs() ? "the servers' logs" : "the operator to look at what was measured");
    String missing = inbox.await(isAttested() ? OPERATOR_PATIENCE : SENDER_PATIENCE, most);
    // Files cannot be written by a thread that is interrupted.
    Thread.interrupted();
    Provenance seen = provenance.close();
    if (seen != null) {
      context.environment().put(StoredProvenance.ENDED, seen);
    }
    if (missing != null) {
      LOG.warn("server logs: {}", missing);
    }
    missingLogs = wantsLogs() ? missing : null;
  }

  /** Ends {@link #collect} now. Any thread. */
  void stop() {
    ServerLogInbox inbox = logs;
    if (inbox != null) {
      inbox.close();
    }
  }

  /** Which of the servers' logs are missing, and why; null: none. */
  @Nullable String missingLogs() {
    return missingLogs;
  }
}
