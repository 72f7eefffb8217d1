package dev.loadgen.rules.log;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Detail logs that LoadGen 6.0.17 wrote with a system under test that does nothing. */
public final class Logs {
  private Logs() {}

  public static String text(String name) {
    try (InputStream in =
        Logs.class.getResourceAsStream("/dev/loadgen/rules/logs/" + name + ".txt")) {
      return new String(Objects.requireNonNull(in, name).readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  public static DetailLog read(String name) {
    return DetailLog.parse(text(name));
  }

  /** Replaces the value of a key, given as JSON; fails if the log has no such key. */
  public static String with(String text, String key, String value) {
    Pattern entry = Pattern.compile("(\"key\": \"" + Pattern.quote(key) + "\", \"value\": )[^,]*");
    Matcher matcher = entry.matcher(text);
    if (!matcher.find()) {
      throw new IllegalArgumentException("no key " + key);
    }
    return matcher.replaceAll("$1" + Matcher.quoteReplacement(value));
  }

  /** Removes the lines of a key; fails if the log has none. */
  public static String without(String text, String key) {
    String shorter =
        text.replaceAll("(?m)^:::MLLOG \\{\"key\": \"" + Pattern.quote(key) + "\".*\\R", "");
    if (shorter.equals(text)) {
      throw new IllegalArgumentException("no key " + key);
    }
    return shorter;
  }
}
