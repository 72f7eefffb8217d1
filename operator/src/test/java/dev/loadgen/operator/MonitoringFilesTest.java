package dev.loadgen.operator;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import dev.loadgen.contract.RunnerInterface;
import dev.loadgen.reconcile.ScrapedMetrics;
import dev.loadgen.reconcile.metrics.OperatorMetrics;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Holds dashboard and alerts to the metrics that the operator serves, and copies of them to their
 * sources: {@code hack/update.sh} writes the copies. Names of the runner and of servers are held to
 * those that really are served by a test of the whole system.
 */
@Tag("generated")
class MonitoringFilesTest {
  private static final Path FOLDER =
      Path.of(System.getProperty("repository.root"), "manifests", "monitoring");
  private static final Path CHART =
      Path.of(System.getProperty("repository.root"), "charts", "loadgen-operator", "files");
  private static final String PROMETHEUS_RULE =
      """
      # The rules of alerts.yaml, for the Prometheus Operator. Written by MonitoringFilesTest.
      apiVersion: monitoring.coreos.com/v1
      kind: PrometheusRule
      metadata:
        name: loadgen-operator
        namespace: loadgen-system
        labels:
          app.kubernetes.io/name: loadgen-operator
          app.kubernetes.io/instance: loadgen-operator
          app.kubernetes.io/part-of: loadgen-operator
      spec:
      """;
  private static final Pattern OF_THE_OPERATOR =
      Pattern.compile("(loadgen_operator|jvm|process|system)_.*");
  private static final Pattern OF_OTHERS =
      Pattern.compile("loadgen_(?!operator_).*|vllm:.*|sglang:.*");

  // What stands in an expression and is no metric: texts, label lists, durations, functions, words.
  private static final Pattern STRING = Pattern.compile("\"(?:[^\"\\\\]|\\\\.)*\"");
  private static final Pattern GROUPING =
      Pattern.compile("\\b(by|without|on|ignoring|group_left|group_right)\\s*\\(([^)]*)\\)");
  private static final Pattern SELECTOR =
      Pattern.compile("([a-zA-Z_:][a-zA-Z0-9_:]*)\\s*\\{([^}]*)\\}");
  private static final Pattern NAME =
      Pattern.compile("(?<![0-9a-zA-Z_:.])[a-zA-Z_:][a-zA-Z0-9_:]*(?!\\s*\\()(?![a-zA-Z0-9_:])");
  private static final Set<String> WORDS = Set.of("or", "and", "unless", "bool", "offset");

  /** Labels that Prometheus adds to what it scrapes. */
  private static final Set<String> TARGET_LABELS = Set.of("pod", "namespace", "instance", "job");

  @Test
  void everyExpressionNamesMetricsAndLabelsThatAreServed() throws IOException {
    ScrapedMetrics served = served();

    Map<String, String> expressions = expressions();

    assertThat(expressions.size()).isGreaterThan(25);
    expressions.forEach(
        (where, expression) -> {
          Set<String> names = metricsOf(expression);
          assertThat(names).as(where).isNotEmpty();
          for (String name : names) {
            if (OF_THE_OPERATOR.matcher(name).matches()) {
              assertThat(served.serves(name)).as("%s: %s", where, name).isTrue();
            } else {
              assertThat(name).as(where).matches(OF_OTHERS);
            }
          }
          labelsOf(expression)
              .forEach(
                  (name, labels) -> {
                    if (OF_THE_OPERATOR.matcher(name).matches()) {
                      assertThat(served.labelsOf(name)).as(where + ": " + name).containsAll(labels);
                    }
                  });
          if (names.stream().allMatch(name -> OF_THE_OPERATOR.matcher(name).matches())) {
            Set<String> known = new HashSet<>(TARGET_LABELS);
            names.forEach(name -> known.addAll(served.labelsOf(name)));
            assertThat(known).as(where).containsAll(grouped(expression));
          }
        });
  }

  @Test
  void everyMetricOfTheOperatorsOwnIsShownOrAlertsAreMadeOfIt() throws IOException {
    Set<String> used = new TreeSet<>();
    for (String expression : expressions().values()) {
      metricsOf(expression)
          .forEach(name -> used.add(name.replaceFirst("_(bucket|sum|count)$", "")));
    }

    assertThat(
            served().families().keySet().stream()
                .filter(name -> name.startsWith("loadgen_operator_") && !name.endsWith("_max")))
        .allSatisfy(name -> assertThat(used).contains(name));
  }

