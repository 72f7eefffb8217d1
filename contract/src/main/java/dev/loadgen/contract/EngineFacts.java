package dev.loadgen.contract;

import com.fasterxml.jackson.annotation.JsonInclude;
import java.util.List;
import java.util.Map;

/**
 * What the servers say of their own program: its version, and the arguments that it runs with as
 * itself understands them. Secrets are taken out.
 *
 * @param version of all servers that report one; null: none does, or they differ
 * @param arguments those that are the same on all servers that report any, in alphabetical order
 * @param differing what servers have that others have not, or otherwise; empty where all are alike
 * @param silent servers that report no arguments
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record EngineFacts(
    String version, Map<String, String> arguments, List<Differing> differing, List<String> silent) {
  /**
   * What one server has for itself.
   *
   * @param version null: as all others
   */
  @JsonInclude(JsonInclude.Include.NON_NULL)
  public record Differing(String server, String version, Map<String, String> arguments) {}
}
