package dev.loadgen.desired;

import java.util.Comparator;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The version of an engine, as the tag of its project's image has it. */
record EngineVersion(int major, int minor, int patch) implements Comparable<EngineVersion> {
  private static final String TAG = ":v?(\\d{1,4})\\.(\\d{1,4})(?:\\.(\\d{1,4}))?(?:\\D|$)";

  /**
   * The version of an engine's image; empty where its tag names none. A mirror keeps the name; who
   * builds an image numbers it as he likes.
   */
  static Optional<EngineVersion> of(ServerCommand engine, String image) {
    Matcher tag = Pattern.compile("(?:^|/)" + engine.imageName() + TAG).matcher(image);
    return tag.find()
        ? Optional.of(new EngineVersion(number(tag, 1), number(tag, 2), number(tag, 3)))
        : Optional.empty();
  }

  private static int number(Matcher tag, int group) {
    String digits = tag.group(group);
    return digits == null ? 0 : Integer.parseInt(digits);
  }

  @Override
  public int compareTo(EngineVersion other) {
    return Comparator.comparingInt(EngineVersion::major)
        .thenComparingInt(EngineVersion::minor)
        .thenComparingInt(EngineVersion::patch)
        .compare(this, other);
  }

  boolean before(int otherMajor, int otherMinor, int otherPatch) {
    return compareTo(new EngineVersion(otherMajor, otherMinor, otherPatch)) < 0;
  }
}