  @Test
  void theDashboardIsOneThatGrafanaTakes() throws IOException {
    JsonNode dashboard = dashboard();

    assertThat(dashboard.path("uid").asText()).isEqualTo("loadgen-operator");
    assertThat(dashboard.path("id").isNull()).isTrue();
    assertThat(dashboard.path("title").asText()).isNotBlank();
    assertThat(dashboard.path("schemaVersion").asInt()).isGreaterThan(30);
    JsonNode source = dashboard.at("/templating/list/0");
    assertThat(source.path("type").asText()).isEqualTo("datasource");
    assertThat(source.path("query").asText()).isEqualTo("prometheus");
    Set<Integer> ids = new HashSet<>();
    Set<String> cells = new HashSet<>();
    for (JsonNode panel : dashboard.path("panels")) {
      assertThat(ids.add(panel.path("id").asInt())).as(panel.path("title").asText()).isTrue();
      JsonNode at = panel.path("gridPos");
      assertThat(at.path("x").asInt() + at.path("w").asInt()).isLessThanOrEqualTo(24);
      for (int x = at.path("x").asInt(); x < at.path("x").asInt() + at.path("w").asInt(); x++) {
        for (int y = at.path("y").asInt(); y < at.path("y").asInt() + at.path("h").asInt(); y++) {
          assertThat(cells.add(x + "/" + y)).as("panels overlap at " + x + "/" + y).isTrue();
        }
      }
      if (!panel.path("type").asText().equals("row")) {
        assertThat(panel.at("/datasource/uid").asText()).isEqualTo("${datasource}");
        assertThat(panel.path("description").asText()).isNotBlank();
        Set<String> refs = new HashSet<>();
        panel
            .path("targets")
            .forEach(target -> assertThat(refs.add(target.path("refId").asText())).isTrue());
        assertThat(refs).isNotEmpty();
      }
    }
  }

  @Test
  void everyAlertSaysWhatItIsAndWhatToDo() throws IOException {
    List<JsonNode> alerts = alerts();

    assertThat(alerts)
        .extracting(alert -> alert.path("alert").asText())
        .doesNotHaveDuplicates()
        .hasSizeGreaterThanOrEqualTo(4);
    assertThat(alerts)
        .allSatisfy(
            alert -> {
              assertThat(alert.path("for").asText()).matches("[0-9]+[mh]");
              assertThat(alert.at("/labels/severity").asText()).isIn("critical", "warning");
              assertThat(alert.at("/annotations/summary").asText()).isNotBlank();
              assertThat(alert.at("/annotations/description").asText()).contains("kubectl");
            });
  }

  /** Copies, since kustomize reads no file above its folder, and Flux packs no symbolic link. */
  @Test
  void copiesAreThoseOfTheirSources() throws IOException {
    String alerts = Files.readString(file("alerts.yaml"));
    String rules = alerts.substring(alerts.indexOf("groups:\n")).indent(2);

    assertCopy(file("prometheusrule.yaml"), PROMETHEUS_RULE + rules);
    assertCopy(CHART.resolve("alerts.yaml"), alerts);
    assertCopy(CHART.resolve("dashboard.json"), Files.readString(file("dashboard.json")));
    assertThat(new YAMLMapper().readTree(file("prometheusrule.yaml").toFile()).at("/spec/groups"))
        .isEqualTo(new YAMLMapper().readTree(alerts).path("groups"));
  }

  private static void assertCopy(Path copy, String content) throws IOException {
    if (Boolean.getBoolean("generated.update")) {
      Files.writeString(copy, content);
    }
    assertThat(copy).as("run: hack/update.sh").hasContent(content);
  }

  /** By these words the chart finds what a release has otherwise. */
  @Test
  void alertsNameNamespaceAndDeploymentAsTheChartReplacesThem() throws IOException {
    String alerts = Files.readString(file("alerts.yaml"));
    String template = Files.readString(CHART.resolve("../templates/monitoring.yaml"));
    String rest = alerts;
    for (String replaced : List.of("-n loadgen-system", "deployment/loadgen-operator")) {
      assertThat(alerts).contains(replaced);
      assertThat(template).contains("replace \"" + replaced + "\"");
      rest = rest.replace(replaced, "");
    }

    assertThat(rest).doesNotContain("loadgen-system");
    assertThat(rest.replace("- name: loadgen-operator\n", ""))
        .as("besides the group's name")
        .doesNotContain("loadgen-operator");
  }

