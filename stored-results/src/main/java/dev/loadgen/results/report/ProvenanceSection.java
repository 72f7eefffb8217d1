package dev.loadgen.results.report;

import dev.loadgen.contract.EngineFacts;
import dev.loadgen.contract.Provenance;
import dev.loadgen.contract.Provenance.Gpus;
import dev.loadgen.contract.Provenance.ServerPod;
import dev.loadgen.contract.Provenance.Servers;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** What was measured, and by what: for a report, and as values that can be compared. */
final class ProvenanceSection {
  private final Provenance provenance;
  private final @Nullable EngineFacts engine;

  ProvenanceSection(Provenance provenance, @Nullable EngineFacts engine) {
    this.provenance = provenance;
    this.engine = engine;
  }

  /**
   * The section's content.
   *
   * @param files what the authors of run and backend have written, by the names of the files
   */
  String html(Map<String, String> files) {
    Html html = new Html();
    servers(html);
    runner(html);
    problems(html);
    engine(html);
    files.forEach(
        (name, text) -> {
          if (!text.isEmpty()) {
            html.open("details").element("summary", name).element("pre", text).close("details");
          }
        });
    return html.toString();
  }

  private void servers(Html html) {
    List<Servers> servers = provenance.serversOrNone();
    if (servers.isEmpty()) {
      html.element(
          "p",
          "The servers are external: only what they report themselves is known"
              + (provenance.engineVersion() == null
                  ? "."
                  : ", version " + provenance.engineVersion() + " of the engine."));
      return;
    }
    html.element(
        "p",
        "As the pods and nodes were at the end of the test"
            + (provenance.backendGeneration() == null
                ? "."
                : "; the backend was of generation " + provenance.backendGeneration() + "."),
        "class",
        "soft");
    Table table = new Table("pod", "node\t", "image\t", "digest\t", "GPUs\t", "engine\t");
    for (Servers alike : servers) {
      for (ServerPod pod : alike.pods()) {
        table.row(
            pod.name(),
            orNone(pod.node()),
            orNone(alike.image()),
            orNone(alike.imageId()),
            gpus(alike.gpus()),
            orNone(provenance.engineVersion()));
      }
    }
    html.markup(table.toString());
    for (Servers alike : servers) {
      html.element(
          "h3",
          servers.size() == 1
              ? "Command and arguments"
              : "Command and arguments of "
                  + alike.pods().stream().map(ServerPod::name).collect(Collectors.joining(", ")));
      html.element("pre", lines(alike));
    }
  }

  /** Each option with its value on a line of its own. */
  private static String lines(Servers alike) {
    StringBuilder text = new StringBuilder(String.join(" ", orEmpty(alike.command())));
    for (String argument : orEmpty(alike.args())) {
      text.append(argument.startsWith("-") ? "\n  " : " ").append(argument);
    }
    return text.toString();
  }

  private static String gpus(@Nullable Gpus gpus) {
    if (gpus == null) {
      return "none";
    }
    return Stream.of(
            gpus.count() + " × " + (gpus.product() == null ? "unknown product" : gpus.product()),
            gpus.memory(),
            gpus.driver() == null ? null : "driver " + gpus.driver())
        .filter(part -> part != null)
        .collect(Collectors.joining(", "));
  }

  private void runner(Html html) {
    Provenance.Runner runner = provenance.runner();
    if (runner == null) {
      return;
    }
    html.markup(
        new Table("client", "image\t", "digest\t", "version\t")
            .row(
                "runner",
                orNone(runner.image()),
                orNone(runner.imageId()),
                orNone(runner.version()))
            .toString());
  }

  private void problems(Html html) {
    if (provenance.problemsOrNone().isEmpty()) {
      return;
    }
    html.open("ul");
    provenance.problemsOrNone().forEach(problem -> html.element("li", Table.BAD + problem));
    html.close("ul");
  }

