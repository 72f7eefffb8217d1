package dev.loadgen.local.apiserver;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayDeque;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The objects, their history and who watches them. One lock orders all changes, so that every
 * watcher sees them in the order of their resource versions. Nodes handed out are shared: callers
 * must not change them.
 */
final class ObjectStore {
  // Watches that resume from further back are told to list again, as by a real server.
  private static final int HISTORY = 2_000;

  // As a real server keeps Events, unless told otherwise.
  private static final Duration EVENT_TTL = Duration.ofHours(1);

  private final NavigableMap<Key, ObjectNode> objects = new TreeMap<>();
  private final Map<Key, Map<String, ObjectNode>> applied = new HashMap<>();
  private final Map<Key, Instant> events = new HashMap<>();
  private final Deque<Change> history = new ArrayDeque<>();
  private final Set<Subscription> subscriptions = new LinkedHashSet<>();
  private final Clock clock;
  private final Supplier<UUID> uids;
  private long resourceVersion;
  private long oldestKnown;

  ObjectStore(Clock clock, Supplier<UUID> uids) {
    this.clock = clock;
    this.uids = uids;
  }

  private record Key(String group, String plural, String namespace, String name)
      implements Comparable<Key> {
    private static final Comparator<Key> ORDER =
        Comparator.comparing(Key::group)
            .thenComparing(Key::plural)
            .thenComparing(Key::namespace)
            .thenComparing(Key::name);

    static Key of(ResourceType type, String namespace, String name) {
      return new Key(type.group(), type.plural(), namespace, name);
    }

    /** Before the first key of a type, or of a type in a namespace. */
    static Key before(ResourceType type, @Nullable String namespace) {
      return of(type, namespace == null ? "" : namespace, "");
    }

    /** Behind the last key of a type, or of a type in a namespace. */
    static Key behind(ResourceType type, @Nullable String namespace) {
      // No text is between one and the same with a NUL.
      return namespace == null
          ? new Key(type.group(), type.plural() + "\0", "", "")
          : of(type, namespace + "\0", "");
    }

    boolean isOf(ResourceType type) {
      return group.equals(type.group()) && plural.equals(type.plural());
    }

    @Override
    public int compareTo(Key other) {
      return ORDER.compare(this, other);
    }
  }

  private record Change(
      Key key, @Nullable ObjectNode before, ObjectNode object, boolean removed, long version) {}

  /** What a watcher is told. */
  record Event(String type, JsonNode object) {}

  /** Objects, and the version at which they were so. */
  record Listing(List<ObjectNode> items, long resourceVersion) {}

  /** What a deletion asks for; null is not asked. */
  record DeleteOptions(
      @Nullable String uid, @Nullable String resourceVersion, @Nullable Long gracePeriodSeconds) {
    static final DeleteOptions NONE = new DeleteOptions(null, null, null);
  }

  final class Subscription implements AutoCloseable {
    private final BlockingQueue<Event> events = new LinkedBlockingQueue<>();
    private final String group;
    private final String plural;
    private final @Nullable String namespace;
    private final Predicate<JsonNode> selector;

    private Subscription(
        ResourceType type, @Nullable String namespace, Predicate<JsonNode> selector) {
      this.group = type.group();
      this.plural = type.plural();
      this.namespace = namespace;
      this.selector = selector;
    }

    /** The next event, or null if none comes in time. */
    @Nullable Event poll(long millis) throws InterruptedException {
      return events.poll(millis, TimeUnit.MILLISECONDS);
    }

    private void offer(Change change) {
      Key key = change.key();
      if (!key.group().equals(group)
          || !key.plural().equals(plural)
          || (namespace != null && !key.namespace().equals(namespace))) {
        return;
      }
      ObjectNode before = change.before();
      boolean matched = before != null && selector.test(before);
      boolean matches = !change.removed() && selector.test(change.object());
      if (matched && matches) {
        events.add(new Event("MODIFIED", change.object()));
      } else if (matches) {
        events.add(new Event("ADDED", change.object()));
      } else if (matched) {
        events.add(new Event("DELETED", change.object()));
      }
    }

