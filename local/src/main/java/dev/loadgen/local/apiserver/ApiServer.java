package dev.loadgen.local.apiserver;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.json.JsonWriteFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.ObjectWriter;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import com.sun.net.httpserver.Filter;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.loadgen.local.schema.BrokenRule;
import dev.loadgen.local.schema.SchemaProblem;
import dev.loadgen.local.schema.StructuralSchema;
import io.fabric8.zjsonpatch.JsonPatch;
import io.fabric8.zjsonpatch.JsonPatchException;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A Kubernetes API server in memory, over plain HTTP on loopback: create (also as a trial, by
 * {@code dryRun}, which does not look whether the name is taken), get, list, watch, update, JSON,
 * merge and apply patches, status subresources, optimistic locking, finalizers, graceful deletion
 * of pods, deletion preconditions, and custom resources by their CRD with validation, defaults and
 * the CEL rules of its structural schema.
 *
 * <p>Not there: authentication and RBAC, admission, field ownership and its conflicts (an apply
 * patch acts as if its manager alone owned what it names), validation and defaults of built-in
 * kinds, strategic merge patches, paging.
 *
 * <p>The JSON Merge Patch is RFC 7396's. Thread-safe.
 */
public final class ApiServer implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(ApiServer.class);
  private static final ObjectMapper JSON = new ObjectMapper();

  /**
   * Of events: the client's watch by plain HTTP adds a NUL for each byte of a character beyond the
   * first, and an event that it then cannot read ends the operator.
   */
  private static final ObjectWriter IN_ASCII =
      JSON.writer().with(JsonWriteFeature.ESCAPE_NON_ASCII);

  private static final YAMLMapper YAML = new YAMLMapper();
  private static final long BOOKMARK_MILLIS = 10_000;
  private static final int LOG_CHUNK = 64 * 1024;

  static {
    // Without it each answer on a kept-alive connection waits for the client's delayed ACK.
    if (System.getProperty("sun.net.httpserver.nodelay") == null) {
      System.setProperty("sun.net.httpserver.nodelay", "true");
    }
  }

  private final HttpServer http;
  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
  private final ObjectStore store;
  private final List<ResourceType> types = new CopyOnWriteArrayList<>(ResourceType.BUILT_IN);
  private final Map<String, StructuralSchema> schemas = new ConcurrentHashMap<>();
  private volatile ContainerLogs logs = (podUid, container, previous, since) -> Optional.empty();
  private volatile boolean closed;

  private ApiServer(HttpServer http, ObjectStore store) {
    this.http = http;
    this.store = store;
  }

  /**
   * Starts a server on a free port of 127.0.0.1.
   *
   * @param filters what every request goes through, the first of them first
   */
  public static ApiServer start(Clock clock, List<Filter> filters) throws IOException {
    HttpServer http =
        HttpServer.create(
            new InetSocketAddress(InetAddress.getByAddress(new byte[] {127, 0, 0, 1}), 0), 256);
    ApiServer server = new ApiServer(http, new ObjectStore(clock, UUID::randomUUID));
    http.setExecutor(server.threads);
    http.createContext("/", server::serve).getFilters().addAll(filters);
    http.start();
    return server;
  }

  /** Has logs of containers served, as a real server asks the kubelet for them. */
  public void serveLogs(ContainerLogs source) {
    logs = source;
  }

  /** The server's base URL. */
  public URI url() {
    return URI.create("http://127.0.0.1:" + http.getAddress().getPort() + "/");
  }

  @Override
  public void close() {
    closed = true;
    http.stop(0);
    threads.shutdownNow();
  }

  /** The part of the URL path that says what is meant. */
  private record Target(
      ResourceType type,
      @Nullable String namespace,
      @Nullable String name,
      @Nullable String subresource) {
    String namespaceOrNone() {
      return namespace == null ? "" : namespace;
    }

    String requiredName() throws ApiException {
      if (name == null) {
        throw ApiException.badRequest("a name is needed");
      }
      return name;
    }

    boolean status() {
      return "status".equals(subresource);
    }
  }

  private void serve(HttpExchange exchange) throws IOException {
    try (exchange) {
      try {
        route(exchange);
      } catch (ApiException e) {
        drain(exchange);
        send(exchange, e.code(), status(e.code(), e.reason(), String.valueOf(e.getMessage())));
      } catch (JsonProcessingException e) {
        send(exchange, 400, status(400, "BadRequest", e.getOriginalMessage()));
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      } catch (RuntimeException e) {
        LOG.error(
            "request failed: {} {}", exchange.getRequestMethod(), exchange.getRequestURI(), e);
        send(exchange, 500, status(500, "InternalError", String.valueOf(e)));
      }
    } catch (IOException e) {
      // The client has gone; there is nobody to tell.
      LOG.debug("connection lost: {}", e.toString());
    }
  }

  private void route(HttpExchange exchange) throws ApiException, IOException, InterruptedException {
    String path = exchange.getRequestURI().getPath();
    Optional<JsonNode> discovery =
        exchange.getRequestMethod().equals("GET") ? discovery(path) : Optional.empty();
    if (discovery.isPresent()) {
      send(exchange, 200, discovery.get());
      return;
    }
    Target target = target(path);
    Map<String, String> query = query(exchange.getRequestURI());
    switch (exchange.getRequestMethod()) {
      case "GET" -> {
        if (target.type().equals(ResourceType.PODS) && "log".equals(target.subresource())) {
          log(exchange, target, query);
        } else if (target.name() != null && !query.containsKey("watch")) {
          send(
              exchange,
              200,
              store.get(target.type(), target.namespaceOrNone(), target.requiredName()));
        } else if (isTrue(query.get("watch"))) {
          watch(exchange, target, query);
        } else {
          send(exchange, 200, list(target, query));
        }
      }
      case "POST" ->
          send(exchange, 201, create(target, body(exchange), "All".equals(query.get("dryRun"))));
      case "PUT" -> send(exchange, 200, update(target, body(exchange)));
      case "PATCH" -> send(exchange, 200, patch(exchange, target, query));
      case "DELETE" -> send(exchange, 200, delete(exchange, target, query));
      default -> throw ApiException.methodNotAllowed(exchange.getRequestMethod(), path);
    }
  }

  // Reading

  private ObjectNode list(Target target, Map<String, String> query) throws ApiException {
    ObjectStore.Listing listing =
        store.list(
            target.type(),
            target.namespace(),
            Selector.of(query.get("labelSelector"), query.get("fieldSelector")));
    ObjectNode list = JsonNodeFactory.instance.objectNode();
    list.put("apiVersion", target.type().apiVersion()).put("kind", target.type().kind() + "List");
    list.putObject("metadata").put("resourceVersion", String.valueOf(listing.resourceVersion()));
    list.putArray("items").addAll(listing.items());
    return list;
  }

  private void watch(HttpExchange exchange, Target target, Map<String, String> query)
      throws ApiException, IOException, InterruptedException {
    String fields = query.get("fieldSelector");
    if (target.name() != null) {
      fields = "metadata.name=" + target.name();
    }
    Predicate<JsonNode> selector = Selector.of(query.get("labelSelector"), fields);
    long after = number(query, "resourceVersion", 0);
    long timeout = number(query, "timeoutSeconds", Long.MAX_VALUE / 1_000_000_000L);
    boolean bookmarks = isTrue(query.get("allowWatchBookmarks"));
    long end = System.nanoTime() + timeout * 1_000_000_000L;
    try (ObjectStore.Subscription events =
        store.watch(target.type(), target.namespace(), selector, after)) {
      exchange.getResponseHeaders().set("Content-Type", "application/json");
      exchange.sendResponseHeaders(200, 0);
      OutputStream out = exchange.getResponseBody();
      out.flush();
      while (!closed && System.nanoTime() - end < 0) {
        ObjectStore.Event event = events.poll(BOOKMARK_MILLIS);
        if (event != null) {
          write(out, event.type(), event.object());
        } else if (bookmarks) {
          // Also finds out whether the client is still there.
          write(out, "BOOKMARK", bookmark(target.type(), after));
        }
        if (event != null) {
          after = Long.parseLong(event.object().path("metadata").path("resourceVersion").asText());
        }
      }
    }
  }

  /**
   * The log of a container. The options {@code container}, {@code previous}, {@code sinceTime},
   * {@code tailLines} and {@code limitBytes} are there; {@code sinceTime} finds the second, and not
   * always the line.
   */
  private void log(HttpExchange exchange, Target target, Map<String, String> query)
      throws ApiException, IOException {
    for (String option : List.of("follow", "timestamps", "sinceSeconds")) {
      String value = query.get(option);
      if (value != null && !value.equals("false")) {
        throw ApiException.badRequest("this server has no option " + option + " of a log");
      }
    }
    ObjectNode pod = store.get(target.type(), target.namespaceOrNone(), target.requiredName());
    String container = container(pod, query.get("container"));
    boolean previous = isTrue(query.get("previous"));
    ContainerLogs.Part part =
        logs.find(
                pod.path("metadata").path("uid").asText(),
                container,
                previous,
                time(query, "sinceTime"))
            .orElseThrow(
                () ->
                    ApiException.badRequest(
                        previous
                            ? "previous terminated container \"%s\" in pod \"%s\" not found"
                                .formatted(container, target.name())
                            : "container \"%s\" in pod \"%s\" is waiting to start"
                                .formatted(container, target.name())));
    long size = part.to() == null ? Files.size(part.file()) : part.to();
    long from = tail(part.file(), part.from(), size, number(query, "tailLines", Long.MAX_VALUE));
    try (InputStream file = Files.newInputStream(part.file())) {
      file.skipNBytes(from);
      long most = number(query, "limitBytes", Long.MAX_VALUE);
      long end = size - from;
      exchange.getResponseHeaders().set("Content-Type", "text/plain");
      exchange.sendResponseHeaders(200, 0);
      copy(file, exchange.getResponseBody(), Math.min(most, end));
    }
  }

  /** Where the last lines of a part of a file begin. */
  private static long tail(Path file, long from, long to, long lines) throws IOException {
    if (lines == Long.MAX_VALUE) {
      return from;
    }
    Deque<Long> begins = new ArrayDeque<>();
    try (InputStream in = new BufferedInputStream(Files.newInputStream(file))) {
      in.skipNBytes(from);
      boolean begin = true;
      for (long at = from; at < to; at++) {
        if (begin) {
          begins.add(at);
          if (begins.size() > lines) {
            begins.remove();
          }
        }
        begin = in.read() == '\n';
      }
    }
    return begins.isEmpty() ? to : begins.getFirst();
  }

  private static void copy(InputStream in, OutputStream out, long most) throws IOException {
    byte[] chunk = new byte[LOG_CHUNK];
    long left = most;
    while (left > 0) {
      int length = in.read(chunk, 0, (int) Math.min(left, chunk.length));
      if (length < 0) {
        break;
      }
      out.write(chunk, 0, length);
      left -= length;
    }
  }

  private static String container(ObjectNode pod, @Nullable String named) throws ApiException {
    List<String> all = new ArrayList<>();
    for (String kind : List.of("initContainers", "containers")) {
      pod.path("spec").path(kind).forEach(c -> all.add(c.path("name").asText()));
    }
    String name = pod.path("metadata").path("name").asText();
    if (named == null && all.size() > 1) {
      throw ApiException.badRequest(
          "a container name must be specified for pod %s, choose one of: %s".formatted(name, all));
    }
    String container = named == null ? all.getFirst() : named;
    if (!all.contains(container)) {
      throw ApiException.badRequest(
          "container %s is not valid for pod %s".formatted(container, name));
    }
    return container;
  }

  private static @Nullable Instant time(Map<String, String> query, String name)
      throws ApiException {
    String text = query.get(name);
    try {
      return text == null ? null : Instant.parse(text);
    } catch (DateTimeParseException e) {
      throw ApiException.badRequest(name + " is no time: " + text);
    }
  }

  private static ObjectNode bookmark(ResourceType type, long version) {
    ObjectNode object = JsonNodeFactory.instance.objectNode();
    object.put("apiVersion", type.apiVersion()).put("kind", type.kind());
    object.putObject("metadata").put("resourceVersion", String.valueOf(version));
    return object;
  }

  private static void write(OutputStream out, String type, JsonNode object) throws IOException {
    ObjectNode event = JsonNodeFactory.instance.objectNode();
    event.put("type", type).set("object", object);
    byte[] bytes = IN_ASCII.writeValueAsBytes(event);
    byte[] line = Arrays.copyOf(bytes, bytes.length + 1);
    line[bytes.length] = '\n';
    out.write(line);
    out.flush();
  }

  // Writing

  private ObjectNode create(Target target, ObjectNode body, boolean trial) throws ApiException {
    if (target.type().equals(ResourceType.BINDINGS)) {
      return bind(target.namespaceOrNone(), body.path("metadata").path("name").asText(), body);
    }
    if (target.name() != null) {
      throw ApiException.methodNotAllowed("POST", target.name());
    }
    checkTypeMeta(target.type(), body);
    checkNamespace(target, body);
    ObjectNode created =
        store.create(
            target.type(), target.namespaceOrNone(), body, admission(target.type()), trial);
    if (!trial) {
      registerDefinition(target.type(), created);
    }
    return created;
  }

  /** Puts a pod on a node, as a scheduler does. */
  private ObjectNode bind(String namespace, String name, ObjectNode binding) throws ApiException {
    String node = binding.path("target").path("name").asText("");
    ObjectNode pod = store.get(ResourceType.PODS, namespace, name).deepCopy();
    if (!pod.path("spec").path("nodeName").asText("").isEmpty()) {
      throw ApiException.conflict(ResourceType.PODS, name, "pod is already assigned to a node");
    }
    pod.withObject("spec").put("nodeName", node);
    store.update(ResourceType.PODS, namespace, name, pod, false, ObjectStore.Admission.NONE);
    return status(201, "Created", "bound to " + node).put("status", "Success");
  }

  private ObjectNode update(Target target, ObjectNode body) throws ApiException {
    checkTypeMeta(target.type(), body);
    checkSubresource(target);
    ObjectNode updated =
        store.update(
            target.type(),
            target.namespaceOrNone(),
            target.requiredName(),
            body,
            target.status(),
            admission(target.type()));
    registerDefinition(target.type(), updated);
    return updated;
  }

  private ObjectNode patch(HttpExchange exchange, Target target, Map<String, String> query)
      throws ApiException, IOException {
    checkSubresource(target);
    String contentType = Optional.ofNullable(header(exchange, "Content-Type")).orElse("");
    int parameters = contentType.indexOf(';');
    String type = (parameters < 0 ? contentType : contentType.substring(0, parameters)).strip();
    byte[] bytes = exchange.getRequestBody().readAllBytes();
    String namespace = target.namespaceOrNone();
    String name = target.requiredName();
    return switch (type) {
      case "application/apply-patch+yaml" -> {
        ObjectNode configuration = object(YAML.readTree(bytes));
        checkTypeMeta(target.type(), configuration);
        checkNamespace(target, configuration);
        String manager = query.get("fieldManager");
        if (manager == null || manager.isEmpty()) {
          throw ApiException.badRequest("PatchOptions: fieldManager is required for apply patch");
        }
        configuration.withObject("metadata").put("name", name);
        yield store.apply(
            target.type(),
            namespace,
            name,
            manager,
            configuration,
            target.status(),
            admission(target.type()));
      }
      case "application/merge-patch+json" -> {
        JsonNode patch = JSON.readTree(bytes);
        yield patched(target, current -> MergePatch.apply(current, patch));
      }
      case "application/json-patch+json" -> {
        JsonNode patch = JSON.readTree(bytes);
        yield patched(target, current -> jsonPatch(target.type(), name, patch, current));
      }
      default -> throw ApiException.unsupportedMediaType(type);
    };
  }

  private interface Change {
    JsonNode apply(ObjectNode current) throws ApiException;
  }

  private ObjectNode patched(Target target, Change change) throws ApiException {
    String namespace = target.namespaceOrNone();
    String name = target.requiredName();
    // A patch without a resource version cannot conflict: it is applied to what is there now.
    synchronized (store) {
      ObjectNode current = store.get(target.type(), namespace, name);
      return store.update(
          target.type(),
          namespace,
          name,
          object(change.apply(current)),
          target.status(),
          admission(target.type()));
    }
  }

  private static JsonNode jsonPatch(
      ResourceType type, String name, JsonNode patch, ObjectNode current) throws ApiException {
    try {
      return JsonPatch.apply(patch, current.deepCopy());
    } catch (JsonPatchException e) {
      throw ApiException.invalid(type, name, List.of(String.valueOf(e.getMessage())));
    }
  }

  private ObjectNode delete(HttpExchange exchange, Target target, Map<String, String> query)
      throws ApiException, IOException {
    byte[] bytes = exchange.getRequestBody().readAllBytes();
    JsonNode options =
        bytes.length == 0 ? JsonNodeFactory.instance.objectNode() : JSON.readTree(bytes);
    JsonNode preconditions = options.path("preconditions");
    Long grace =
        options.hasNonNull("gracePeriodSeconds")
            ? Long.valueOf(options.get("gracePeriodSeconds").asLong())
            : query.containsKey("gracePeriodSeconds")
                ? Long.valueOf(number(query, "gracePeriodSeconds", 0))
                : null;
    ObjectStore.DeleteOptions delete =
        new ObjectStore.DeleteOptions(
            textOrNull(preconditions, "uid"), textOrNull(preconditions, "resourceVersion"), grace);
    if (target.name() != null) {
      return store.delete(target.type(), target.namespaceOrNone(), target.name(), delete);
    }
    Predicate<JsonNode> selector =
        Selector.of(query.get("labelSelector"), query.get("fieldSelector"));
    for (ObjectNode object : store.list(target.type(), target.namespace(), selector).items()) {
      JsonNode metadata = object.path("metadata");
      try {
        store.delete(
            target.type(),
            metadata.path("namespace").asText(""),
            metadata.path("name").asText(),
            delete);
      } catch (ApiException e) {
        if (e.code() != 404) {
          throw e;
        } // else somebody else was faster
      }
    }
    return status(200, "", "").put("status", "Success");
  }

  /** Defaults and validates custom resources by their schema and its rules. */
  private ObjectStore.Admission admission(ResourceType type) {
    if (type.equals(ResourceType.CUSTOM_RESOURCE_DEFINITIONS)) {
      return (definition, stored) -> {
        schema(definition);
        return definition;
      };
    }
    StructuralSchema schema = schemas.get(type.qualifiedPlural());
    return schema == null
        ? ObjectStore.Admission.NONE
        : (object, stored) -> admit(type, schema, object, stored);
  }

  private static ObjectNode admit(
      ResourceType type, StructuralSchema schema, ObjectNode object, @Nullable ObjectNode stored)
      throws ApiException {
    ObjectNode defaulted = object.deepCopy();
    schema.applyDefaults(defaulted);
    // As a real server does for a CRD: unknown fields are dropped, not refused.
    List<String> problems =
        schema.validate(defaulted).stream()
            .filter(problem -> !problem.unknownField())
            .map(SchemaProblem::toString)
            .toList();
    schema.prune(defaulted);
    if (problems.isEmpty()) {
      problems = schema.brokenRules(defaulted, stored).stream().map(BrokenRule::toString).toList();
    }
    if (!problems.isEmpty()) {
      throw ApiException.invalid(type, object.path("metadata").path("name").asText(), problems);
    }
    return defaulted;
  }

  private void registerDefinition(ResourceType type, ObjectNode definition) throws ApiException {
    if (!type.equals(ResourceType.CUSTOM_RESOURCE_DEFINITIONS)) {
      return;
    }
    JsonNode spec = definition.path("spec");
    JsonNode names = spec.path("names");
    JsonNode version = spec.path("versions").path(0);
    List<String> shortNames = new ArrayList<>();
    names.path("shortNames").forEach(name -> shortNames.add(name.asText()));
    ResourceType defined =
        new ResourceType(
            spec.path("group").asText(),
            version.path("name").asText(),
            names.path("plural").asText(),
            names.path("kind").asText(),
            spec.path("scope").asText().equals("Namespaced"),
            version.path("subresources").has("status"),
            List.copyOf(shortNames));
    types.removeIf(known -> known.qualifiedPlural().equals(defined.qualifiedPlural()));
    types.add(defined);
    schemas.put(defined.qualifiedPlural(), schema(definition));
  }

  private static StructuralSchema schema(ObjectNode definition) throws ApiException {
    JsonNode version = definition.path("spec").path("versions").path(0);
    try {
      return StructuralSchema.of(object(version.path("schema").path("openAPIV3Schema")));
    } catch (IllegalArgumentException e) {
      throw ApiException.invalid(
          ResourceType.CUSTOM_RESOURCE_DEFINITIONS,
          definition.path("metadata").path("name").asText(),
          List.of(String.valueOf(e.getMessage())));
    }
  }

  private static void checkTypeMeta(ResourceType type, ObjectNode body) throws ApiException {
    String kind = body.path("kind").asText("");
    String apiVersion = body.path("apiVersion").asText("");
    if (!kind.equals(type.kind()) || !apiVersion.equals(type.apiVersion())) {
      throw ApiException.badRequest(
          "the object is \"%s\" of \"%s\", the URL is for %s of %s"
              .formatted(kind, apiVersion, type.kind(), type.apiVersion()));
    }
  }

  private static void checkNamespace(Target target, ObjectNode body) throws ApiException {
    String namespace = body.path("metadata").path("namespace").asText("");
    if (!namespace.isEmpty() && !namespace.equals(target.namespaceOrNone())) {
      throw ApiException.badRequest(
          "the namespace of the object (%s) does not match the namespace on the URL (%s)"
              .formatted(namespace, target.namespaceOrNone()));
    }
  }

  private static void checkSubresource(Target target) throws ApiException {
    if (target.subresource() != null && !(target.status() && target.type().statusSubresource())) {
      throw ApiException.noSuchPath(target.type().plural() + "/.../" + target.subresource());
    }
  }

  // Paths

  private Target target(String path) throws ApiException {
    List<String> parts = Arrays.stream(path.split("/")).filter(part -> !part.isEmpty()).toList();
    String group;
    int next;
    if (parts.size() >= 3 && parts.get(0).equals("api")) {
      group = "";
      next = 2;
    } else if (parts.size() >= 4 && parts.get(0).equals("apis")) {
      group = parts.get(1);
      next = 3;
    } else {
      throw ApiException.noSuchPath(path);
    }
    String version = parts.get(next - 1);
    String namespace = null;
    if (parts.get(next).equals("namespaces") && parts.size() > next + 2) {
      namespace = parts.get(next + 1);
      next += 2;
    }
    String plural = parts.get(next);
    String name = parts.size() > next + 1 ? parts.get(next + 1) : null;
    String subresource = parts.size() > next + 2 ? parts.get(next + 2) : null;
    for (ResourceType type : types) {
      if (type.group().equals(group)
          && type.version().equals(version)
          && type.plural().equals(plural)) {
        return new Target(type, type.namespaced() ? namespace : null, name, subresource);
      }
    }
    throw ApiException.noSuchPath(path);
  }

  /** What clients ask to learn which kinds there are. */
  private Optional<JsonNode> discovery(String path) {
    List<String> parts = Arrays.stream(path.split("/")).filter(part -> !part.isEmpty()).toList();
    return switch (String.join("/", parts)) {
      case "version" -> Optional.of(version());
      case "healthz", "readyz", "livez" -> Optional.of(JsonNodeFactory.instance.textNode("ok"));
      case "api" -> {
        ObjectNode versions = JsonNodeFactory.instance.objectNode().put("kind", "APIVersions");
        versions.putArray("versions").add("v1");
        yield Optional.of(versions);
      }
      case "api/v1" -> Optional.of(resources("", "v1"));
      case "apis" -> {
        ObjectNode list = JsonNodeFactory.instance.objectNode();
        list.put("kind", "APIGroupList").put("apiVersion", "v1");
        ArrayNode groups = list.putArray("groups");
        groupVersions().forEach((group, version) -> groups.add(group(group, version)));
        yield Optional.of(list);
      }
      default -> {
        if (parts.size() < 2 || parts.size() > 3 || !parts.getFirst().equals("apis")) {
          yield Optional.empty();
        }
        String version = groupVersions().get(parts.get(1));
        if (version == null || (parts.size() == 3 && !version.equals(parts.get(2)))) {
          yield Optional.empty();
        }
        yield Optional.of(
            parts.size() == 2 ? group(parts.get(1), version) : resources(parts.get(1), version));
      }
    };
  }

  private Map<String, String> groupVersions() {
    return types.stream()
        .filter(type -> !type.group().isEmpty())
        .collect(
            Collectors.toMap(ResourceType::group, ResourceType::version, (first, second) -> first));
  }

  private static ObjectNode version() {
    return JsonNodeFactory.instance
        .objectNode()
        .put("major", "1")
        .put("minor", "35")
        .put("gitVersion", "v1.35.0+loadgen-embedded")
        .put("gitCommit", "")
        .put("gitTreeState", "clean")
        .put("buildDate", "1970-01-01T00:00:00Z")
        .put("platform", "java");
  }

  private static ObjectNode group(String group, String version) {
    ObjectNode node = JsonNodeFactory.instance.objectNode();
    node.put("kind", "APIGroup").put("apiVersion", "v1").put("name", group);
    ObjectNode groupVersion = JsonNodeFactory.instance.objectNode();
    groupVersion.put("groupVersion", group + "/" + version).put("version", version);
    node.putArray("versions").add(groupVersion);
    node.set("preferredVersion", groupVersion);
    return node;
  }

  private ObjectNode resources(String group, String version) {
    ObjectNode list = JsonNodeFactory.instance.objectNode();
    list.put("kind", "APIResourceList").put("apiVersion", "v1");
    list.put("groupVersion", group.isEmpty() ? version : group + "/" + version);
    ArrayNode resources = list.putArray("resources");
    for (ResourceType type : types) {
      if (!type.group().equals(group)) {
        continue;
      }
      ObjectNode resource = resources.addObject();
      resource
          .put("name", type.plural())
          .put("singularName", type.kind().toLowerCase(Locale.ROOT))
          .put("namespaced", type.namespaced())
          .put("kind", type.kind());
      ArrayNode verbs = resource.putArray("verbs");
      List.of("create", "delete", "get", "list", "patch", "update", "watch").forEach(verbs::add);
      type.shortNames().forEach(resource.withArray("shortNames")::add);
      if (type.statusSubresource()) {
        ObjectNode status = resources.addObject();
        status
            .put("name", type.plural() + "/status")
            .put("singularName", "")
            .put("namespaced", type.namespaced())
            .put("kind", type.kind());
        ArrayNode statusVerbs = status.putArray("verbs");
        List.of("get", "patch", "update").forEach(statusVerbs::add);
      }
    }
    return list;
  }

  // Wire

  private static @Nullable String header(HttpExchange exchange, String name) {
    return exchange.getRequestHeaders().getFirst(name);
  }

  private static Map<String, String> query(URI uri) {
    Map<String, String> query = new HashMap<>();
    String raw = uri.getRawQuery();
    if (raw != null) {
      for (String part : raw.split("&", -1)) {
        int equals = part.indexOf('=');
        String key = equals < 0 ? part : part.substring(0, equals);
        String value = equals < 0 ? "" : part.substring(equals + 1);
        query.put(
            URLDecoder.decode(key, StandardCharsets.UTF_8),
            URLDecoder.decode(value, StandardCharsets.UTF_8));
      }
    }
    return query;
  }

  private static long number(Map<String, String> query, String name, long absent)
      throws ApiException {
    String text = query.get(name);
    if (text == null || text.isEmpty()) {
      return absent;
    }
    try {
      return Long.parseLong(text);
    } catch (NumberFormatException e) {
      throw ApiException.badRequest(name + " is not a number: " + text);
    }
  }

  private static boolean isTrue(@Nullable String value) {
    return "true".equals(value) || "1".equals(value);
  }

  private static @Nullable String textOrNull(JsonNode node, String field) {
    return node.hasNonNull(field) ? node.get(field).asText() : null;
  }

  private static ObjectNode body(HttpExchange exchange) throws IOException, ApiException {
    String type = Optional.ofNullable(header(exchange, "Content-Type")).orElse("");
    byte[] bytes = exchange.getRequestBody().readAllBytes();
    return object(type.contains("yaml") ? YAML.readTree(bytes) : JSON.readTree(bytes));
  }

  private static ObjectNode object(JsonNode node) throws ApiException {
    if (node instanceof ObjectNode object) {
      return object;
    }
    throw ApiException.badRequest("a JSON object is needed, not " + node.getNodeType());
  }

  private static ObjectNode status(int code, String reason, String message) {
    return JsonNodeFactory.instance
        .objectNode()
        .put("kind", "Status")
        .put("apiVersion", "v1")
        .put("status", "Failure")
        .put("message", message)
        .put("reason", reason)
        .put("code", code);
  }

  private static void drain(HttpExchange exchange) {
    // An unread body would make the server close the connection that the client wants to keep.
    try {
      exchange.getRequestBody().readAllBytes();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static void send(HttpExchange exchange, int code, JsonNode body) throws IOException {
    byte[] bytes = JSON.writeValueAsBytes(body);
    exchange.getResponseHeaders().set("Content-Type", "application/json");
    exchange.sendResponseHeaders(code, bytes.length);
    try (OutputStream out = exchange.getResponseBody()) {
      out.write(bytes);
    }
  }
}
