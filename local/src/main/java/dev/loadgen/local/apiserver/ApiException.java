package dev.loadgen.local.apiserver;

import java.util.List;

/** A request that the API server refuses: an HTTP status, and the reason that Kubernetes gives. */
final class ApiException extends Exception {
  private final int code;
  private final String reason;

  private ApiException(int code, String reason, String message) {
    super(message);
    this.code = code;
    this.reason = reason;
  }

  static ApiException notFound(ResourceType type, String name) {
    return new ApiException(
        404, "NotFound", type.qualifiedPlural() + " \"" + name + "\" not found");
  }

  static ApiException noSuchPath(String path) {
    return new ApiException(
        404, "NotFound", "the server could not find the requested resource: " + path);
  }

  static ApiException alreadyExists(ResourceType type, String name) {
    return new ApiException(
        409, "AlreadyExists", type.qualifiedPlural() + " \"" + name + "\" already exists");
  }

  static ApiException conflict(ResourceType type, String name, String why) {
    return new ApiException(
        409,
        "Conflict",
        "Operation cannot be fulfilled on %s \"%s\": %s"
            .formatted(type.qualifiedPlural(), name, why));
  }

  static ApiException badRequest(String message) {
    return new ApiException(400, "BadRequest", message);
  }

  static ApiException invalid(ResourceType type, String name, List<String> problems) {
    return new ApiException(
        422,
        "Invalid",
        "%s \"%s\" is invalid: %s"
            .formatted(
                type.group().isEmpty() ? type.kind() : type.kind() + "." + type.group(),
                name,
                problems.size() == 1 ? problems.getFirst() : problems));
  }

  static ApiException unsupportedMediaType(String contentType) {
    return new ApiException(
        415, "UnsupportedMediaType", "this server takes no patch of type " + contentType);
  }

  static ApiException methodNotAllowed(String method, String path) {
    return new ApiException(405, "MethodNotAllowed", method + " is not allowed on " + path);
  }

  static ApiException expired(long resourceVersion) {
    return new ApiException(410, "Expired", "too old resource version: " + resourceVersion);
  }

  /** HTTP status. */
  int code() {
    return code;
  }

  /** Kubernetes' machine-readable reason. */
  String reason() {
    return reason;
  }
}