  private void engine(Html html) {
    if (engine == null || (engine.arguments().isEmpty() && engine.differing().isEmpty())) {
      return;
    }
    html.open("details").element("summary", "Arguments as the engine reports them");
    html.element("pre", values(engine.arguments()));
    for (EngineFacts.Differing own : engine.differing()) {
      html.element("h3", "Of " + own.server() + " alone");
      html.element(
          "pre",
          (own.version() == null ? "" : "version " + own.version() + "\n")
              + values(own.arguments()));
    }
    html.close("details");
  }

  private static String values(Map<String, String> values) {
    return values.entrySet().stream()
        .map(entry -> entry.getKey() + " = " + entry.getValue())
        .collect(Collectors.joining("\n"));
  }

  /** Names and values, to be held against those of another run; of several values all. */
  Map<String, String> flattened() {
    Map<String, String> values = new LinkedHashMap<>();
    List<Servers> servers = provenance.serversOrNone();
    put(values, "backend.generation", provenance.backendGeneration());
    if (!servers.isEmpty()) {
      put(values, "server.pods", servers.stream().mapToInt(alike -> alike.pods().size()).sum());
      all(values, "server.image", servers.stream().map(Servers::image));
      all(values, "server.imageId", servers.stream().map(Servers::imageId));
      all(
          values,
          "server.nodes",
          servers.stream().flatMap(alike -> alike.pods().stream()).map(ServerPod::node));
      all(values, "server.gpus", servers.stream().map(alike -> gpus(alike.gpus())));
      all(
          values,
          "server.command",
          servers.stream().map(alike -> String.join(" ", orEmpty(alike.command()))));
      Map<String, List<String>> options = new TreeMap<>();
      for (Servers alike : servers) {
        options(orEmpty(alike.args()))
            .forEach(
                (name, value) -> options.computeIfAbsent(name, n -> new ArrayList<>()).add(value));
      }
      options.forEach((name, given) -> all(values, "server.args." + name, given.stream()));
    }
    put(values, "engine.version", provenance.engineVersion());
    if (engine != null) {
      engine.arguments().forEach((name, value) -> put(values, "engine." + name, value));
    }
    if (provenance.runner() != null) {
      put(values, "runner.image", provenance.runner().image());
      put(values, "runner.imageId", provenance.runner().imageId());
      put(values, "runner.version", provenance.runner().version());
    }
    return values;
  }

  /** Options by their names, with what follows them; what stands before the first has no name. */
  static Map<String, String> options(List<String> arguments) {
    Map<String, List<String>> options = new TreeMap<>();
    String name = "";
    for (String argument : arguments) {
      if (argument.matches("--?[A-Za-z].*")) {
        int equals = argument.indexOf('=');
        name = equals < 0 ? argument : argument.substring(0, equals);
        List<String> values = options.computeIfAbsent(name, n -> new ArrayList<>());
        if (equals >= 0) {
          values.add(argument.substring(equals + 1));
        }
      } else {
        options.computeIfAbsent(name, n -> new ArrayList<>()).add(argument);
      }
    }
    Map<String, String> joined = new TreeMap<>();
    options.forEach(
        (option, values) ->
            joined.put(option, values.isEmpty() ? "set" : String.join(" ", values)));
    return joined;
  }

  private static void all(Map<String, String> values, String name, Stream<String> some) {
    String joined =
        some.filter(value -> value != null && !value.isEmpty())
            .distinct()
            .collect(Collectors.joining("\n"));
    put(values, name, joined.isEmpty() ? null : joined);
  }

  private static void put(Map<String, String> values, String name, @Nullable Object value) {
    if (value != null) {
      values.put(name, value.toString());
    }
  }

  private static List<String> orEmpty(@Nullable List<String> list) {
    return list == null ? List.of() : list;
  }

  private static String orNone(@Nullable String text) {
    return text == null ? "–" : text;
  }
}
