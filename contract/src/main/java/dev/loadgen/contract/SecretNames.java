package dev.loadgen.contract;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/**
 * Arguments and variables whose values are not written down. People who keep to references have no
 * such value in a spec; those who do not must not find it in a results folder.
 */
public final class SecretNames {
  /** What stands for a value that was taken out. */
  public static final String REMOVED = "[removed]";

  /**
   * Of vLLM and SGLang: {@code --api-key}, {@code --admin-api-key}, {@code --hf-token} and so on.
   */
  private static final Pattern ARGUMENT =
      Pattern.compile(
          "(?i)(-*)(.*[-_])?(api[-_]key|hf[-_]token|password|secret|watermark[-_](key|config))([-_]b)?");

  private static final Pattern VARIABLE =
      Pattern.compile("(?i)(.*_)?(key|token|secret|password|passwd|credentials?)(_.*)?");

  private SecretNames() {}

  /** Whether a program's argument of this name, with or without dashes before it, is a secret. */
  public static boolean isArgument(String name) {
    return ARGUMENT.matcher(name).matches();
  }

  /** Whether an environment variable of this name is a secret. */
  public static boolean isVariable(String name) {
    return VARIABLE.matcher(name).matches();
  }

  /** A program's arguments without the values of secrets, and without those in URLs. */
  public static List<String> removed(List<String> arguments) {
    List<String> clean = new ArrayList<>();
    boolean secret = false;
    for (String argument : arguments) {
      int equals = argument.indexOf('=');
      if (secret && !argument.startsWith("--")) {
        clean.add(REMOVED);
        continue;
      }
      if (equals > 0 && isArgument(argument.substring(0, equals))) {
        clean.add(argument.substring(0, equals + 1) + REMOVED);
      } else {
        clean.add(Urls.shownIn(argument));
      }
      secret = argument.startsWith("-") && equals < 0 && isArgument(argument);
    }
    return clean;
  }
}
