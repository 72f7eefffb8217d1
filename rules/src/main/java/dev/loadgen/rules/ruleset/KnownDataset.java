package dev.loadgen.rules.ruleset;

import com.fasterxml.jackson.annotation.JsonProperty;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A file that a round's tests draw on, told by its checksum. MLCommons publishes MD5 sums: enough
 * to tell a file from others, since nobody can make one to a given sum.
 *
 * @param file its name where it is published
 * @param md5 in hexadecimal; null: it is known by its SHA-256
 * @param sha256 in hexadecimal; null: it is known by its MD5
 * @param tests what it is for: {@code Performance}, {@code Accuracy}, or the name of a compliance
 *     test
 * @param source where the checksum is published
 */
public record KnownDataset(
    @JsonProperty(required = true) String file,
    @Nullable String md5,
    @Nullable String sha256,
    @JsonProperty(required = true) List<String> tests,
    @JsonProperty(required = true) String source) {
  private static final Pattern MD5 = Pattern.compile("[0-9a-f]{32}");
  private static final Pattern SHA_256 = Pattern.compile("[0-9a-f]{64}");

  /** Copies the list and checks the checksums. */
  public KnownDataset {
    tests = List.copyOf(tests);
    if (md5 == null && sha256 == null) {
      throw new IllegalArgumentException(file + " has no checksum");
    }
    if ((md5 != null && !MD5.matcher(md5).matches())
        || (sha256 != null && !SHA_256.matcher(sha256).matches())) {
      throw new IllegalArgumentException(file + ": a checksum is lower-case hexadecimal");
    }
  }

  /** Whether it is for a test. */
  public boolean isFor(String test) {
    return tests.contains(test);
  }

  /** Whether a file has its checksum. */
  public boolean is(Checksums dataset) {
    return same(md5, dataset.md5()) || same(sha256, dataset.sha256());
  }

  private static boolean same(@Nullable String known, @Nullable String found) {
    return known != null && found != null && known.equals(found.toLowerCase(Locale.ROOT));
  }

  /** Such as {@code cnn_eval.json (MD5 c41c613c17794d117899fdcdeeadbe3c)}. */
  public String inWords() {
    return file + (md5 == null ? " (SHA-256 " + sha256 : " (MD5 " + md5) + ")";
  }
}
