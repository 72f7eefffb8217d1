package dev.loadgen.testreport;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TestModuleTest {
  private static final String SUITE =
      """
      <?xml version="1.0" encoding="UTF-8"?>
      <testsuite name="a.SomeTest" time="3.5" tests="4" errors="1" skipped="1" failures="1">
        <properties><property name="x" value="y"/></properties>
        <testcase name="passes" classname="a.SomeTest" time="1,234.5"/>
        <testcase name="fails" classname="a.SomeTest" time="0.25">
          <failure message="expected: 1&#10;but was: 2" type="E">stack</failure>
        </testcase>
        <testcase name="throws" classname="a.SomeTest" time="0"><error type="E">at line 1
      at line 2</error></testcase>
        <testcase name="waits" classname="a.SomeTest" time="0"><skipped message="no GPU"/></testcase>
      </testsuite>
      """;

  private final Path folder;

  TestModuleTest(@TempDir Path folder) {
    this.folder = folder;
  }

  private Path write(String file, String text) throws IOException {
    Path path = folder.resolve(file);
    Files.createDirectories(path.getParent());
    return Files.writeString(path, text);
  }

  private TestModule read() throws IOException {
    return TestModule.read("m", folder, Instant.EPOCH);
  }

  @Test
  void casesHaveTheirTimesAndOutcomes() throws IOException {
    write("target/surefire-reports/TEST-a.SomeTest.xml", SUITE);

    assertThat(read().cases())
        .containsExactly(
            new TestCase("m", "a.SomeTest", "passes", 1234.5, TestCase.Outcome.PASSED, ""),
            new TestCase(
                "m",
                "a.SomeTest",
                "fails",
                0.25,
                TestCase.Outcome.FAILED,
                "expected: 1\nbut was: 2"),
            new TestCase(
                "m", "a.SomeTest", "throws", 0, TestCase.Outcome.FAILED, "at line 1\nat line 2"),
            new TestCase("m", "a.SomeTest", "waits", 0, TestCase.Outcome.SKIPPED, "no GPU"));
  }

  @Test
  void reportsOfAnEarlierBuildDoNotCount() throws IOException {
    Path file = write("target/surefire-reports/TEST-a.SomeTest.xml", SUITE);
    Instant build = Instant.parse("2026-01-01T00:00:00Z");
    Files.setLastModifiedTime(file, FileTime.from(build.minusSeconds(1)));

    assertThat(TestModule.read("m", folder, build).cases()).isEmpty();
  }

  @Test
  void aTestProcessThatEndedIsAProblem() throws IOException {
    write(
        "target/failsafe-reports/failsafe-summary.xml",
        """
        <failsafe-summary result="254" timeout="false">
          <completed>0</completed><errors>0</errors><failures>0</failures><skipped>0</skipped>
          <failureMessage>The forked VM terminated
        at some.place</failureMessage>
        </failsafe-summary>
        """);

    assertThat(read().problems()).containsExactly("The forked VM terminated");
  }

  @Test
  void aReportThatIsCutShortIsAnErrorThatNamesIt() throws IOException {
    write("target/surefire-reports/TEST-a.SomeTest.xml", SUITE.substring(0, 200));

    assertThatThrownBy(this::read)
        .isInstanceOf(IOException.class)
        .hasMessageContaining("TEST-a.SomeTest.xml cannot be read");
  }

  @Test
  void classesThatHaveNotReportedAreMissing() throws IOException {
    write("target/surefire-reports/TEST-a.SomeTest.xml", SUITE);
    write("src/test/java/a/SomeTest.java", "class SomeTest {}");
    write("src/test/java/a/LostTest.java", "class LostTest {}");
    write("src/test/java/a/b/LostIT.java", "class LostIT {}");
    write("src/test/java/a/SharedTest.java", "package a;\n\nabstract class SharedTest {}");
    write("src/test/java/a/Fixture.java", "class Fixture {}");

    write("src/test/java/a/RealIT.java", "@Tag(\"real-servers\")\nclass RealIT {}");

    assertThat(read().missing(folder, name -> true, "real-servers"))
        .containsExactly("a.LostTest", "a.b.LostIT");
    assertThat(read().missing(folder, name -> true, null))
        .containsExactly("a.LostTest", "a.RealIT", "a.b.LostIT");
    assertThat(read().missing(folder, name -> name.endsWith("Test"), null))
        .containsExactly("a.LostTest");
  }

  @Test
  void aModuleWithoutTestsHasNothing() throws IOException {
    assertThat(read()).isEqualTo(TestModule.read("m", folder, Instant.EPOCH));
    assertThat(read().cases()).isEmpty();
    assertThat(read().missing(folder, name -> true, null)).isEmpty();
  }
}