    @Override
    public void close() {
      synchronized (ObjectStore.this) {
        subscriptions.remove(this);
      }
    }
  }

  synchronized ObjectNode get(ResourceType type, String namespace, String name)
      throws ApiException {
    ObjectNode found = objects.get(Key.of(type, namespace, name));
    if (found == null) {
      throw ApiException.notFound(type, name);
    }
    return found;
  }

  /** Objects of a type; of all namespaces when {@code namespace} is null. */
  synchronized Listing list(
      ResourceType type, @Nullable String namespace, Predicate<JsonNode> selector) {
    List<ObjectNode> items =
        objects.subMap(Key.before(type, namespace), Key.behind(type, namespace)).values().stream()
            .filter(selector)
            .toList();
    return new Listing(items, resourceVersion);
  }

  /**
   * Starts a watch.
   *
   * @param after the version after which changes are told; 0: what exists is told as added first
   */
  synchronized Subscription watch(
      ResourceType type, @Nullable String namespace, Predicate<JsonNode> selector, long after)
      throws ApiException {
    Subscription subscription = new Subscription(type, namespace, selector);
    if (after == 0) {
      for (ObjectNode object : list(type, namespace, selector).items()) {
        subscription.events.add(new Event("ADDED", object));
      }
    } else if (after < oldestKnown) {
      throw ApiException.expired(after);
    } else {
      history.stream().filter(change -> change.version() > after).forEach(subscription::offer);
    }
    subscriptions.add(subscription);
    return subscription;
  }

  /**
   * Creates an object.
   *
   * @param trial whether all is done but storing it
   */
  synchronized ObjectNode create(
      ResourceType type, String namespace, ObjectNode body, Admission admission, boolean trial)
      throws ApiException {
    if (type.equals(ResourceType.EVENTS)) {
      removeExpiredEvents();
    }
    ObjectNode asked = body.deepCopy();
    MergePatch.dropNulls(asked);
    asked.put("apiVersion", type.apiVersion());
    asked.put("kind", type.kind());
    name(type, asked.withObject("metadata"));
    if (type.statusSubresource()) {
      asked.remove("status");
    }
    ObjectNode object = admission.admit(asked, null);
    ObjectNode metadata = object.withObject("metadata");
    if (trial) {
      return object;
    }
    Key key = Key.of(type, namespace, metadata.path("name").asText());
    if (objects.containsKey(key)) {
      throw ApiException.alreadyExists(type, key.name());
    }
    if (type.namespaced()) {
      metadata.put("namespace", namespace);
    }
    metadata.put("uid", uids.get().toString());
    metadata.put("creationTimestamp", now());
    metadata.put("generation", 1);
    metadata.remove(List.of("deletionTimestamp", "deletionGracePeriodSeconds", "managedFields"));
    if (type.equals(ResourceType.PODS)) {
      object.withObject("status").put("phase", "Pending");
    }
    return put(key, null, object);
  }

  private void name(ResourceType type, ObjectNode metadata) throws ApiException {
    if (!metadata.path("name").asText("").isEmpty()) {
      return;
    }
    String prefix = metadata.path("generateName").asText("");
    if (prefix.isEmpty()) {
      throw ApiException.invalid(type, "", List.of("metadata.name: Required value"));
    }
    metadata.put("name", prefix + uids.get().toString().substring(0, 5));
  }

  /** An Event is kept from its last write on; looking when one is made keeps their number small. */
  private void removeExpiredEvents() {
    Instant latest = clock.instant().minus(EVENT_TTL);
    Map.copyOf(events)
        .forEach(
            (key, written) -> {
              ObjectNode event = objects.get(key);
              if (event != null && written.isBefore(latest)) {
                remove(key, event);
              }
            });
  }

