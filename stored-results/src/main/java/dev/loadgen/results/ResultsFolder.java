package dev.loadgen.results;

import dev.loadgen.contract.ContractJson;
import dev.loadgen.contract.Dsse;
import dev.loadgen.contract.RunPlan;
import dev.loadgen.contract.RunSummary;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.DigestOutputStream;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.PrivateKey;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The folder of one run, {@code NAME/UID} below the root of the results volume. Until {@link
 * #publish} it is called {@code NAME/.UID.partial}, so that a folder with its final name is
 * complete: {@code manifest.json} has size and SHA-256 of each other file but for the {@link
 * Statement}, which is of the manifest as well. A published folder is never written to.
 */
public final class ResultsFolder {
  /** The manifest's name. */
  public static final String MANIFEST = "manifest.json";

  /** What was asked for, with all defaults. */
  public static final String PLAN = "plan.json";

  /** Verdict, reasons and result. */
  public static final String SUMMARY = "summary.json";

  /** What the client ran on, and what it used. */
  public static final String ENVIRONMENT = "environment.json";

  /** The {@link SampleTable}. */
  public static final String REQUESTS = "requests.csv.gz";

  /** Output tokens by our count and by the servers'. */
  public static final String TOKENS = "server/tokens.json";

  /** LoadGen's summary. */
  public static final String LOADGEN_SUMMARY = "mlperf_log_summary.txt";

  /** The client's own log. */
  public static final String RUNNER_LOG = "runner.log";

  private final Path partial;
  private final Path published;
  private final String relative;

  private ResultsFolder(Path partial, Path published, String relative) {
    this.partial = partial;
    this.published = published;
    this.relative = relative;
  }

  /** What {@code manifest.json} holds. */
  public record Manifest(int version, List<Entry> files) {
    /** One file: its path with {@code /}, its size in bytes, its SHA-256 in hexadecimal. */
    public record Entry(String path, long size, String sha256) {}
  }

  /**
   * Makes the folder; what an attempt of the same run that was killed has left behind is removed.
   *
   * @throws FileAlreadyExistsException if the run has a published folder
   */
  public static ResultsFolder create(Path root, RunPlan.Run run) throws IOException {
    Path ofRun = root.resolve(run.name());
    Path published = ofRun.resolve(run.id());
    if (Files.exists(published)) {
      throw new FileAlreadyExistsException(
          published.toString(), null, "results are never overwritten");
    }
    Path partial = ofRun.resolve(partialName(run.id()));
    removeTree(partial);
    Files.createDirectories(partial);
    return new ResultsFolder(partial, published, run.name() + "/" + run.id());
  }

  /** The name of a folder that is not published yet. */
  public static String partialName(String published) {
    return "." + published + ".partial";
  }

  /** The folder while it is being written. */
  public Path path() {
    return partial;
  }

  /** The published folder, relative to the root of the results volume. */
  public String relativePath() {
    return relative;
  }

  /** A file of the folder could not be written. */
  public static final class NotWrittenException extends IOException {
    private static final long serialVersionUID = 1;

    NotWrittenException(String file, IOException cause) {
      super(file + " cannot be written: " + cause, cause);
    }
  }

  /**
   * Writes a text file whole or not at all.
   *
   * @throws NotWrittenException if that is not possible
   */
  public void write(String file, String content) throws NotWrittenException {
    Path target = partial.resolve(file);
    Path written = target.resolveSibling("." + target.getFileName() + ".tmp");
    try {
      Files.createDirectories(target.getParent());
      // Not writeString: it throws on the half characters that a server may send in JSON.
      Files.write(written, content.getBytes(StandardCharsets.UTF_8));
      Files.move(
          written, target, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    } catch (IOException e) {
      throw new NotWrittenException(file, e);
    }
  }

  /**
   * Writes the manifest and beside it the statement of what is in the folder, and gives the folder
   * its final name. Nothing may write to the folder afterwards.
   *
   * @param key that signs it; null: nobody does
   */
  public void publish(RunPlan plan, RunSummary summary, @Nullable PrivateKey key)
      throws IOException {
    Manifest manifest = new Manifest(1, entries());
    write(MANIFEST, ContractJson.writePretty(manifest) + "\n");
    String statement =
        ContractJson.writePretty(
                Statement.of(manifest, sha256(partial.resolve(MANIFEST)), plan, summary))
            + "\n";
    write(Statement.FILE, statement);
    if (key != null) {
      Dsse envelope = Dsse.sign(statement.getBytes(StandardCharsets.UTF_8), Dsse.IN_TOTO, key);
      write(Statement.SIGNED_FILE, ContractJson.writePretty(envelope) + "\n");
    }
    Files.move(partial, published, StandardCopyOption.ATOMIC_MOVE);
  }

  /**
   * Takes files away from a writer that may still have them open: what it writes from now on goes
   * nowhere. For a test that does not end, whose logs must not change once they are in the
   * manifest.
   *
   * @param prefix of the names of the files, which are directly in the folder
   */
  public void takeAway(String prefix) throws IOException {
    List<Path> files;
    try (Stream<Path> all = Files.list(partial)) {
      files = all.filter(file -> file.getFileName().toString().startsWith(prefix)).toList();
    }
    for (Path file : files) {
      Path copy = file.resolveSibling("." + file.getFileName() + ".tmp");
      Files.copy(file, copy, StandardCopyOption.REPLACE_EXISTING);
      Files.move(copy, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    }
  }

  /** Removes the folder, which was not published. */
  public void discard() throws IOException {
    removeTree(partial);
  }

  private List<Manifest.Entry> entries() throws IOException {
    try (Stream<Path> files = Files.walk(partial)) {
      return files
          .filter(Files::isRegularFile)
          .sorted()
          .map(
              file ->
                  new Manifest.Entry(
                      partial.relativize(file).toString().replace('\\', '/'),
                      size(file),
                      sha256(file)))
          .toList();
    }
  }

  private static long size(Path file) {
    try {
      return Files.size(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static String sha256(Path file) {
    try (InputStream in = Files.newInputStream(file)) {
      MessageDigest digest = MessageDigest.getInstance("SHA-256");
      try (OutputStream out = new DigestOutputStream(OutputStream.nullOutputStream(), digest)) {
        in.transferTo(out);
      }
      return HexFormat.of().formatHex(digest.digest());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (NoSuchAlgorithmException e) {
      throw new AssertionError("every Java platform has SHA-256", e);
    }
  }

  private static void removeTree(Path root) throws IOException {
    if (!Files.exists(root)) {
      return;
    }
    try (Stream<Path> files = Files.walk(root)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(file);
      }
    }
  }
}
