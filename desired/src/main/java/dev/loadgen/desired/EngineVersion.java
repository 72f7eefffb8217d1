package dev.loadgen.desired;

import dev.loadgen.contract.Engine;
import java.util.Comparator;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The version of an engine, as the tag of its project's image has it. */
record EngineVersion(int major, int minor, int patch) implements Comparable<EngineVersion> {
  /** A mirror keeps the name; who builds an image numbers it as he likes. */
  private static final Pattern VLLM = image("vllm-openai[^/:@]*");

  private static final Pattern SGLANG = image("sglang");

  private static Pattern image(String name) {
    return Pattern.compile(
        "(?:^|/)" + name + ":v?(\\d{1,4})\\.(\\d{1,4})(?:\\.(\\d{1,4}))?(?:\\D|$)");
  }

  /** The version of an engine's image; empty where its tag names none. */
  static Optional<EngineVersion> of(Engine engine, String image) {
    Pattern named =
        switch (engine) {
          case vllm -> VLLM;
          case sglang -> SGLANG;
        };
    Matcher tag = named.matcher(image);
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
