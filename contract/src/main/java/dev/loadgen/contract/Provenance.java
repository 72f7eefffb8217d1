package dev.loadgen.contract;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.fabric8.generator.annotation.Max;
import io.fabric8.generator.annotation.Min;
import java.util.List;

/**
 * What a test measures, and by what: as pods and nodes are, and not as a spec asks for them. What
 * nobody could see is null.
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record Provenance(
    @JsonPropertyDescription("The generation of the backend's spec when the test was planned.")
        Long backendGeneration,
    @JsonPropertyDescription(
            "The engine's version by its own account; set when the test has ended. Servers that differ are all named.")
        String engineVersion,
    @JsonPropertyDescription(
            "The servers; those that are alike are one entry. None where they are somebody else's.")
        List<Servers> servers,
    @JsonPropertyDescription("The client.") Runner runner,
    @JsonPropertyDescription(
            "What is not as the operator makes it, so that the result may speak of something else; the verdict then is not Valid.")
        List<String> problems) {

  /** Servers that are alike but for their names and nodes. */
  @JsonInclude(JsonInclude.Include.NON_NULL)
  public record Servers(
      @JsonPropertyDescription("Container image, by the name that the pods ask for.") String image,
      @JsonPropertyDescription("The image that runs, by its digest, as the node tells it.")
          String imageId,
      @JsonPropertyDescription("The container's command.") List<String> command,
      @JsonPropertyDescription(
              "The container's arguments. A status has the first of a long list; plan.json of the results has all.")
          List<String> args,
      @JsonPropertyDescription("GPUs of each pod; unset where it has none.") Gpus gpus,
      @JsonPropertyDescription("The pods.") List<ServerPod> pods) {}

  /** A server, or one node's part of it. */
  @JsonInclude(JsonInclude.Include.NON_NULL)
  public record ServerPod(
      @JsonPropertyDescription("Name of the pod; that of a server's first pod is the replica's.")
          String name,
      @JsonPropertyDescription("The node that it runs on.") String node) {}

  /** GPUs of a pod. */
  @JsonInclude(JsonInclude.Include.NON_NULL)
  public record Gpus(
      @JsonPropertyDescription("How many.") @Min(0) @Max(Integer.MAX_VALUE) Integer count,
      @JsonPropertyDescription("The resource that they are taken as, such as nvidia.com/gpu.")
          String resource,
      @JsonPropertyDescription("The product, by the label of the node.") String product,
      @JsonPropertyDescription("Memory of one GPU with its unit, by the label of the node.")
          String memory,
      @JsonPropertyDescription("Version of the driver, by the labels of the node.")
          String driver) {}

  /** The program that drives LoadGen. */
  @JsonInclude(JsonInclude.Include.NON_NULL)
  public record Runner(
      @JsonPropertyDescription("Container image, by the name that the pod asks for.") String image,
      @JsonPropertyDescription("The image that runs, by its digest, as the node tells it.")
          String imageId,
      @JsonPropertyDescription(
              "Version and Git commit by the runner's own account; set when the test has ended.")
          String version) {}

  /** The servers, none unless set. */
  public List<Servers> serversOrNone() {
    return servers == null ? List.of() : servers;
  }

  /** The problems, none unless set. */
  public List<String> problemsOrNone() {
    return problems == null ? List.of() : problems;
  }

  /** The same with what servers and runner say of their own versions. */
  public Provenance withVersions(String engine, String ofRunner) {
    Runner client = runner == null ? new Runner(null, null, null) : runner;
    return new Provenance(
        backendGeneration,
        engine,
        servers,
        ofRunner == null ? runner : new Runner(client.image(), client.imageId(), ofRunner),
        problems);
  }

  /** The same with another runner; its version stays where the other has none. */
  public Provenance withRunner(Runner other) {
    String version = other.version() == null && runner != null ? runner.version() : other.version();
    return new Provenance(
        backendGeneration,
        engineVersion,
        servers,
        new Runner(other.image(), other.imageId(), version),
        problems);
  }
}
