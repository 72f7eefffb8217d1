package dev.loadgen.runner.provenance;

import dev.loadgen.client.ServerProbe;
import dev.loadgen.contract.Engine;
import dev.loadgen.contract.EngineFacts;
import dev.loadgen.runner.dispatch.Replica;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;

/** What the servers say of their own program, and whether they say the same after the test. */
public final class EngineAudit {
  private final ServerProbe probe;
  private final Engine engine;
  private final List<Replica> replicas;
  private volatile Map<String, EngineAccount> before = Map.of();
  private volatile List<String> changes = List.of();

  /** Of the servers of one test. */
  public EngineAudit(ServerProbe probe, Engine engine, List<Replica> replicas) {
    this.probe = probe;
    this.engine = engine;
    this.replicas = List.copyOf(replicas);
  }

  /** Asks the servers before the test. */
  public void begin() throws InterruptedException {
    before = ask();
  }

  /** Asks them again after it. */
  public void end() throws InterruptedException {
    List<String> found = new ArrayList<>();
    Map<String, EngineAccount> after = ask();
    before.forEach(
        (server, was) -> {
          EngineAccount is = after.getOrDefault(server, EngineAccount.SILENT);
          if (was.version() != null
              && is.version() != null
              && !was.version().equals(is.version())) {
            found.add(
                server
                    + " reports after the test that it is version "
                    + is.version()
                    + " of "
                    + engine
                    + ", and before it was "
                    + was.version());
          }
          if (!was.arguments().isEmpty() && !is.arguments().isEmpty()) {
            List<String> other = differing(was.arguments(), is.arguments());
            if (!other.isEmpty()) {
              found.add(
                  server
                      + " reports after the test that it runs with other arguments than before: "
                      + String.join(", ", other));
            }
          }
        });
    changes = List.copyOf(found);
  }

  private static List<String> differing(Map<String, String> was, Map<String, String> is) {
    Map<String, String> all = new TreeMap<>(was);
    all.putAll(is);
    return all.keySet().stream()
        .filter(name -> !Objects.equals(was.get(name), is.get(name)))
        .toList();
  }

  /** What servers say otherwise after the test. */
  public List<String> changes() {
    return changes;
  }

  /**
   * What the servers said before the test; what they do not say of their arguments is taken from
   * their logs.
   */
  public EngineFacts facts(Path folder) {
    Map<String, EngineAccount> all = new LinkedHashMap<>();
    before.forEach(
        (server, account) ->
            all.put(
                server,
                account.arguments().isEmpty()
                    ? account.with(EngineLog.arguments(folder, server))
                    : account));
    return condensed(all);
  }

  /** What all have in common, once; and the rest of each. */
  static EngineFacts condensed(Map<String, EngineAccount> accounts) {
    List<EngineAccount> telling =
        accounts.values().stream().filter(account -> !account.arguments().isEmpty()).toList();
    SortedMap<String, String> common = new TreeMap<>();
    if (!telling.isEmpty()) {
      common.putAll(telling.getFirst().arguments());
      telling.forEach(account -> common.entrySet().retainAll(account.arguments().entrySet()));
    }
    List<String> versions =
        accounts.values().stream()
            .map(EngineAccount::version)
            .filter(Objects::nonNull)
            .distinct()
            .toList();
    @Nullable String version = versions.size() == 1 ? versions.getFirst() : null;
    List<EngineFacts.Differing> differing = new ArrayList<>();
    List<String> silent = new ArrayList<>();
    accounts.forEach(
        (server, account) -> {
          SortedMap<String, String> own = new TreeMap<>(account.arguments());
          own.entrySet().removeAll(common.entrySet());
          String ownVersion = version == null ? account.version() : null;
          if (account.arguments().isEmpty()) {
            silent.add(server);
          }
          if (!own.isEmpty() || ownVersion != null) {
            differing.add(new EngineFacts.Differing(server, ownVersion, own));
          }
        });
    return new EngineFacts(version, common, differing, silent);
  }

  /** All at once: one that hangs holds up nobody but itself. */
  private Map<String, EngineAccount> ask() throws InterruptedException {
    Map<String, EngineAccount> accounts = new LinkedHashMap<>();
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      List<Future<EngineAccount>> answers =
          threads.invokeAll(
              replicas.stream()
                  .map(
                      replica ->
                          (java.util.concurrent.Callable<EngineAccount>)
                              () -> EngineAccount.ask(probe, engine, replica.url()))
                  .toList());
      for (int i = 0; i < answers.size(); i++) {
        Future<EngineAccount> answer = answers.get(i);
        accounts.put(
            replicas.get(i).name(),
            answer.state() == Future.State.SUCCESS ? answer.resultNow() : EngineAccount.SILENT);
      }
    }
    return accounts;
  }
}
