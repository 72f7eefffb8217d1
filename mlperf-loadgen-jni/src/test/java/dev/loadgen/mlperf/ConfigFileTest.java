package dev.loadgen.mlperf;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The check must say of each file what LoadGen says: it is asked, too. */
class ConfigFileTest {
  private final Path folder;

  ConfigFileTest(@TempDir Path folder) {
    this.folder = folder;
  }

  private Path file(String text) throws IOException {
    return Files.writeString(folder.resolve("user.conf"), text);
  }

  private static int loadGen(Path file) {
    byte[] any = "any".getBytes(StandardCharsets.US_ASCII);
    return NativeLoadGen.fromConfig(
        new TestSettings().toArray(),
        file.toString().getBytes(StandardCharsets.UTF_8),
        any,
        any,
        2);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "# a comment = x\n\n   # another\n",
        "*.*.a = 1\n",
        "  m.Server.target_qps   =   1.5e3  ",
        "*.*.a = 0x1F\n*.*.b = -3\n*.*.c = .5\n*.*.d = 1.\n*.*.e = inf",
        "*.*.a = 1 2 3",
      })
  void acceptsWhatLoadGenAccepts(String text) throws IOException {
    Path file = file(text);

    assertThat(loadGen(file)).isZero();
    assertThatCode(() -> ConfigFile.check(file)).doesNotThrowAnyException();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "*.*.a = x",
        "*.*.a = 1s",
        "*.*.a = 1 # comment",
        "*.*.a : 1",
        "*.*.a= 1",
        "*.*.a = #",
        "*.*.a = 0x",
        "*.*.a = 1e",
      })
  void refusesWhatLoadGenRefuses(String text) throws IOException {
    Path file = file("# first line\n" + text + "\n");

    assertThat(loadGen(file)).isNegative();
    assertThatThrownBy(() -> ConfigFile.check(file))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("user.conf, line 2: ");
  }

  @ParameterizedTest
  @ValueSource(strings = {"*.*.a", "*.*.a =", "*.*.a # = 1", "a b"})
  void refusesLinesWithoutAValueWhichLoadGenWouldSkip(String text) throws IOException {
    Path file = file(text);

    assertThatThrownBy(() -> ConfigFile.check(file)).hasMessageContaining("line 1");
  }

  @Test
  void namesAMissingFile() {
    assertThatThrownBy(() -> ConfigFile.check(folder.resolve("none")))
        .hasMessageContaining("there is no such file");
  }

  @Test
  void namesAFileThatCannotBeRead() {
    assertThatThrownBy(() -> ConfigFile.check(folder)).hasMessageContaining("cannot be read");
  }
}
