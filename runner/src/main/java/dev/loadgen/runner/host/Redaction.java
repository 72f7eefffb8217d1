package dev.loadgen.runner.host;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.UnaryOperator;
import java.util.regex.Pattern;

/**
 * Takes secrets out of what is written down. A value goes where its name says that it is a secret,
 * where it looks like one, or where it holds one that the run knows. Rather one value too many goes
 * than one too few.
 */
public final class Redaction {
  /** What stands for a value that was taken out. */
  public static final String REMOVED = "[removed]";

  private static final Pattern NAME =
      Pattern.compile(
          "(?i).*(secret|token|passw|passphrase|pwd|credential|api_?-?key|access_?-?key|private"
              + "|auth|cookie|session|signature|bearer|webhook|dsn|license|(^|[_.-])key($|[_.-])|pat$).*");

  /**
   * Tokens of Hugging Face, GitHub, GitLab, OpenAI, Slack, AWS, Google and NVIDIA; JSON Web Tokens;
   * private keys; and an authorisation header.
   */
  private static final Pattern KNOWN =
      Pattern.compile(
          "(hf_|gh[pousr]_|github_pat_|glpat-|sk-|xox[abprs]-|AKIA|ASIA|AIza|nvapi-|eyJ)[\\w.+/=-]{8,}"
              + "|-----BEGIN[^-]*PRIVATE KEY-----[\\s\\S]*"
              + "|(?i:bearer|basic)\\s+[\\w.~+/=-]{8,}");

  /** A password in a URL, and the same in its query. */
  private static final Pattern IN_URL =
      Pattern.compile(
          "(?<=://)[^/\\s:@]*:[^/\\s@]+(?=@)"
              + "|(?<=[?&](token|key|sig|signature|password|secret|api_key|access_token)=)[^&\\s]+",
          Pattern.CASE_INSENSITIVE);

  /** Long runs without a separator, of digits and letters of both cases, or of hexadecimal. */
  private static final Pattern RANDOM =
      Pattern.compile(
          "(?<![\\w/.+-])(?=[\\w+/=-]*\\d)(?=[\\w+/=-]*[a-z])(?=[\\w+/=-]*[A-Z])[A-Za-z0-9+_=-]{24,}"
              + "(?![\\w/.-])|(?<![\\w/.-])[0-9a-fA-F]{32,}(?![\\w/.-])");

  private final UnaryOperator<String> known;

  /**
   * A redaction.
   *
   * @param known takes out the secrets that the run knows, and leaves all else
   */
  public Redaction(UnaryOperator<String> known) {
    this.known = known;
  }

  /** A text without what looks like a secret. */
  public String text(String text) {
    String clean = known.apply(text);
    for (Pattern pattern : List.of(KNOWN, IN_URL, RANDOM)) {
      clean = pattern.matcher(clean).replaceAll(REMOVED);
    }
    return clean;
  }

  /** A value without what is or looks like a secret. */
  public String value(String name, String value) {
    return NAME.matcher(name).matches() && !value.isEmpty() ? REMOVED : text(value);
  }

  /** Variables by name, in the order of names, without secrets. */
  public Map<String, String> variables(Map<String, String> variables) {
    Map<String, String> clean = new TreeMap<>();
    variables.forEach((name, value) -> clean.put(text(name), value(name, value)));
    return clean;
  }

  /** An argument as {@code name=value}, or anything else. */
  public String argument(String argument) {
    int equals = argument.indexOf('=');
    return equals < 0
        ? text(argument)
        : argument.substring(0, equals + 1)
            + value(argument.substring(0, equals), argument.substring(equals + 1));
  }
}
