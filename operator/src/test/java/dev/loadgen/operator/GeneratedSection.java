package dev.loadgen.operator;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * The end of a page, which is made from the code: from a heading on. {@code hack/update.sh} writes
 * it.
 */
final class GeneratedSection {
  private static final Path ROOT = Path.of(System.getProperty("repository.root"));

  private GeneratedSection() {}

  /**
   * The page ends as the code has it.
   *
   * @param page below the repository's root
   * @param heading how the first generated heading begins, with the line break before it
   * @param content what stands there from the heading on
   */
  static void assertCurrent(String page, String heading, String content) throws IOException {
    Path file = ROOT.resolve(page);
    String text = Files.readString(file);
    int start = text.indexOf(heading);
    assertThat(start).as("in %s: %s", page, heading).isPositive();
    if (Boolean.getBoolean("generated.update")) {
      text = text.substring(0, start + 1) + content;
      Files.writeString(file, text);
    }

    assertThat(text.substring(start + 1)).as("run: hack/update.sh").isEqualTo(content);
  }
}
