package dev.loadgen.runner;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.loadgen.client.transport.Access;
import dev.loadgen.contract.RunPlan;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class AccessFilesTest {
  private static final RunPlan.Access KEY = new RunPlan.Access(true, false, false);
  private static final RunPlan.Access HEADERS = new RunPlan.Access(false, true, false);
  private static final RunPlan.Access CA = new RunPlan.Access(false, false, true);

  private final Path folder;

  AccessFilesTest(@TempDir Path folder) {
    this.folder = folder;
  }

  private void file(String name, String content) throws IOException {
    Path file = folder.resolve(name);
    Files.createDirectories(file.getParent());
    Files.writeString(file, content);
  }

  private void refuses(RunPlan.Access needed, @Nullable Path from, String... words) {
    assertThatThrownBy(() -> AccessFiles.read(needed, from))
        .isInstanceOf(RunFailedException.class)
        .hasMessageContainingAll(words)
        .hasMessageNotContaining("s3cret");
  }

  @Test
  void keyIsABearerTokenWithoutItsLineBreak() throws Exception {
    file("api-key", "s3cret\n");

    Access access = AccessFiles.read(KEY, folder);

    assertThat(access.headers()).containsOnlyKeys("Authorization");
    assertThat(access.headers()).containsEntry("Authorization", "Bearer s3cret");
    assertThat(access.toString()).doesNotContain("s3cret");
    assertThat(access.redact("bad key s3cret given")).isEqualTo("bad key [redacted] given");
  }

  @Test
  void eachFileIsAHeader() throws Exception {
    file("headers/X-Team", "perf");
    file("headers/X-Token", "s3cret\n");
    // Kubernetes keeps what the links point to beside them.
    Files.createDirectory(folder.resolve("headers/..data"));

    Access access = AccessFiles.read(HEADERS, folder);

    assertThat(access.headers()).containsOnlyKeys("X-Team", "X-Token");
    assertThat(access.redact("s3cret perf")).isEqualTo("[redacted] [redacted]");
  }

  @Test
  void nothingIsReadThatThePlanDoesNotNeed() throws Exception {
    assertThat(AccessFiles.read(null, null)).isSameAs(Access.NONE);
    assertThat(AccessFiles.read(new RunPlan.Access(false, false, false), folder))
        .isSameAs(Access.NONE);
  }

  @Test
  void saysWhatIsMissing() {
    refuses(KEY, null, "--secrets", "name their folder");
    refuses(KEY, folder, "--secrets", "api-key", "cannot be read");
    refuses(HEADERS, folder, "headers", "cannot be read");
    refuses(CA, folder, "ca.crt", "cannot be read");
  }

  @Test
  void saysWhatCannotBeUsedAndNotWhatItIs() throws Exception {
    file("api-key", "s3cret\nsecond line");
    refuses(KEY, folder, "api-key", "line break");
    file("api-key", " \n");
    refuses(KEY, folder, "api-key", "is empty");
    file("ca.crt", "s3cret");
    refuses(CA, folder, "ca.crt", "PEM");
    file("headers/Content-Length", "1");
    refuses(HEADERS, folder, "Content-Length", "remove it");
  }

  @Test
  void authorizationComesOnce() throws Exception {
    file("api-key", "s3cret");
    file("headers/authorization", "Basic s3cret");

    refuses(new RunPlan.Access(true, true, false), folder, "Authorization", "remove one");
  }
}
