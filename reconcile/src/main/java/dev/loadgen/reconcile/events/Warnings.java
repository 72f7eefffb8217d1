package dev.loadgen.reconcile.events;

import io.fabric8.kubernetes.api.model.Event;
import io.fabric8.kubernetes.api.model.EventSeries;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * What Kubernetes says of an object by Events alone: why a controller makes no pods, why a kubelet
 * cannot prepare one. An object is asked about once in {@link #INTERVAL}, however often it is
 * looked at, and the answer is kept until then. Threads may share it.
 */
public final class Warnings {
  /** Of Jobs and of what makes servers: why there is no pod. */
  public static final Set<String> OF_MAKING_PODS = Set.of("FailedCreate");

  /** Of pods that have a node: volumes, and the network. */
  public static final Set<String> OF_PREPARING_A_POD =
      Set.of("FailedMount", "FailedAttachVolume", "FailedMapVolume", "FailedCreatePodSandBox");

  /** How long an answer holds. The kubelet tells of a mount that fails again after two minutes. */
  private static final Duration INTERVAL = Duration.ofSeconds(15);

  /** Objects whose answers are kept; what is asked about less often than the others is dropped. */
  private static final int KEPT = 1_000;

  private final KubernetesClient client;
  private final Clock clock;
  private final Map<String, Answer> answers =
      new LinkedHashMap<>(16, 0.75f, true) {
        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Answer> eldest) {
          return size() > KEPT;
        }
      };

  private record Answer(Instant time, @Nullable String words) {}

  public Warnings(KubernetesClient client, Clock clock) {
    this.client = client;
    this.clock = clock;
  }

  /** The newest warning of an object with one of some reasons; empty if there is none. */
  public Optional<String> latest(HasMetadata about, Set<String> reasons) {
    String uid = about.getMetadata().getUid();
    Instant now = clock.instant();
    synchronized (answers) {
      Answer known = answers.get(uid);
      if (known != null && now.isBefore(known.time().plus(INTERVAL))) {
        return Optional.ofNullable(known.words());
      }
    }
    String words = ask(about.getMetadata().getNamespace(), uid, reasons).orElse(null);
    synchronized (answers) {
      answers.put(uid, new Answer(now, words));
    }
    return Optional.ofNullable(words);
  }

  private Optional<String> ask(String namespace, String uid, Set<String> reasons) {
    return client
        .v1()
        .events()
        .inNamespace(namespace)
        .withField("involvedObject.uid", uid)
        .withField("type", "Warning")
        .list()
        .getItems()
        .stream()
        .filter(event -> reasons.contains(event.getReason()))
        .max(Comparator.comparing(Warnings::time))
        .map(event -> event.getReason() + ": " + event.getMessage());
  }

  /** Whichever of its times an Event has: they are of one form, so that they compare as texts. */
  private static String time(Event event) {
    return Stream.of(
            event.getLastTimestamp(),
            Optional.ofNullable(event.getSeries())
                .map(EventSeries::getLastObservedTime)
                .map(time -> time.getTime())
                .orElse(null),
            event.getEventTime() == null ? null : event.getEventTime().getTime(),
            event.getFirstTimestamp())
        .filter(Objects::nonNull)
        .map(time -> time.length() < 19 ? time : time.substring(0, 19))
        .max(Comparator.naturalOrder())
        .orElse("");
  }
}