  /** Replaces an object, or its status alone. */
  synchronized ObjectNode update(
      ResourceType type,
      String namespace,
      String name,
      ObjectNode body,
      boolean status,
      Admission admission)
      throws ApiException {
    Key key = Key.of(type, namespace, name);
    ObjectNode current = get(type, namespace, name);
    String expected = body.path("metadata").path("resourceVersion").asText("");
    if (!expected.isEmpty() && !expected.equals(version(current))) {
      throw ApiException.conflict(
          type,
          name,
          "the object has been modified; please apply your changes to the latest version and try"
              + " again");
    }
    String expectedUid = body.path("metadata").path("uid").asText("");
    String uid = current.path("metadata").path("uid").asText();
    if (!expectedUid.isEmpty() && !expectedUid.equals(uid)) {
      throw ApiException.conflict(
          type,
          name,
          "Precondition failed: UID in precondition: %s, UID in object meta: %s"
              .formatted(expectedUid, uid));
    }
    ObjectNode next;
    if (status) {
      next = current.deepCopy();
      copyOrRemove("status", body, next);
    } else {
      next = body.deepCopy();
      if (type.statusSubresource()) {
        copyOrRemove("status", current, next);
      }
      ObjectNode metadata = next.withObject("metadata");
      for (String kept :
          List.of(
              "name",
              "namespace",
              "uid",
              "creationTimestamp",
              "generation",
              "deletionTimestamp",
              "deletionGracePeriodSeconds")) {
        copyOrRemove(kept, current.withObject("metadata"), metadata);
      }
      metadata.remove("managedFields");
    }
    next.put("apiVersion", type.apiVersion());
    next.put("kind", type.kind());
    next.withObject("metadata").put("resourceVersion", version(current));
    MergePatch.dropNulls(next);
    next = admission.admit(next, current);
    if (next.equals(current)) {
      return current;
    }
    if (!status && !withoutMetadataAndStatus(next).equals(withoutMetadataAndStatus(current))) {
      long generation = current.path("metadata").path("generation").asLong(0);
      next.withObject("metadata").put("generation", generation + 1);
    }
    if (next.path("metadata").has("deletionTimestamp")
        && next.path("metadata").path("finalizers").isEmpty()
        && !current.path("metadata").path("finalizers").isEmpty()) {
      return remove(key, current);
    }
    return put(key, current, next);
  }

  /**
   * Server-side apply for one owner of each field: what {@code manager} applied before and leaves
   * out now is removed, all else merges; lists are replaced. An absent object is created, except by
   * its status.
   */
  synchronized ObjectNode apply(
      ResourceType type,
      String namespace,
      String name,
      String manager,
      ObjectNode configuration,
      boolean status,
      Admission admission)
      throws ApiException {
    Key key = Key.of(type, namespace, name);
    String owner = manager + (status ? "/status" : "");
    ObjectNode now = configuration.deepCopy();
    MergePatch.dropNulls(now);
    if (!status) {
      now.remove(type.statusSubresource() ? List.of("status") : List.of());
    }
    ObjectNode current = objects.get(key);
    ObjectNode result;
    if (current == null) {
      if (status || configuration.path("metadata").has("uid")) {
        throw ApiException.notFound(type, name);
      }
      result = create(type, namespace, now, admission, false);
    } else {
      ObjectNode merged = (ObjectNode) MergePatch.apply(current, now);
      ObjectNode before = applied.getOrDefault(key, Map.of()).get(owner);
      if (before != null) {
        MergePatch.removeAbandoned(merged, before, now);
      }
      result = update(type, namespace, name, merged, status, admission);
    }
    applied.computeIfAbsent(key, absent -> new HashMap<>()).put(owner, now);
    return result;
  }

  /** What an object goes through before it is stored. */
  interface Admission {
    /** Stores objects as they are. */
    Admission NONE = (object, stored) -> object;

    /**
     * Defaults and validates an object.
     *
     * @param object all of it as it will be stored, whatever part of it was written
     * @param stored what it replaces; null where it is created
     * @throws ApiException if it is not valid
     */
    ObjectNode admit(ObjectNode object, @Nullable ObjectNode stored) throws ApiException;
  }

