package dev.loadgen.operator.desired;

import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The version of vLLM, as the tag of its project's image has it. */
record VllmVersion(int major, int minor) {
  /** A mirror keeps the name; who builds an image numbers it as he likes. */
  private static final Pattern IMAGE =
      Pattern.compile("(?:^|/)vllm-openai[^/:@]*:v?(\\d{1,4})\\.(\\d{1,4})(?:\\D|$)");

  /** The version of an image; empty where its tag names none. */
  static Optional<VllmVersion> of(String image) {
    Matcher tag = IMAGE.matcher(image);
    return tag.find()
        ? Optional.of(
            new VllmVersion(Integer.parseInt(tag.group(1)), Integer.parseInt(tag.group(2))))
        : Optional.empty();
  }

  boolean before(int otherMajor, int otherMinor) {
    return major < otherMajor || (major == otherMajor && minor < otherMinor);
  }
}
