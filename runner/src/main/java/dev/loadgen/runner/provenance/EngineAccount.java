package dev.loadgen.runner.provenance;

import com.fasterxml.jackson.databind.JsonNode;
import dev.loadgen.client.ServerProbe;
import dev.loadgen.client.ServerProbeException;
import dev.loadgen.contract.Engine;
import dev.loadgen.contract.EngineProfile;
import dev.loadgen.contract.Excerpt;
import dev.loadgen.contract.SecretNames;
import dev.loadgen.contract.Urls;
import java.net.URI;
import java.util.Collections;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * What one server says of its own program.
 *
 * @param version null: it does not say
 * @param arguments by the names that the engine has for them; empty: it does not say. Those that
 *     nobody has set, and secrets, are not among them
 */
public record EngineAccount(@Nullable String version, SortedMap<String, String> arguments) {
  /** A server that says nothing. */
  public static final EngineAccount SILENT = new EngineAccount(null, Collections.emptySortedMap());

  /** Longer ones are JSON that nobody reads. */
  private static final int LONGEST_VALUE = 2_000;

  private static final int MOST = 1_000;

  /** Of SGLang: what it is now, or drew by lot at its start, and not what it was started with. */
  private static final Set<String> NO_ARGUMENTS =
      Set.of("version", "internal_states", "startup_time", "random_seed", "status");

  /** Copies the map. */
  public EngineAccount {
    arguments = Collections.unmodifiableSortedMap(new TreeMap<>(arguments));
  }

  /** The same with arguments from elsewhere. */
  EngineAccount with(Map<String, String> others) {
    return new EngineAccount(version, new TreeMap<>(others));
  }

  /** Asks a server where its engine tells of itself. */
  static EngineAccount ask(ServerProbe probe, Engine engine, URI server) {
    for (String path : EngineProfile.of(engine).accountPaths()) {
      try {
        return of(probe.object(server, path));
      } catch (ServerProbeException e) {
        // A gateway, or another version: what nobody says is not known.
      }
    }
    return SILENT;
  }

  static EngineAccount of(JsonNode answer) {
    SortedMap<String, String> arguments = new TreeMap<>();
    for (Map.Entry<String, JsonNode> field : answer.properties()) {
      String name = field.getKey();
      JsonNode value = field.getValue();
      if (!value.isNull() && !name.startsWith("_") && !NO_ARGUMENTS.contains(name)) {
        arguments.put(name, value.isValueNode() ? value.asText() : value.toString());
      }
    }
    JsonNode version = answer.path("version");
    return new EngineAccount(
        version.isTextual() ? Excerpt.of(version.textValue(), 100) : null, clean(arguments));
  }

  /** Arguments without secrets, in a length that can be kept. */
  static SortedMap<String, String> clean(Map<String, String> arguments) {
    SortedMap<String, String> clean = new TreeMap<>();
    arguments.forEach(
        (name, value) -> {
          if (clean.size() < MOST) {
            clean.put(
                Excerpt.of(name, 100),
                SecretNames.isArgument(name)
                    ? SecretNames.REMOVED
                    : Excerpt.of(Urls.shownIn(value), LONGEST_VALUE));
          }
        });
    return clean;
  }
}