  /** Deletes, or marks for deletion what has finalizers or, being a pod on a node, must end. */
  synchronized ObjectNode delete(
      ResourceType type, String namespace, String name, DeleteOptions options) throws ApiException {
    Key key = Key.of(type, namespace, name);
    ObjectNode current = get(type, namespace, name);
    JsonNode metadata = current.path("metadata");
    String uid = metadata.path("uid").asText();
    if (options.uid() != null && !options.uid().equals(uid)) {
      throw ApiException.conflict(
          type,
          name,
          "Precondition failed: UID in precondition: %s, UID in object meta: %s"
              .formatted(options.uid(), uid));
    }
    if (options.resourceVersion() != null && !options.resourceVersion().equals(version(current))) {
      throw ApiException.conflict(type, name, "Precondition failed: ResourceVersion");
    }
    long grace = type.equals(ResourceType.PODS) ? podGrace(current, options) : 0;
    boolean finalizers = !metadata.path("finalizers").isEmpty();
    if (grace == 0 && !finalizers) {
      return remove(key, current);
    }
    boolean marked = metadata.has("deletionTimestamp");
    if (marked && metadata.path("deletionGracePeriodSeconds").asLong(0) <= grace) {
      return current;
    }
    ObjectNode next = current.deepCopy();
    next.withObject("metadata")
        .put("deletionTimestamp", time(clock.instant().plusSeconds(grace)))
        .put("deletionGracePeriodSeconds", grace);
    return put(key, current, next);
  }

  private static long podGrace(ObjectNode pod, DeleteOptions options) {
    String phase = pod.path("status").path("phase").asText();
    if (pod.path("spec").path("nodeName").asText("").isEmpty()
        || phase.equals("Succeeded")
        || phase.equals("Failed")) {
      return 0; // no process can be left
    }
    return options.gracePeriodSeconds() != null
        ? options.gracePeriodSeconds()
        : pod.path("spec").path("terminationGracePeriodSeconds").asLong(30);
  }

  private ObjectNode put(Key key, @Nullable ObjectNode before, ObjectNode object) {
    record(key, before, object, false);
    if (key.isOf(ResourceType.EVENTS)) {
      events.put(key, clock.instant());
    }
    objects.put(key, object);
    return object;
  }

  private ObjectNode remove(Key key, ObjectNode current) {
    ObjectNode last = current.deepCopy();
    record(key, current, last, true);
    objects.remove(key);
    applied.remove(key);
    events.remove(key);
    return last;
  }

  private void record(Key key, @Nullable ObjectNode before, ObjectNode object, boolean removed) {
    resourceVersion++;
    object.withObject("metadata").put("resourceVersion", String.valueOf(resourceVersion));
    Change change = new Change(key, before, object, removed, resourceVersion);
    history.add(change);
    if (history.size() > HISTORY) {
      oldestKnown = history.remove().version();
    }
    subscriptions.forEach(subscription -> subscription.offer(change));
  }

  private static void copyOrRemove(String field, ObjectNode from, ObjectNode to) {
    JsonNode value = from.get(field);
    if (value == null) {
      to.remove(field);
    } else {
      to.set(field, value.deepCopy());
    }
  }

  private static ObjectNode withoutMetadataAndStatus(ObjectNode object) {
    ObjectNode rest = JsonNodeFactory.instance.objectNode();
    object
        .properties()
        .forEach(
            field -> {
              if (!field.getKey().equals("metadata") && !field.getKey().equals("status")) {
                rest.set(field.getKey(), field.getValue());
              }
            });
    return rest;
  }

  private static String version(ObjectNode object) {
    return Objects.requireNonNull(object.path("metadata").get("resourceVersion")).asText();
  }

  private String now() {
    return time(clock.instant());
  }

  private static String time(Instant instant) {
    return instant.truncatedTo(ChronoUnit.SECONDS).toString();
  }
}
