package dev.loadgen.results.report;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;

/**
 * A page that is one file: style and script are in it, and its policy lets a browser load nothing
 * and run nothing else.
 */
final class Page {
  private static final String STYLE = resource("report.css");
  private static final String SCRIPT = resource("report.js");

  private final String title;
  private final Html header = new Html();
  private final Map<String, Section> sections = new LinkedHashMap<>();

  Page(String title) {
    this.title = title;
  }

  private record Section(String title, Html content) {}

  /** What stands above the contents. */
  Html header() {
    return header;
  }

  /** Adds a section, and a line of the contents. */
  Html section(String id, String heading) {
    Html content = new Html();
    sections.put(id, new Section(heading, content));
    return content;
  }

  String html(String footer) {
    Html page = new Html();
    page.markup("<!doctype html>\n").open("html", "lang", "en").open("head");
    page.empty("meta", "charset", "utf-8");
    page.empty(
        "meta",
        "http-equiv",
        "Content-Security-Policy",
        "content",
        "default-src 'none'; base-uri 'none'; form-action 'none'; style-src %s; script-src %s"
            .formatted(hash(STYLE), hash(SCRIPT)));
    page.empty("meta", "name", "viewport", "content", "width=device-width, initial-scale=1");
    page.element("title", title);
    page.open("style").markup(STYLE).close("style").close("head");
    page.open("body").markup(header.toString());
    page.open("nav", "aria-label", "Contents");
    sections.forEach(
        (id, section) -> page.element("a", section.title(), "href", "#" + id).text(" "));
    page.close("nav").open("main");
    sections.forEach(
        (id, section) ->
            page.open("section", "id", id)
                .element("h2", section.title())
                .markup(section.content().toString())
                .close("section"));
    page.close("main").element("footer", footer);
    page.open("script").markup(SCRIPT).close("script");
    return page.close("body").close("html").toString();
  }

  private static String hash(String content) {
    try {
      byte[] digest =
          MessageDigest.getInstance("SHA-256").digest(content.getBytes(StandardCharsets.UTF_8));
      return "'sha256-" + Base64.getEncoder().encodeToString(digest) + "'";
    } catch (NoSuchAlgorithmException e) {
      throw new AssertionError("every Java platform has SHA-256", e);
    }
  }

  private static String resource(String name) {
    try (InputStream in = Objects.requireNonNull(Page.class.getResourceAsStream(name), name)) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(name, e);
    }
  }
}
