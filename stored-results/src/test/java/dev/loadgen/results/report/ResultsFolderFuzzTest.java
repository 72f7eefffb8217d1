package dev.loadgen.results.report;

import static org.assertj.core.api.Assertions.assertThat;

import dev.loadgen.contract.ContractJson;
import dev.loadgen.contract.EngineFacts;
import dev.loadgen.contract.PlanBuilder;
import dev.loadgen.contract.Provenance;
import dev.loadgen.contract.RunPlan;
import dev.loadgen.fuzz.Fuzz;
import dev.loadgen.fuzz.Mutations;
import dev.loadgen.results.ResultsFolder;
import dev.loadgen.results.ResultsFolder.Manifest;
import dev.loadgen.rules.check.OneSystem;
import dev.loadgen.rules.evidence.TestedSystem;
import dev.loadgen.rules.log.UnreadableLogException;
import dev.loadgen.rules.ruleset.Ruleset;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.zip.GZIPInputStream;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A results folder of which any file may be another, and whose manifest fits it: it is reported,
 * compared and judged, or what cannot be read is named.
 */
class ResultsFolderFuzzTest {
  private static final String DETAIL = "mlperf_log_detail.txt";
  private static final String METRICS = "server/metrics.csv.gz";
  private static final List<String> FILES =
      List.of(
          "plan.json",
          "summary.json",
          "environment.json",
          "server/tokens.json",
          "accuracy.json",
          "debug/phases.json",
          "debug/token-statistics.json",
          ResultsFolder.REQUESTS,
          METRICS,
          DETAIL,
          ResultsFolder.MANIFEST);

  private static final Provenance SEEN =
      new Provenance(
          1L,
          "0.14",
          List.of(
              new Provenance.Servers(
                  "vllm:0.14",
                  "vllm@sha256:1",
                  List.of("vllm"),
                  List.of("serve", "--seed=0"),
                  new Provenance.Gpus(8, "nvidia.com/gpu", "H200", "143771 MiB", "580.65"),
                  List.of(new Provenance.ServerPod("server-0", "node-1")))),
          new Provenance.Runner("runner:1", "runner@sha256:2", "1"),
          List.of("pod server-0 has another command"));
  private static final EngineFacts TOLD =
      new EngineFacts(
          "0.14",
          Map.of("seed", "0"),
          List.of(new EngineFacts.Differing("server-0", "0.13", Map.of("seed", "1"))),
          List.of("server-1"));

  private final Path root;

  ResultsFolderFuzzTest(@TempDir Path root) {
    this.root = root;
  }

  private Path publish() throws Exception {
    Path folder =
        new StoredFolder(root)
            .plan(
                new PlanBuilder()
                    .benchmark("llama3.1-8b", "llama3_1-8b")
                    .replica("http://127.0.0.1:1")
                    .servers(s -> s.draft(new RunPlan.Draft("d", "EAGLE", 3, 1, List.of())))
                    .provenance(SEEN))
            .provenance(SEEN, TOLD)
            .environment(
                Map.of(
                    "runnerVersion",
                    "test",
                    StoredProvenance.ENDED,
                    SEEN,
                    StoredProvenance.ENGINE,
                    TOLD,
                    StoredProvenance.ENGINE_CHANGES,
                    List.of("a flag is gone")))
            .samples(StoredFolder.streamed(60, "broken"))
            .reason("Ttft", "too late", "be faster")
            .file(
                DETAIL,
                Files.readString(
                    Path.of(
                        "../rules/src/test/resources/dev/loadgen/rules/logs/offline-valid.txt")))
            .file(
                "accuracy.json",
                "{\"scores\": [{\"name\": \"ROUGE1\", \"atLeast\": 1.5, \"atMost\": 2}], \"samples\": 3}")
            .file("debug/phases.json", "{\"phases\": [{\"phase\": \"queued\", \"p50\": 1.5}]}")
            .file("debug/token-statistics.json", "{\"input\": {\"mean\": 2.5}, \"output\": {}}")
            .publish();
    put(
        folder,
        METRICS,
        gzip(
            "seconds,replica,metric,kind,statistic,unit,value\n0.5,server-0,ttft,histogram,p50,seconds,0.25\n"
                .getBytes(StandardCharsets.UTF_8)));
    return folder;
  }

