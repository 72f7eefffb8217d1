package dev.loadgen.results.report;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.loadgen.contract.ContractJson;
import dev.loadgen.contract.EngineFacts;
import dev.loadgen.contract.PlanBuilder;
import dev.loadgen.contract.Provenance;
import dev.loadgen.contract.Provenance.Gpus;
import dev.loadgen.contract.Provenance.Runner;
import dev.loadgen.contract.Provenance.ServerPod;
import dev.loadgen.contract.Provenance.Servers;
import dev.loadgen.contract.RunPlan;
import dev.loadgen.rules.evidence.ServerEvidence.Attestation;
import java.io.IOException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class StoredProvenanceTest {
  private static final Gpus H100 = new Gpus(8, "nvidia.com/gpu", "H100", "81559 MiB", "570.1");
  private static final List<String> ARGS = List.of("m", "--max-num-seqs", "256");
  private static final Servers PLANNED =
      servers("vllm:1", "sha256:a", List.of("vllm", "serve"), ARGS, H100);

  @Test
  void whatWasSeenBeforeAndAfterIsTold() throws Exception {
    Provenance planned = seen(PLANNED);
    Provenance ended = seen();
    Map<String, Object> environment = new LinkedHashMap<>();
    environment.put("provenance", ended);
    environment.put(
        "engineChanges", List.of("a says that it is version 2, and before it was 1", ""));

    Attestation attestation =
        StoredProvenance.of(plan(planned), tree(environment), Path.of("environment.json"))
            .attestation();

    assertThat(attestation)
        .isEqualTo(
            new Attestation(
                planned, ended, List.of("a says that it is version 2, and before it was 1")));
    assertThat(
            StoredProvenance.of(plan(null), tree(Map.of()), Path.of("environment.json"))
                .attestation())
        .isEqualTo(new Attestation(null, null, List.of()));
  }

  @Test
  void allThatIsKnownStandsTogether() throws Exception {
    Map<String, Object> environment = new LinkedHashMap<>();
    environment.put("runnerVersion", "0.1.0+96f94f4");
    environment.put(
        "provenance",
        new Provenance(
            2L, null, List.of(PLANNED), new Runner("runner:1", "sha256:r", null), List.of()));
    environment.put(
        "engine",
        new EngineFacts(
            null,
            Map.of(),
            List.of(
                new EngineFacts.Differing("a", "0.32.0", Map.of()),
                new EngineFacts.Differing("b", "0.31.0", Map.of())),
            List.of()));

    StoredProvenance known =
        StoredProvenance.of(
            plan(new Provenance(1L, null, List.of(), null, List.of())),
            tree(environment),
            Path.of("environment.json"));

    assertThat(known.provenance())
        .isEqualTo(
            new Provenance(
                1L,
                "0.32.0, 0.31.0",
                List.of(PLANNED),
                new Runner("runner:1", "sha256:r", "0.1.0+96f94f4"),
                null));
  }

  private static Provenance seen(Servers... servers) {
    return new Provenance(1L, null, List.of(servers), null, List.of());
  }

  private static Servers servers(
      String image, @Nullable String id, List<String> command, List<String> args, Gpus gpus) {
    return new Servers(image, id, command, args, gpus, List.of(new ServerPod("llm-0", "n1")));
  }

  private static JsonNode tree(Map<String, Object> environment) throws IOException {
    return new ObjectMapper().readTree(ContractJson.write(environment));
  }

  private static RunPlan plan(@Nullable Provenance planned) {
    return new PlanBuilder().replica("http://127.0.0.1:1").provenance(planned).build();
  }
}
