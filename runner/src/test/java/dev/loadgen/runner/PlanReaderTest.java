package dev.loadgen.runner;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.loadgen.contract.ContractJson;
import dev.loadgen.contract.PlanBuilder;
import dev.loadgen.contract.RunPlan;
import dev.loadgen.contract.RunnerExit;
import dev.loadgen.contract.Scenario;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A plan that cannot be carried out is refused with the field and the cure. */
class PlanReaderTest {
  private static final ObjectMapper MAPPER = new ObjectMapper();

  private final Path file;

  PlanReaderTest(@TempDir Path folder) {
    this.file = folder.resolve("plan.json");
  }

  private static RunPlan good() {
    return new PlanBuilder().replica("http://server:8000").build();
  }

  private String refusal(String content) throws Exception {
    Files.writeString(file, content);
    RunFailedException refused =
        catchThrowableOfType(RunFailedException.class, () -> PlanReader.read(file));
    assertThat(refused).as("%s is refused", content).isNotNull();
    assertThat(refused.exit()).isEqualTo(RunnerExit.PLAN_INVALID);
    assertThat(refused).message().startsWith("plan plan.json: ");
    return String.valueOf(refused.getMessage());
  }

  /** The good plan with one value changed; without a value the field is removed. */
  private static String changed(String path, @Nullable String value) throws Exception {
    JsonNode plan = MAPPER.readTree(ContractJson.write(good()));
    int dot = path.lastIndexOf('/');
    ObjectNode parent = (ObjectNode) (dot < 0 ? plan : plan.at("/" + path.substring(0, dot)));
    String field = path.substring(dot + 1);
    if (value == null) {
      parent.remove(field);
    } else {
      parent.set(field, MAPPER.readTree(value));
    }
    return plan.toString();
  }

  @Test
  void goodPlanIsReadAsItWasWritten() throws Exception {
    Files.writeString(file, ContractJson.writePretty(good()));
    assertThat(PlanReader.read(file)).isEqualTo(good());
  }

