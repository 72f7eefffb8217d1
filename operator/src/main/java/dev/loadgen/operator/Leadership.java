package dev.loadgen.operator;

import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.extended.leaderelection.LeaderCallbacks;
import io.fabric8.kubernetes.client.extended.leaderelection.resourcelock.LeaderElectionRecord;
import io.fabric8.kubernetes.client.extended.leaderelection.resourcelock.LeaseLock;
import io.fabric8.kubernetes.client.http.AsyncBody;
import io.fabric8.kubernetes.client.http.BasicBuilder;
import io.fabric8.kubernetes.client.http.HttpRequest;
import io.fabric8.kubernetes.client.http.HttpResponse;
import io.fabric8.kubernetes.client.http.Interceptor;
import io.javaoperatorsdk.operator.api.config.LeaderElectionConfiguration;
import io.javaoperatorsdk.operator.api.config.LeaderElectionConfigurationBuilder;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * This operator as one of several of which one leads, by a Lease.
 *
 * <p>A leader that may lead no longer ends its process at once, since another may look after the
 * same objects from now on: when it sees that somebody else has the Lease, and when it could not
 * renew the Lease for so long that others take it. The elector does not see the latter as long as
 * the API server leaves its request without an answer; so the answers are looked at here.
 */
final class Leadership implements Interceptor, AutoCloseable {
  /** Not of the form of a backend's Lease, which is loadgen-NAME. */
  static final String LEASE = "operator.loadgen.dev";

  /** A second before others may take the Lease. */
  static final Duration MOST_UNRENEWED =
      LeaderElectionConfiguration.LEASE_DURATION_DEFAULT_VALUE.minusSeconds(1);

  private static final Logger log = LoggerFactory.getLogger(Leadership.class);

  private final String namespace;
  private final String identity;
  private final LongSupplier nanoTime;
  private final Consumer<String> lost;
  private final ScheduledExecutorService thread =
      Executors.newSingleThreadScheduledExecutor(
          Thread.ofPlatform().daemon().name("leadership").factory());
  private volatile boolean leads;
  private volatile boolean resigning;
  private volatile long asked;
  private volatile long renewed;

  /**
   * An operator that stands by until it is its turn.
   *
   * @param identity that no other operator has at the same time
   * @param nanoTime the time, as {@link System#nanoTime}
   * @param lost ends the process at once, with what happened
   */
  Leadership(String namespace, String identity, LongSupplier nanoTime, Consumer<String> lost) {
    this.namespace = namespace;
    this.identity = identity;
    this.nanoTime = nanoTime;
    this.lost = lost;
    asked = nanoTime.getAsLong();
  }

  /** What the framework goes by. From now on the Lease is watched. */
  LeaderElectionConfiguration configuration() {
    var unused = thread.scheduleWithFixedDelay(this::check, 1, 1, TimeUnit.SECONDS);
    return LeaderElectionConfigurationBuilder.aLeaderElectionConfiguration(LEASE)
        .withLeaseNamespace(namespace)
        .withIdentity(identity)
        .withLeaderCallbacks(
            new LeaderCallbacks(
                this::started, this::stopped, holder -> log.info("leader={}", holder)))
        // It would exit in the thread that ends the process, which waits for that thread then.
        .withExitOnStopLeading(false)
        .build();
  }

  void started() {
    renewed = asked;
    leads = true;
    log.info("leads identity={}", identity);
  }

  void stopped() {
    if (leads && !resigning) {
      lost.accept("Lease " + namespace + "/" + LEASE + " is held by another operator");
    }
  }

  /** Ends the process if the Lease is about to be, or may be, another operator's. */
  void check() {
    if (leads && !resigning && nanoTime.getAsLong() - renewed >= MOST_UNRENEWED.toNanos()) {
      lost.accept(
          "Lease %s/%s could not be renewed for %d s"
              .formatted(namespace, LEASE, MOST_UNRENEWED.toSeconds()));
    }
  }

  @Override
  public void before(BasicBuilder builder, HttpRequest request, RequestTags tags) {
    if (isRenewal(request) || (!leads && isWriteOfLeases(request))) {
      asked = nanoTime.getAsLong();
    }
  }

  @Override
  public void after(
      HttpRequest request,
      HttpResponse<?> response,
      AsyncBody.Consumer<List<ByteBuffer>> consumer) {
    if (response.isSuccessful() && isRenewal(request)) {
      renewed = asked;
    }
  }

  private boolean isRenewal(HttpRequest request) {
    return !request.method().equals("GET")
        && request.uri().getPath().endsWith("/" + path() + LEASE);
  }

  private boolean isWriteOfLeases(HttpRequest request) {
    return !request.method().equals("GET")
        && (request.uri().getPath() + "/").endsWith("/" + path());
  }

  private String path() {
    return "namespaces/" + namespace + "/leases/";
  }

  /** To be said before this operator stops, which is no loss then. */
  void resign() {
    resigning = true;
  }

  /**
   * Gives the Lease back, so that another operator leads at once and not when it runs out. Nothing
   * may be reconciled any more.
   */
  void release(KubernetesClient client) {
    if (!leads) {
      return;
    }
    try {
      LeaseLock lock = new LeaseLock(namespace, LEASE, identity);
      LeaderElectionRecord held = lock.get(client);
      if (held != null && identity.equals(held.getHolderIdentity())) {
        ZonedDateTime now = ZonedDateTime.now(ZoneOffset.UTC);
        lock.update(
            client,
            new LeaderElectionRecord(
                "", Duration.ofSeconds(1), now, now, held.getLeaderTransitions()));
        log.info("Lease released identity={}", identity);
      }
    } catch (KubernetesClientException e) {
      log.warn("Lease not released, so a standby waits until it expires because={}", e.toString());
    }
  }

  @Override
  public void close() {
    thread.shutdownNow();
  }
}
