package dev.loadgen.reconcile.pass;

import dev.loadgen.api.v1alpha1.TolerantResource;
import dev.loadgen.desired.Labels;
import dev.loadgen.reconcile.metrics.OperatorMetrics;
import dev.loadgen.reconcile.status.OneLine;
import dev.loadgen.reconcile.status.Refusals;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.RequestConfig;
import io.fabric8.kubernetes.client.RequestConfigBuilder;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import java.net.HttpURLConnection;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes statuses: to the very object that was looked at, in the version that was, or not at all.
 * Of a status that Kubernetes refuses it writes what is left of it, and tries the whole one again
 * after a time.
 *
 * @param <K> the kind of the objects
 * @param <S> their status
 */
public final class StatusWriter<
    K extends TolerantResource<?, S>, S extends TolerantResource.Observed> {
  private static final Logger log = LoggerFactory.getLogger(StatusWriter.class);

  /** Of the field manager by which all of a status is the operator's. */
  static final PatchContext APPLY =
      new PatchContext.Builder()
          .withPatchType(PatchType.SERVER_SIDE_APPLY)
          .withFieldManager(Labels.OPERATOR)
          .withForce(true)
          .build();

  /** Tenths of a second altogether. */
  private static final int REPEATS = 2;

  /** Characters of what Kubernetes says: it quotes the values of fields. */
  private static final int WORDS = 1_024;

  /** As long only the rest of an object's status is written, unless its phase changes. */
  private static final Duration UNTIL_WHOLE_AGAIN = Duration.ofMinutes(1);

  private final Class<K> kind;
  private final Supplier<K> made;
  private final KubernetesClient client;
  private final OperatorMetrics metrics;
  private final Clock clock;
  private final Recent<Refusal> refused = new Recent<>();

  /**
   * A refusal of a whole status.
   *
   * @param taken which of the others Kubernetes has taken
   */
  private record Refusal(String words, int taken, Instant at) {}

  /** What came of a status. */
  public sealed interface Outcome<S> {}

  /**
   * The object has it.
   *
   * @param written whether it was written only now
   * @param refusal in Kubernetes' words, why {@code status} is not the whole one; null: it is
   */
  public record Stored<S>(S status, boolean written, @Nullable String refusal)
      implements Outcome<S> {}

  /**
   * The object has changed since it was looked at: nothing was written.
   *
   * @param gone whether it is not there any more; another one of its name may be
   */
  public record Outdated<S>(boolean gone) implements Outcome<S> {}

  /** Kubernetes takes no status at all. */
  public record Refused<S>(String words) implements Outcome<S> {}

  /**
   * A writer for all objects of a kind.
   *
   * @param made makes an object without anything
   */
  public StatusWriter(
      Class<K> kind,
      Supplier<K> made,
      KubernetesClient client,
      OperatorMetrics metrics,
      Clock clock) {
    this.kind = kind;
    this.made = made;
    this.client = repeatingLittle(client);
    this.metrics = metrics;
    this.clock = clock;
  }

  /**
   * A client that repeats a call for a moment, and not for twenty seconds: some refusals are errors
   * of the server to it, and a pass is repeated anyhow.
   */
  static KubernetesClient repeatingLittle(KubernetesClient client) {
    RequestConfig usual = client.getConfiguration().getRequestConfig();
    Integer repeats = usual.getRequestRetryBackoffLimit();
    return client
        .newClient(
            new RequestConfigBuilder(usual)
                .withRequestRetryBackoffLimit(
                    repeats == null || repeats < 0 ? REPEATS : Math.min(repeats, REPEATS))
                .build())
        .adapt(KubernetesClient.class);
  }

  /**
   * Writes a status, unless the object has it.
   *
   * @param seen the object that the status was made for, as it was looked at
   * @param instead makes of the words of a refusal what is written instead, the fullest first;
   *     empty: what the object has stays
   * @throws KubernetesClientException if the API server cannot be asked, or may not be
   */
  public Outcome<S> write(
      K seen, S whole, Function<String, List<S>> instead, StatusCache<K> cache) {
    Refusal last = refused.get(seen);
    if (last != null && samePhase(seen, whole) && isFresh(last)) {
      List<S> others = instead.apply(last.words());
      if (last.taken() < others.size()) {
        return stored(seen, others.get(last.taken()), last.words(), cache);
      }
    }
    Outcome<S> outcome = stored(seen, whole, null, cache);
    if (!(outcome instanceof Refused<S>(String words))) {
      if (outcome instanceof Stored<S>) {
        refused.remove(seen);
      }
      return outcome;
    }
    metrics.statusRefused(HasMetadata.getKind(kind));
    log.error(
        "status is refused kind={} namespace={} name={} because={}",
        HasMetadata.getKind(kind),
        seen.getMetadata().getNamespace(),
        seen.getMetadata().getName(),
        words);
    List<S> others = instead.apply(words);
    for (int i = 0; i < others.size(); i++) {
      Outcome<S> other = stored(seen, others.get(i), words, cache);
      if (!(other instanceof Refused<S>)) {
        refused.put(seen, new Refusal(words, i, clock.instant()));
        return other;
      }
    }
    return outcome;
  }

  private boolean isFresh(Refusal refusal) {
    return clock.instant().isBefore(refusal.at().plus(UNTIL_WHOLE_AGAIN));
  }

  private static boolean samePhase(
      TolerantResource<?, ? extends TolerantResource.Observed> seen,
      TolerantResource.Observed next) {
    TolerantResource.Observed last = seen.getStatus();
    return last != null && Objects.equals(last.phase(), next.phase());
  }

  private Outcome<S> stored(K seen, S status, @Nullable String refusal, StatusCache<K> cache) {
    if (status.equals(seen.getStatus())) {
      return new Stored<>(status, false, refusal);
    }
    try {
      // Into the cache, too: the next pass must not take what it tells for news once more.
      cache.replace(
          seen, client.resource(withStatus(seen, status)).subresource("status").patch(APPLY));
      return new Stored<>(status, true, refusal);
    } catch (KubernetesClientException e) {
      if (e.getCode() == HttpURLConnection.HTTP_CONFLICT
          || e.getCode() == HttpURLConnection.HTTP_NOT_FOUND) {
        return outdated(seen, cache);
      }
      if (Refusals.isOfContent(e)) {
        return new Refused<>(OneLine.of(Refusals.said(e), WORDS));
      }
      throw e;
    }
  }

  /** The next pass sees what is there, even if the watch that should tell of it is late. */
  private Outcome<S> outdated(K seen, StatusCache<K> cache) {
    K live =
        client
            .resources(kind)
            .inNamespace(seen.getMetadata().getNamespace())
            .withName(seen.getMetadata().getName())
            .get();
    boolean gone =
        live == null || !Objects.equals(live.getMetadata().getUid(), seen.getMetadata().getUid());
    if (!gone) {
      cache.replace(seen, live);
    }
    return new Outdated<>(gone);
  }

  /**
   * Nothing but identity and status: server-side apply takes every field that is there. In a status
   * the API server holds the version against what is there, and not the UID; no other object has
   * the same.
   */
  private K withStatus(K seen, S status) {
    K fresh = made.get();
    fresh.setMetadata(
        new ObjectMetaBuilder()
            .withName(seen.getMetadata().getName())
            .withNamespace(seen.getMetadata().getNamespace())
            .withUid(seen.getMetadata().getUid())
            .withResourceVersion(seen.getMetadata().getResourceVersion())
            .build());
    fresh.setStatus(status);
    return fresh;
  }
}
