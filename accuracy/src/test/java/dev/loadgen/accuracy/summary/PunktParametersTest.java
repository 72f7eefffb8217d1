package dev.loadgen.accuracy.summary;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.loadgen.accuracy.input.Reference;
import dev.loadgen.accuracy.input.UnusableInputException;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PunktParametersTest {
  private final Path folder;

  PunktParametersTest(@TempDir Path folder) throws IOException {
    this.folder = folder;
    try (Stream<Path> files = Files.list(Reference.path("punkt_tab/english"))) {
      for (Path file : files.toList()) {
        Files.copy(file, folder.resolve(file.getFileName()));
      }
    }
  }

  @Test
  void aZipAndBothFoldersHoldTheSame() throws Exception {
    Path zip = folder.resolve("punkt_tab.zip");
    try (OutputStream file = Files.newOutputStream(zip);
        ZipOutputStream out = new ZipOutputStream(file);
        Stream<Path> files = Files.list(Reference.path("punkt_tab/english"))) {
      for (Path source : files.toList()) {
        out.putNextEntry(new ZipEntry("punkt_tab/english/" + source.getFileName()));
        out.write(Files.readAllBytes(source));
      }
    }

    assertThat(PunktParameters.read(zip))
        .isEqualTo(PunktParameters.read(folder))
        .isEqualTo(PunktParameters.read(Reference.path("punkt_tab")));
    assertThat(PunktParameters.read(zip).abbreviations()).contains("mr");
  }

  @Test
  void whatIsMissingIsNamed() throws IOException {
    Files.delete(folder.resolve("collocations.tab"));

    refuses(folder, "there is no collocations.tab");
  }

  @Test
  void whatIsNotAsNltkWritesItIsNamed() throws IOException {
    Files.writeString(folder.resolve("ortho_context.tab"), "the\tmany\n");
    refuses(folder, "no number in \"the\tmany\"");

    Files.writeString(folder.resolve("collocations.tab"), "alone\n");
    refuses(folder, "not two fields in \"alone\"");

    Files.write(folder.resolve("collocations.tab"), "é\t1\n".getBytes(StandardCharsets.ISO_8859_1));
    refuses(folder, "is not UTF-8");

    Path zip = Files.writeString(folder.resolve("punkt_tab.zip"), "no zip");
    refuses(zip, "is not a zip file");
  }

  private static void refuses(Path path, String problem) {
    assertThatThrownBy(() -> PunktParameters.read(path))
        .isInstanceOf(UnusableInputException.class)
        .hasMessageContaining(path.toString())
        .hasMessageContaining(problem)
        .hasMessageContaining("give nltk_data's tokenizers/punkt_tab as it is");
  }
}
