package dev.loadgen.local.faults;

import dev.loadgen.operator.ApiJson;
import dev.loadgen.operator.LoadgenOperator;
import dev.loadgen.operator.settings.OperatorSettings;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.jdkhttp.JdkHttpClientFactory;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.AtomicInteger;
import org.awaitility.Awaitility;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * An operator in this JVM, from its start to its end. When it is killed, its line to the API server
 * is cut first; the rest of it is cleaned up later and can do no harm, since it reaches nothing.
 */
final class OperatorLife implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(OperatorLife.class);
  private static final AtomicInteger NUMBER = new AtomicInteger();

  /** Shorter than in a cluster, as tests are. */
  private static final Duration PROGRESS = Duration.ofMillis(100);

  private static final Duration WAIT = Duration.ofSeconds(1);

  /** One for all, since it learns each kind anew. */
  private static final KubernetesSerialization SERIALIZATION = ApiJson.serialization();

  static {
    // Threads of an operator that was killed end by exceptions, and Awaitility would have whatever
    // test waits at that moment fail by them.
    Awaitility.doNotCatchUncaughtExceptionsByDefault();
  }

  private final Line line;
  private final KubernetesClient client;
  private final CompletableFuture<LoadgenOperator> operator;

  private OperatorLife(
      Line line, KubernetesClient client, CompletableFuture<LoadgenOperator> operator) {
    this.line = line;
    this.client = client;
    this.operator = operator;
  }

  /**
   * How an operator's client takes what goes wrong.
   *
   * @param timeout how long it waits for an answer
   * @param retries how often it asks again, later each time
   */
  record Patience(Duration timeout, int retries) {
    /** It gives up at once, as it does after minutes in a cluster: the operator has to cope. */
    static final Patience NONE = new Patience(Duration.ofSeconds(2), 0);

    /** As in a cluster, but for the time that it waits for an answer, which is 10 s there. */
    static final Patience USUAL = new Patience(Duration.ofSeconds(2), 10);
  }

  /**
   * Begins to start an operator, and returns at once.
   *
   * @param namespaces that it looks after; empty: all
   */
  static OperatorLife begin(
      ScriptedCluster cluster, Set<String> namespaces, Patience patience, Line.Script script) {
    String name = "operator-" + NUMBER.incrementAndGet();
    Line line = new Line(script, patience.timeout());
    cluster.lines().add(name, line);
    Config config =
        new ConfigBuilder(Config.empty())
            .withMasterUrl(cluster.url().toString())
            .withNamespace("default")
            .withHttp2Disable(true)
            .withUserAgent(name)
            .withRequestTimeout((int) patience.timeout().toMillis())
            .withRequestRetryBackoffLimit(patience.retries())
            .build();
    config.setOnlyHttpWatches(true);
    KubernetesClient client =
        new KubernetesClientBuilder()
            .withConfig(config)
            .withKubernetesSerialization(SERIALIZATION)
            .withHttpClientFactory(new JdkHttpClientFactory())
            .build();
    OperatorSettings settings =
        OperatorSettings.defaults().withNamespaces(namespaces).withIntervals(PROGRESS, WAIT);
    CompletableFuture<LoadgenOperator> operator = new CompletableFuture<>();
    Thread.ofPlatform()
        .daemon()
        .name(name)
        .start(
            () -> {
              try {
                operator.complete(LoadgenOperator.start(client, settings));
              } catch (RuntimeException e) {
                operator.completeExceptionally(e);
              }
            });
    OperatorLife life = new OperatorLife(line, client, operator);
    line.whenCut(life::bury);
    return life;
  }

  /**
   * The same, when it has started.
   *
   * @throws CompletionException if it cannot start; it is no more then
   */
  static OperatorLife start(
      ScriptedCluster cluster, Set<String> namespaces, Patience patience, Line.Script script) {
    OperatorLife life = begin(cluster, namespaces, patience, script);
    try {
      life.awaitStart();
    } catch (CompletionException e) {
      life.kill();
      throw e;
    }
    return life;
  }

  /** Returns when its caches are filled. */
  void awaitStart() {
    var unused = operator.join();
  }

  Line line() {
    return line;
  }

  /** Ends it as SIGKILL would, as far as anybody else can see. */
  void kill() {
    line.cut();
  }

  /** What is left of it goes, at some time. */
  private void bury() {
    Thread.ofPlatform().daemon().name("end of an operator").start(this::end);
  }

  private void end() {
    try {
      operator.join().close();
    } catch (CompletionException e) {
      LOG.debug("an operator that was killed as it started", e);
    } catch (RuntimeException e) {
      LOG.debug("an operator that was killed", e);
    } finally {
      client.close();
    }
  }

  boolean isHealthy() {
    return operator.join().healthy();
  }

  /** Ends it in order. */
  @Override
  public void close() {
    if (!line.isCut()) {
      operator.join().close();
      client.close();
    }
  }
}
