package dev.loadgen.local.kubelet;

/** A container cannot be made from its spec, at least not yet; the message says what lacks. */
final class ContainerConfigException extends Exception {
  ContainerConfigException(String message) {
    super(message);
  }

  ContainerConfigException(String message, Throwable cause) {
    super(message, cause);
  }
}
