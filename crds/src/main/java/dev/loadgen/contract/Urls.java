package dev.loadgen.contract;

import java.util.regex.Pattern;

/** URLs where others read them: in messages, statuses, logs and results folders. */
public final class Urls {
  /** Whatever stands before the host, also of what is no URL of http. */
  private static final Pattern USER_INFO = Pattern.compile("^((?:[a-zA-Z][\\w+.-]*:)?//)?[^/?#]*@");

  private static final Pattern QUERY = Pattern.compile("[?#].*", Pattern.DOTALL);

  private Urls() {}

  /**
   * A URL, or what was meant to be one, without what may let somebody in: user and password are
   * left out, and query and fragment, where stores put their signatures, are {@code ?...}.
   */
  public static String shown(String url) {
    return QUERY.matcher(USER_INFO.matcher(url).replaceFirst("$1")).replaceFirst("?...");
  }

  /** Whether a URL holds a user or a password. */
  public static boolean hasUserInfo(String url) {
    return USER_INFO.matcher(url).find();
  }
}
