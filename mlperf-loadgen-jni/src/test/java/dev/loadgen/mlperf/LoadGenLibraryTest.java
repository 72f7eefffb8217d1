package dev.loadgen.mlperf;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

class LoadGenLibraryTest {
  @Test
  void platformsAreNamedAsTheBuildNamesThem() throws LoadGenUnavailableException {
    assertThat(LoadGenLibrary.platform("Linux", "amd64")).isEqualTo("linux-x86_64");
    assertThat(LoadGenLibrary.platform("Linux", "aarch64")).isEqualTo("linux-aarch64");
  }

  @Test
  void otherSystemsAreRefusedByName() {
    assertThatThrownBy(() -> LoadGenLibrary.platform("Mac OS X", "aarch64"))
        .hasMessageContaining("Mac OS X");
  }

  @Test
  void aScriptThatIsNotThereIsNamedWithItsVariable(@TempDir Path folder) {
    String script = folder.resolve("absent.sh").toString();

    assertThatThrownBy(() -> LoadGenLibrary.build(script, folder, "5.1.2"))
        .isInstanceOf(LoadGenUnavailableException.class)
        .hasMessageContaining("LoadGen 5.1.2 cannot be built: LOADGEN_BUILD")
        .hasMessageContaining(script);
  }

  /** As at the deadline of a run: neither the thread nor the build goes on. */
  @Test
  @Timeout(60)
  void aBuildThatHangsEndsWithTheThreadThatWaitsForIt(@TempDir Path folder) throws Exception {
    Path script = folder.resolve("hangs.sh");
    Files.writeString(
        script,
        "#!/bin/sh\necho $$ > \"$1/pid.part\"\nmv \"$1/pid.part\" \"$1/pid\"\nexec sleep 1000\n");
    assertThat(script.toFile().setExecutable(true)).isTrue();
    CompletableFuture<String> refused = new CompletableFuture<>();
    Thread waiting =
        Thread.ofPlatform()
            .start(
                () -> {
                  try {
                    LoadGenLibrary.build(script.toString(), folder, "5.1.2");
                  } catch (LoadGenUnavailableException e) {
                    refused.complete(e.getMessage());
                  }
                });
    while (!Files.exists(folder.resolve("pid"))) {
      Thread.onSpinWait();
    }
    long pid = Long.parseLong(Files.readString(folder.resolve("pid")).strip());

    waiting.interrupt();

    assertThat(refused.get()).isEqualTo("The build of LoadGen 5.1.2 was interrupted");
    ProcessHandle.of(pid).ifPresent(build -> build.onExit().join());
    assertThat(ProcessHandle.of(pid).filter(ProcessHandle::isAlive)).isEmpty();
  }

  @Test
  void jarCarriesLicenceAndNotice() {
    assertThat(LoadGenLibrary.class.getResource("/META-INF/LICENSE")).isNotNull();
    assertThat(LoadGenLibrary.class.getResource("/META-INF/NOTICE")).isNotNull();
  }

  @Test
  void aLineOfTheListMustBeWhole() {
    assertThat(LoadGenBuild.parse("7.0.1,abc,v7.0 v7.1").toString())
        .isEqualTo("7.0.1 (v7.0, v7.1)");
    assertThatThrownBy(() -> LoadGenBuild.parse("7.0.1,abc"))
        .hasMessageContaining("versions.csv", "VERSION,SHA256,RULESETS", "7.0.1,abc");
  }
}
