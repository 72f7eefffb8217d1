package dev.loadgen.client;

import java.net.URI;

/** Paths below a replica's base URL. */
final class BaseUrls {
  private BaseUrls() {}

  /** The URL of {@code path}, which begins with a slash, whether or not the base ends with one. */
  static URI at(URI base, String path) {
    String text = base.toString();
    String root = text.endsWith("/") ? text.substring(0, text.length() - 1) : text;
    return URI.create(root + path);
  }
}