  @Test
  void theBenchmarksPlanIsAGoodOne() throws Exception {
    Path plan = Path.of("..", "hack", "benchmark", "plan.json");
    assertThat(PlanReader.read(plan).test().benchmark()).isEqualTo("custom");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "run",
        "test",
        "server",
        "dataset",
        "client",
        "sampling",
        "timeouts",
        "run/name",
        "run/uid",
        "run/namespace",
        "test/benchmark",
        "test/ruleset",
        "test/scenario",
        "test/mode",
        "test/completionData",
        "server/engine",
        "server/endpointType",
        "server/model",
        "server/replicas",
        "server/replicas/0/name",
        "server/replicas/0/url",
        "dataset/path",
        "dataset/format",
        "client/loadBalancing",
        "sampling/maxNewTokens"
      })
  void everyFieldThatIsNeededIsAskedFor(String path) throws Exception {
    String field = path.replace("/0", "").replace('/', '.');
    assertThat(refusal(changed(path, null)))
        .contains(path.equals("dataset/path") ? "dataset: give exactly one of" : field + ":");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "version                  | 1          | version: this runner carries out version 2, not 1",
        "version                  | null       | version",
        "extra                    | 1          | extra",
        "run/name                 | \"../up\"  | run.name: \"../up\" cannot name a folder",
        "run/uid                  | \"a/b\"    | run.uid",
        "run/uid                  | \"..\"     | run.uid",
        "run/uid                  | \".x\"     | run.uid",
        "run/uid                  | \"\"       | run.uid",
        "test/benchmark           | \"gpt-9\"  | test.benchmark: benchmark gpt-9 is not known",
        "test/ruleset             | \"v0.5\"   | test.ruleset: ruleset v0.5 is not known",
        "test/scenario            | \"Multi\"  | test.scenario",
        "test/mode                | 5          | test.mode",
        "test/coalesceQueries     | null       | test.coalesceQueries",
        "test/ttftLimitMs         | 0.5        | test.ttftLimitMs: LoadGen's configuration takes whole",
        "test/tpotLimitMs         | 10.5       | test.tpotLimitMs",
        "test/latencyLimitMs      | -3         | test.latencyLimitMs",
        "server/engine            | \"triton\" | server.engine",
        "server/replicas          | []         | server.replicas: name at least one server",
        "server/replicas          | [null]     | server.replicas: has an entry that is null; remove it",
        "metrics/series           | [null]     | metrics.series: has an entry that is null; remove it",
        "sampling/stop            | [null]     | sampling.stop: has an entry that is null; remove it",
        "sampling/stopTokenIds    | [1, null]  | sampling.stopTokenIds: has an entry that is null; remove it",
        "server/replicas/0/url    | \"here\"   | server.replicas.url: \"here\" is not a valid"
            + " server address",
        "server/replicas/0/url    | \"ftp://h\" | server.replicas.url",
        "server/replicas/0/url    | \"http:// x\" | server.replicas.url",
        "server/replicas/0/url    | \"http://\" | server.replicas.url",
        "dataset/path             | \"a\\u0000b\" | dataset.path: is not a valid file path",
        "dataset/url              | \"http://d\" | dataset: give exactly one of path and url",
        "server/replicas/0/url    | \"http://u:p@h\" | server.replicas.url: \"http://h\" is not a"
            + " valid server address",
        "dataset/format           | \"Excel\"  | dataset.format",
        "client/batchSize         | 0          | client.batchSize: must be at least 1",
        "client/maxConcurrency    | 0          | client.maxConcurrency: must be at least 1",
        "client/requestTimeoutMs  | 0          | client.requestTimeoutMs: must be above 0",
        "client/warmupRequests    | -1         | client.warmupRequests: must not be negative",
        "client/loadBalancing     | \"Best\"   | client.loadBalancing",
        "sampling/maxNewTokens    | 0          | sampling.maxNewTokens: must be at least 1",
        "timeouts/readyMs         | 0          | timeouts.readyMs: must be above 0",
        "timeouts/runMs           | -5         | timeouts.runMs: must be above 0"
      })
  void valuesThatCannotBeUsedAreNamed(String path, String value, String message) throws Exception {
    assertThat(refusal(changed(path, value))).contains(message);
  }

  @Test
  void batchesAreOfflineAndNotStreamed() throws Exception {
    assertThat(
            refusal(
                ContractJson.write(
                    new PlanBuilder()
                        .replica("http://h")
                        .singleStream(5)
                        .client(c -> c.batchSize(2))
                        .build())))
        .contains("client.batchSize: only Offline sends batches");
    assertThat(
            refusal(
                ContractJson.write(
                    new PlanBuilder()
                        .replica("http://h")
                        .streams(true)
                        .client(c -> c.batchSize(2))
                        .build())))
        .contains("client.batchSize: a batch is not streamed");
  }

  @Test
  void tokenLatenciesNeedStreams() throws Exception {
    assertThat(
            refusal(
                ContractJson.write(
                    new PlanBuilder()
                        .replica("http://h")
                        .server(Scenario.Server, 5, 1)
                        .test(t -> t.tokenLatencies(true))
                        .build())))
        .contains("test.tokenLatencies", "client.streaming");
    Files.writeString(file, changed("test/tokenLatencies", "true"));
    assertThat(PlanReader.read(file).test().tokenLatencies())
        .as("Offline does without streams")
        .isTrue();
  }

  @Test
  void whatIsNoPlanIsToldApart() throws Exception {
    assertThat(refusal("{\"version\": 1,\n\n oops")).contains("not valid JSON at line 3");
    assertThat(refusal("")).contains("plan.json");
    assertThat(refusal("9".repeat(1_001))).contains("not valid JSON", "1000");
    assertThat(refusal("[]")).contains("plan.json: is not an object with fields");
    assertThat(refusal(changed("server/replicas", "[1]")))
        .endsWith("plan.json: server.replicas[0]: is not an object with fields");
    assertThat(refusal(changed("server/engine", "\"x\"")))
        .endsWith("server.engine: is not one of vllm, sglang, openai");
    assertThat(refusal("null")).contains("null");
    assertThat(refusal("[]")).contains("plan.json");
    assertThat(refusal("{}")).contains("version");
    Files.delete(file);
    assertThat(catchThrowableOfType(RunFailedException.class, () -> PlanReader.read(file)))
        .hasMessageContaining("cannot be read");
  }
}
