package dev.loadgen.reconcile.status;

import org.jspecify.annotations.Nullable;

/** What exit codes of containers mean, for messages. */
public final class ExitCodes {
  private ExitCodes() {}

  /**
   * An exit code in words. Codes above 128 are signals, by the convention of shells and container
   * runtimes.
   *
   * @param reason the container runtime's reason, such as {@code OOMKilled}
   */
  public static String describe(int code, @Nullable String reason) {
    if ("OOMKilled".equals(reason)) {
      return "exit code " + code + ", out of memory";
    }
    return switch (code) {
      case 126, 127 -> "exit code " + code + ", the command cannot be run";
      case 134 -> "exit code 134, SIGABRT: a crash of native code";
      case 137 -> "exit code 137, SIGKILL";
      case 139 -> "exit code 139, SIGSEGV: a crash of native code";
      case 143 -> "exit code 143, SIGTERM";
      default ->
          code > 128 && code < 128 + 65
              ? "exit code " + code + ", signal " + (code - 128)
              : "exit code " + code;
    };
  }
}
