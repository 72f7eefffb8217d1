package dev.loadgen.results.report;

import com.fasterxml.jackson.core.JsonProcessingException;
import dev.loadgen.contract.ContractJson;
import dev.loadgen.contract.JsonWords;
import dev.loadgen.results.ResultsFolder;
import dev.loadgen.results.ResultsFolder.Manifest;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.DigestOutputStream;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Holds files of a published folder against its manifest. */
final class PublishedFiles {
  private static final int VERSION = 1;

  private PublishedFiles() {}

  /**
   * Checks that those files that the manifest names are there with the content that they had.
   *
   * @param files paths with {@code /}; one that the manifest does not name need not be there
   * @throws UnreadableRunException if one is missing or changed, or there is no manifest
   */
  static void verify(Path folder, List<String> files) throws UnreadableRunException {
    Manifest manifest = manifestOf(folder);
    for (Manifest.Entry entry : manifest.files()) {
      if (files.contains(entry.path())) {
        verify(folder.resolve(entry.path()), entry);
      }
    }
  }

  /**
   * The manifest of a published folder.
   *
   * @throws UnreadableRunException if it has none that can be read
   */
  static Manifest manifestOf(Path folder) throws UnreadableRunException {
    Path path = folder.resolve(ResultsFolder.MANIFEST);
    if (!Files.exists(path)) {
      throw new UnreadableRunException(
          folder
              + ": has no "
              + ResultsFolder.MANIFEST
              + ": this is not a results folder, or its run did not end; name NAMESPACE/RUN/UID");
    }
    return manifest(path);
  }

  private static Manifest manifest(Path path) throws UnreadableRunException {
    @Nullable Manifest manifest;
    try {
      manifest = ContractJson.read(Files.readString(path), Manifest.class);
    } catch (JsonProcessingException e) {
      throw new UnreadableRunException(
          path + ": cannot be understood: " + JsonWords.of(e) + "; copy the file again", e);
    } catch (IOException e) {
      throw new UnreadableRunException(path + ": cannot be read: " + e.getMessage(), e);
    }
    if (manifest == null || (manifest.version() == VERSION && !namesFiles(manifest))) {
      throw new UnreadableRunException(path + ": names no files; copy the file again");
    }
    if (manifest.version() != VERSION) {
      throw new UnreadableRunException(
          path
              + ": is of version "
              + manifest.version()
              + ", and this loadgen reads version "
              + VERSION
              + "; use the loadgen of the version that made the folder");
    }
    return manifest;
  }

  private static boolean namesFiles(Manifest manifest) {
    return manifest.files() != null
        && manifest.files().stream()
            .allMatch(entry -> entry != null && entry.path() != null && entry.sha256() != null);
  }

  private static void verify(Path file, Manifest.Entry entry) throws UnreadableRunException {
    if (!Files.exists(file)) {
      throw new UnreadableRunException(
          file + ": is missing, though the manifest names it; copy the whole folder");
    }
    try {
      long size = Files.size(file);
      if (size != entry.size()) {
        throw new UnreadableRunException(
            "%s: has %s bytes, the manifest says %s; copy the file again"
                .formatted(file, size, entry.size()));
      }
      if (!sha256(file).equals(entry.sha256())) {
        throw new UnreadableRunException(
            file + ": was changed after the run; its SHA-256 is not that of the manifest");
      }
    } catch (IOException e) {
      throw new UnreadableRunException(file + ": cannot be read: " + e.getMessage(), e);
    }
  }

  /** The SHA-256 of a file in hexadecimal. */
  static String sha256(Path file) throws IOException {
    try (InputStream in = Files.newInputStream(file)) {
      MessageDigest digest = MessageDigest.getInstance("SHA-256");
      try (OutputStream out = new DigestOutputStream(OutputStream.nullOutputStream(), digest)) {
        in.transferTo(out);
      }
      return HexFormat.of().formatHex(digest.digest());
    } catch (NoSuchAlgorithmException e) {
      throw new AssertionError("every Java platform has SHA-256", e);
    }
  }
}