  /** Writes a file, and what the manifest says of it. */
  private static void put(Path folder, String file, byte[] content) throws Exception {
    Files.write(folder.resolve(file), content);
    if (file.equals(ResultsFolder.MANIFEST)) {
      return;
    }
    Path path = folder.resolve(ResultsFolder.MANIFEST);
    Manifest manifest = ContractJson.read(Files.readString(path), Manifest.class);
    List<Manifest.Entry> entries = new ArrayList<>(manifest.files());
    entries.removeIf(entry -> entry.path().equals(file));
    String sha256 = HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(content));
    entries.add(new Manifest.Entry(file, content.length, sha256));
    Files.writeString(path, ContractJson.write(new Manifest(manifest.version(), entries)));
  }

  private static byte[] gzip(byte[] content) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (GZIPOutputStream gzip = new GZIPOutputStream(bytes)) {
      gzip.write(content);
    }
    return bytes.toByteArray();
  }

  /** The number of a file, and another content of it. */
  private static byte[] another(Mutations change, List<byte[]> contents) throws IOException {
    int number = change.below(FILES.size());
    byte[] content = contents.get(number);
    String file = FILES.get(number);
    byte[] changed;
    if (file.endsWith(".gz") && change.oneIn(8)) {
      changed = change.bytes(content);
    } else if (file.endsWith(".gz")) {
      byte[] table = new GZIPInputStream(new ByteArrayInputStream(content)).readAllBytes();
      changed =
          gzip(
              change
                  .lines(new String(table, StandardCharsets.UTF_8))
                  .getBytes(StandardCharsets.UTF_8));
    } else if (file.equals(DETAIL)) {
      changed =
          change
              .lines(new String(content, StandardCharsets.UTF_8))
              .getBytes(StandardCharsets.UTF_8);
    } else {
      changed = change.json(content);
    }
    byte[] input = new byte[changed.length + 1];
    input[0] = (byte) number;
    System.arraycopy(changed, 0, input, 1, changed.length);
    return input;
  }

  @Test
  void folders() throws Exception {
    Path folder = publish();
    List<byte[]> contents = new ArrayList<>();
    for (String file : FILES) {
      contents.add(Files.readAllBytes(folder.resolve(file)));
    }
    byte[] manifest = contents.getLast();
    Fuzz.of("results-folder")
        .refusing(UnreadableRunException.class)
        .refusing(UnreadableLogException.class)
        .run(
            200,
            change -> another(change, contents),
            input -> {
              String file = FILES.get(input[0]);
              put(folder, file, Arrays.copyOfRange(input, 1, input.length));
              try {
                use(folder);
                return true;
              } finally {
                Files.write(folder.resolve(file), contents.get(input[0]));
                Files.write(folder.resolve(ResultsFolder.MANIFEST), manifest);
              }
            });
  }

  private static void use(Path folder) throws UnreadableRunException, UnreadableLogException {
    StoredRun run = StoredRun.readPublished(folder);
    assertThat(HtmlReport.html(run, "")).startsWith("<!doctype html>");
    List<ComparedRun> twice = List.of(ComparedRun.read(folder), ComparedRun.read(folder));
    assertThat(HtmlComparison.html(Comparison.of(twice), twice)).startsWith("<!doctype html>");
    for (String name : List.of(Ruleset.NONE, "v6.1")) {
      Ruleset rules = Ruleset.named(name);
      TestedSystem test = StoredSystem.test("run", run);
      assertThat(OneSystem.judge(rules, List.of(test, test)).findings()).isEmpty();
      if (run.summary().result() != null
          && rules.benchmarks().containsKey(run.plan().test().benchmark())) {
        assertThat(StoredVerdict.judge(folder, run.plan(), run.summary().result(), rules))
            .isNotNull();
      }
    }
  }
}
