package dev.loadgen.results.report;

import com.fasterxml.jackson.core.JsonProcessingException;
import dev.loadgen.contract.ContractJson;
import dev.loadgen.contract.Dsse;
import dev.loadgen.results.ResultsFolder;
import dev.loadgen.results.ResultsFolder.Manifest;
import dev.loadgen.results.Statement;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.security.PublicKey;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Holds a whole results folder against its manifest, and against the statement of it.
 *
 * @param files how many the manifest names
 * @param differences what is not as it says, in the order of the manifest; extra files come last
 * @param statement what is stated; null: nothing is, as by older versions
 * @param signature whether that is signed
 */
public record FolderCheck(
    int files, List<Difference> differences, @Nullable Statement statement, Signature signature) {
  /** Beside the manifest, which cannot name what is made of it. */
  private static final Set<String> BESIDE =
      Set.of(ResultsFolder.MANIFEST, Statement.FILE, Statement.SIGNED_FILE);

  /** How a file is not as the manifest says. */
  public enum Kind {
    /** The manifest names it, and it is not there. */
    MISSING,
    /** It is there, and the manifest does not name it. */
    EXTRA,
    /** Its content is another. */
    CHANGED
  }

  /**
   * A file that is not as it was written.
   *
   * @param file its path in the folder
   * @param words what is wrong, for people
   */
  public record Difference(String file, Kind kind, String words) {}

  /** Whether a statement is signed, and by whom. */
  public enum Signature {
    /** There is no signature. */
    NONE,
    /** There is one, and no key to hold it against. */
    NOT_CHECKED,
    /** It is of the key. */
    VERIFIED,
    /** It is not of the key, or not of this statement. */
    WRONG
  }

  /** Whether each file is as it was written. */
  public boolean complete() {
    return differences.isEmpty();
  }

  /**
   * Checks a folder.
   *
   * @param key whose signature it shall have; null: whoever's
   * @throws UnreadableRunException if it is no results folder, or cannot be read
   */
  public static FolderCheck of(Path folder, @Nullable PublicKey key) throws UnreadableRunException {
    if (!Files.isDirectory(folder)) {
      throw new UnreadableRunException(
          folder + ": is not a folder; name the results folder of a run, NAMESPACE/RUN/UID");
    }
    Manifest manifest = PublishedFiles.manifestOf(folder);
    try {
      List<Difference> differences = new ArrayList<>();
      Set<String> named = new TreeSet<>();
      for (Manifest.Entry entry : manifest.files()) {
        named.add(entry.path());
        difference(folder, entry).ifPresent(differences::add);
      }
      Statement statement = statement(folder);
      if (statement != null) {
        stated(folder, manifest, statement, differences);
      }
      Signature signature = signature(folder, key, differences);
      for (String file : regular(folder)) {
        if (!named.contains(file) && !BESIDE.contains(file)) {
          differences.add(
              new Difference(
                  file,
                  Kind.EXTRA,
                  "is there, and the manifest does not name it; move it out of the folder"));
        }
      }
      return new FolderCheck(
          manifest.files().size(), List.copyOf(differences), statement, signature);
    } catch (IOException e) {
      throw new UnreadableRunException(folder + ": cannot be read: " + e.getMessage(), e);
    }
  }

  private static Optional<Difference> difference(Path folder, Manifest.Entry entry)
      throws UnreadableRunException, IOException {
    Path file = folder.resolve(entry.path()).normalize();
    if (!file.startsWith(folder.normalize()) || entry.path().startsWith("/")) {
      throw new UnreadableRunException(
          folder.resolve(ResultsFolder.MANIFEST)
              + ": names "
              + entry.path()
              + ", which is not in the folder; it is not the manifest of a run");
    }
    if (!Files.exists(file, LinkOption.NOFOLLOW_LINKS)) {
      return Optional.of(
          new Difference(
              entry.path(),
              Kind.MISSING,
              "is missing, though the manifest names it; copy the folder again"));
    }
    if (!Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS)) {
      return Optional.of(
          new Difference(entry.path(), Kind.CHANGED, "is not a file any more; copy it again"));
    }
    long size = Files.size(file);
    if (size != entry.size()) {
      return Optional.of(
          new Difference(
              entry.path(),
              Kind.CHANGED,
              "has " + size + " bytes, the manifest says " + entry.size() + "; copy it again"));
    }
    return PublishedFiles.sha256(file).equals(entry.sha256())
        ? Optional.empty()
        : Optional.of(
            new Difference(
                entry.path(),
                Kind.CHANGED,
                "has another SHA-256 than the manifest says; copy it again"));
  }

  private static @Nullable Statement statement(Path folder)
      throws UnreadableRunException, IOException {
    Path file = folder.resolve(Statement.FILE);
    if (!Files.exists(file)) {
      return null;
    }
    try {
      Statement statement = ContractJson.readTolerantly(Files.readString(file), Statement.class);
      if (statement == null
          || !Statement.TYPE.equals(statement.type())
          || !Statement.PREDICATE.equals(statement.predicateType())
          || statement.subject() == null
          || statement.subject().contains(null)
          || statement.predicate() == null
          || statement.predicate().run() == null) {
        throw new UnreadableRunException(
            file
                + ": is not a statement of a run that this loadgen can read; use the loadgen of the"
                + " version that made the folder");
      }
      return statement;
    } catch (JsonProcessingException e) {
      throw new UnreadableRunException(
          file + ": cannot be understood: " + e.getOriginalMessage() + "; copy the file again", e);
    }
  }

  /** The statement is of the very manifest, and of what it names. */
  private static void stated(
      Path folder, Manifest manifest, Statement statement, List<Difference> differences)
      throws IOException {
    Map<String, String> subjects = new LinkedHashMap<>();
    for (Statement.Subject subject : statement.subject()) {
      subjects.put(
          subject.name(),
          subject.digest() == null ? "" : String.valueOf(subject.digest().sha256()));
    }
    Map<String, String> expected = new LinkedHashMap<>();
    expected.put(
        ResultsFolder.MANIFEST, PublishedFiles.sha256(folder.resolve(ResultsFolder.MANIFEST)));
    manifest.files().forEach(entry -> expected.put(entry.path(), entry.sha256()));
    if (!subjects.equals(expected)) {
      differences.add(
          new Difference(
              ResultsFolder.MANIFEST,
              Kind.CHANGED,
              "is not the one that " + Statement.FILE + " speaks of; copy both again"));
    }
  }

  private static Signature signature(
      Path folder, @Nullable PublicKey key, List<Difference> differences)
      throws UnreadableRunException, IOException {
    Path file = folder.resolve(Statement.SIGNED_FILE);
    if (!Files.exists(file)) {
      return Signature.NONE;
    }
    Dsse envelope;
    byte[] payload;
    try {
      envelope = ContractJson.readTolerantly(Files.readString(file), Dsse.class);
      if (envelope == null || envelope.payload() == null || envelope.payloadType() == null) {
        throw new UnreadableRunException(file + ": is not a signed envelope; copy the file again");
      }
      payload = envelope.bytes();
    } catch (JsonProcessingException | IllegalArgumentException e) {
      throw new UnreadableRunException(
          file + ": is not a signed envelope: " + e.getMessage() + "; copy the file again", e);
    }
    Path statement = folder.resolve(Statement.FILE);
    if (!Files.exists(statement)) {
      differences.add(
          new Difference(
              Statement.FILE,
              Kind.MISSING,
              "is missing, though "
                  + Statement.SIGNED_FILE
                  + " has a signature of it; copy it again"));
    } else if (!Arrays.equals(payload, Files.readAllBytes(statement))) {
      differences.add(
          new Difference(
              Statement.FILE,
              Kind.CHANGED,
              "is not what " + Statement.SIGNED_FILE + " has signed; copy both again"));
    }
    if (key == null) {
      return Signature.NOT_CHECKED;
    }
    return envelope.payloadType().equals(Dsse.IN_TOTO) && envelope.isSignedBy(key)
        ? Signature.VERIFIED
        : Signature.WRONG;
  }

  /** Everything that is not a folder, by its path with {@code /}; links are not followed. */
  private static List<String> regular(Path folder) throws IOException {
    try (Stream<Path> all = Files.walk(folder)) {
      return all.filter(path -> !Files.isDirectory(path, LinkOption.NOFOLLOW_LINKS))
          .map(path -> folder.relativize(path).toString().replace('\\', '/'))
          .sorted()
          .toList();
    }
  }
}