  @Test
  void podMonitorsNamePortsThatPodsHave() throws IOException {
    Map<String, String> ports = new TreeMap<>();
    try (var monitors =
        new YAMLMapper()
            .readerFor(JsonNode.class)
            .<JsonNode>readValues(file("podmonitors.yaml").toFile())) {
      while (monitors.hasNext()) {
        JsonNode monitor = monitors.next();
        JsonNode endpoint = monitor.at("/spec/podMetricsEndpoints/0");
        assertThat(endpoint.path("path").asText())
            .isEqualTo(HealthServer.METRICS_PATH)
            .isEqualTo(RunnerInterface.METRICS_PATH);
        ports.put(monitor.at("/metadata/name").asText(), endpoint.path("port").asText());
      }
    }

    // Of the Deployment, of RunnerObjects and of ServerWorkloads, whose golden files hold them.
    assertThat(ports)
        .isEqualTo(
            Map.of(
                "loadgen-operator",
                "health",
                "loadgen-operator-runners",
                "metrics",
                "loadgen-operator-servers",
                "http"));
    assertThat(Files.readString(FOLDER.resolve("../operator/deployment.yaml")))
        .contains("- name: health\n");
  }

  @Test
  void everyFileIsInTheKustomization() throws IOException {
    String kustomization = Files.readString(file("kustomization.yaml"));

    for (String name : List.of("prometheusrule.yaml", "podmonitors.yaml", "dashboard.json")) {
      assertThat(kustomization).containsPattern("- (loadgen-operator.json=)?" + name);
      assertThat(file(name)).exists();
    }
  }

  private static ScrapedMetrics served() {
    try (OperatorMetrics metrics = new OperatorMetrics(Clock.systemUTC())) {
      return ScrapedMetrics.of(metrics.scrape());
    }
  }

  /** All expressions of dashboard and alerts, by where they stand. */
  private static Map<String, String> expressions() throws IOException {
    Map<String, String> expressions = new TreeMap<>();
    for (JsonNode panel : dashboard().path("panels")) {
      for (JsonNode target : panel.path("targets")) {
        expressions.put(
            panel.path("title").asText() + " " + target.path("refId").asText(),
            target.path("expr").asText());
      }
    }
    for (JsonNode alert : alerts()) {
      expressions.put("alert " + alert.path("alert").asText(), alert.path("expr").asText());
    }
    return expressions;
  }

  private static Set<String> metricsOf(String expression) {
    String plain = GROUPING.matcher(STRING.matcher(expression).replaceAll("")).replaceAll(" ");
    plain = plain.replaceAll("\\{[^}]*\\}", " ").replaceAll("\\[[^\\]]*\\]", " ");
    Set<String> names = new TreeSet<>();
    Matcher name = NAME.matcher(plain);
    while (name.find()) {
      if (!WORDS.contains(name.group())) {
        names.add(name.group());
      }
    }
    return names;
  }

  private static Map<String, Set<String>> labelsOf(String expression) {
    Map<String, Set<String>> labels = new TreeMap<>();
    Matcher selector = SELECTOR.matcher(STRING.matcher(expression).replaceAll("_"));
    while (selector.find()) {
      for (String matcher : selector.group(2).split(",", -1)) {
        labels
            .computeIfAbsent(selector.group(1), name -> new TreeSet<>())
            .add(matcher.replaceFirst("[=!].*", "").strip());
      }
    }
    return labels;
  }

  private static Set<String> grouped(String expression) {
    Set<String> labels = new TreeSet<>();
    Matcher grouping = GROUPING.matcher(expression);
    while (grouping.find()) {
      for (String label : grouping.group(2).split(",", -1)) {
        if (!label.isBlank() && !label.strip().equals("le")) {
          labels.add(label.strip());
        }
      }
    }
    return labels;
  }

  private static JsonNode dashboard() throws IOException {
    return JsonMapper.builder()
        .enable(DeserializationFeature.FAIL_ON_READING_DUP_TREE_KEY)
        .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
        .build()
        .readTree(file("dashboard.json").toFile());
  }

  /** The rules of all groups. */
  static List<JsonNode> alerts() throws IOException {
    List<JsonNode> alerts = new ArrayList<>();
    for (JsonNode group : new YAMLMapper().readTree(file("alerts.yaml").toFile()).path("groups")) {
      group.path("rules").forEach(alerts::add);
    }
    return alerts;
  }

  private static Path file(String name) {
    return FOLDER.resolve(name);
  }
}
