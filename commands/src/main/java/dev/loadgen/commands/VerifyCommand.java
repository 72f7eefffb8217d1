package dev.loadgen.commands;

import com.fasterxml.jackson.annotation.JsonInclude;
import dev.loadgen.commands.console.TextTable;
import dev.loadgen.contract.ContractJson;
import dev.loadgen.contract.PemKeys;
import dev.loadgen.contract.Provenance;
import dev.loadgen.results.Statement;
import dev.loadgen.results.report.FolderCheck;
import dev.loadgen.results.report.FolderCheck.Difference;
import dev.loadgen.results.report.FolderCheck.Kind;
import dev.loadgen.results.report.FolderCheck.Signature;
import dev.loadgen.results.report.UnreadableRunException;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.PublicKey;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code loadgen verify}: whether a results folder is as its run left it, and who says so. */
@Command(
    name = "verify",
    sortOptions = false,
    usageHelpAutoWidth = true,
    mixinStandardHelpOptions = true,
    description = {
      "Check each file of a results folder against its manifest, and the manifest against the run's"
          + " in-toto statement. With a key, check the statement's signature, too.",
      "Without a key, this detects accidental changes, but not someone who changes all files"
          + " consistently."
    },
    exitCodeListHeading = "Exit status:%n",
    exitCodeList = {
      "0:every file is as the run left it, and, with --key, signed by it",
      "1:a file is missing, extra or changed, or there is no signature by the key",
      "2:the folder is not a results folder, or manifest, statement, signature or key cannot be"
          + " read"
    })
final class VerifyCommand implements Callable<Integer> {
  private static final int DIFFERENT = 1;

  private final Surroundings surroundings;

  @Parameters(paramLabel = "FOLDER", description = "A results folder, NAMESPACE/RUN/UID.")
  @SuppressWarnings("NullAway.Init") // picocli sets it, or refuses the command line
  private Path folder;

  @Option(
      names = "--key",
      paramLabel = "FILE",
      description =
          "The public key, in PEM, that the folder must be signed with. Default: the signature is"
              + " not checked.")
  private @Nullable Path key;

  @Option(
      names = {"-o", "--output"},
      paramLabel = "FORMAT",
      description = "${COMPLETION-CANDIDATES}. Default: ${DEFAULT-VALUE}.")
  private OutputFormat output = OutputFormat.table;

  VerifyCommand(Surroundings surroundings) {
    this.surroundings = surroundings;
  }

  @Override
  public Integer call() throws BadInputException, UnreadableRunException {
    FolderCheck check = FolderCheck.of(folder, key());
    boolean good = check.complete() && (key == null || check.signature() == Signature.VERIFIED);
    PrintWriter out = surroundings.out();
    switch (output) {
      case json ->
          out.println(
              ContractJson.writePretty(
                  new Document(
                      good,
                      check.files(),
                      check.differences(),
                      check.signature(),
                      check.statement())));
      case table -> print(out, check);
    }
    out.flush();
    return good ? 0 : DIFFERENT;
  }

  private @Nullable PublicKey key() throws BadInputException {
    if (key == null) {
      return null;
    }
    try {
      return PemKeys.publicKey(Files.readString(key));
    } catch (IOException e) {
      throw new BadInputException("--key", key, e);
    } catch (IllegalArgumentException e) {
      throw new BadInputException("--key " + key + ": " + e.getMessage(), e);
    }
  }

  private void print(PrintWriter out, FolderCheck check) {
    if (!check.differences().isEmpty()) {
      TextTable table = new TextTable().row("FILE", "IS", "");
      for (Difference difference : check.differences()) {
        table.row(
            difference.file(),
            difference.kind().name().toLowerCase(Locale.ROOT),
            difference.words());
      }
      table.print(out, 0);
      out.println();
    }
    TextTable table = new TextTable();
    Statement statement = check.statement();
    if (statement != null) {
      of(table, statement.predicate());
    }
    table.row("files", files(check));
    table.row("statement", statement == null ? "none" : Statement.FILE);
    table.row("signature", signature(check));
    table.print(out, 0);
  }

  private static void of(TextTable table, Statement.Predicate run) {
    table.row("run", run.run().namespace() + "/" + run.run().name() + ", " + run.run().id());
    table.row(
        "verdict",
        run.failure() != null
            ? "none: " + run.failure().reason()
            : run.verdict() == null ? "none" : run.verdict().name());
    Provenance provenance = run.provenance();
    if (provenance == null) {
      return;
    }
    provenance.serversOrNone().stream()
        .map(
            servers ->
                String.valueOf(servers.imageId() == null ? servers.image() : servers.imageId()))
        .distinct()
        .forEach(image -> table.row("servers", image));
    if (provenance.runner() != null) {
      table.row(
          "runner",
          provenance.runner().imageId() == null
              ? String.valueOf(provenance.runner().version())
              : provenance.runner().imageId());
    }
  }

  private static String files(FolderCheck check) {
    return "%s in the manifest, %s missing, %s changed, %s extra"
        .formatted(
            check.files(),
            count(check, Kind.MISSING),
            count(check, Kind.CHANGED),
            count(check, Kind.EXTRA));
  }

  private static long count(FolderCheck check, Kind kind) {
    return check.differences().stream().filter(difference -> difference.kind() == kind).count();
  }

  private String signature(FolderCheck check) {
    return switch (check.signature()) {
      case NONE ->
          key == null
              ? "none: anyone who can write to the folder could have written all of it"
              : "none, and --key asks for one: the run named no key"
                  + " (spec.results.signingKeySecretRef), or attestation.json is gone; copy the"
                  + " folder again";
      case NOT_CHECKED -> "present, but not checked; to check it, give the key: --key FILE";
      case VERIFIED -> "of " + key;
      case WRONG ->
          "attestation.json is not signed by "
              + key
              + "; copy the file again, and get the public key from the team that runs the"
              + " benchmarks";
    };
  }

  @JsonInclude(JsonInclude.Include.NON_NULL)
  private record Document(
      boolean verified,
      int files,
      List<Difference> differences,
      Signature signature,
      @Nullable Statement statement) {}
}
