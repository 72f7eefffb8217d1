package dev.loadgen.contract;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** URLs where others read them: in messages, statuses, logs and results folders. */
public final class Urls {
  /** Whatever stands before the host, also of what is no URL of http. */
  private static final Pattern USER_INFO = Pattern.compile("^((?:[a-zA-Z][\\w+.-]*:)?//)?[^/?#]*@");

  private static final Pattern QUERY = Pattern.compile("[?#].*", Pattern.DOTALL);

  /**
   * Scheme, user, host with path, and query wherever they stand in a text: words, arguments, JSON.
   * Each part is bounded or ends where the next begins, so that it takes long for no text.
   */
  private static final Pattern IN_TEXT =
      Pattern.compile(
          "([a-zA-Z][\\w+.-]{0,30}://)(?:[^/?#\\s\"']*@)?([^\\s\"'?#,]*)([?#][^\\s\"',]*)?");

  private Urls() {}

  /**
   * A URL, or what was meant to be one, without what may let somebody in: user and password are
   * left out, and query and fragment, where stores put their signatures, are {@code ?...}.
   */
  public static String shown(String url) {
    return QUERY.matcher(USER_INFO.matcher(url).replaceFirst("$1")).replaceFirst("?...");
  }

  /** A text in which each URL is as {@link #shown} has it; what is no URL stays as it is. */
  public static String shownIn(String text) {
    return IN_TEXT
        .matcher(text)
        .replaceAll(
            url ->
                Matcher.quoteReplacement(
                    url.group(1) + url.group(2) + (url.group(3) == null ? "" : "?...")));
  }

  /** Whether a URL holds a user or a password. */
  public static boolean hasUserInfo(String url) {
    return USER_INFO.matcher(url).find();
  }
}
