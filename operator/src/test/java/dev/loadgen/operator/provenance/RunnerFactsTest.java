package dev.loadgen.operator.provenance;

import static org.assertj.core.api.Assertions.assertThat;

import dev.loadgen.api.v1alpha1.BenchmarkRun;
import dev.loadgen.desired.Fixtures;
import dev.loadgen.desired.PodDefaults;
import dev.loadgen.desired.RunnerTemplates;
import io.fabric8.kubernetes.api.model.Container;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class RunnerFactsTest {
  private static final String IMAGE = "registry.example/loadgen-runner:1";

  @Test
  void theOperatorsOwnRunnerHasNoProblem() {
    assertThat(problems("")).isEmpty();
    assertThat(problems("runner: {image: " + IMAGE + ", resources: {cpu: 8}}")).isEmpty();
  }

  @Test
  void anotherImageIsOne() {
    assertThat(problems("runner: {image: mine.example/runner:2}"))
        .singleElement()
        .asString()
        .startsWith("the runner's image is mine.example/runner:2 and not the operator's, " + IMAGE)
        .contains("remove spec.runner.image");
  }

  /** As an admission webhook may leave it. */
  @Test
  void anotherCommandIsOne() {
    Container changed = container("");
    changed.setCommand(List.of("sh", "-c", "true"));

    assertThat(RunnerFacts.problems(changed, IMAGE))
        .singleElement()
        .asString()
        .startsWith("the runner's pod runs sh -c true in place of its image's program");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "-Dhttps.proxyHost=proxy.example -Dhttps.proxyPort=3128",
        "-Djavax.net.ssl.trustStore=/certificates/trust",
        "-Dteam=llm",
        "-Dloadgen.warmUp=off",
        "-Xmx8g -XX:MaxRAMPercentage=60 -XX:+UseZGC -XX:ParallelGCThreads=4 -Xlog:gc*",
        ""
      })
  void optionsThatLoadNoCodeAreNone(String options) {
    assertThat(problems(variable("JAVA_TOOL_OPTIONS", options))).isEmpty();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "JAVA_TOOL_OPTIONS | -javaagent:/tmp/agent.jar",
        "JAVA_TOOL_OPTIONS | -Dteam=llm -agentpath:/tmp/a.so",
        "JDK_JAVA_OPTIONS | -Xbootclasspath/a:/tmp/x.jar",
        "JDK_JAVA_OPTIONS | --patch-module=java.base=/tmp/x",
        "_JAVA_OPTIONS | -XX:Flags=/tmp/flags",
        "JAVA_TOOL_OPTIONS | -XX:OnOutOfMemoryError=/tmp/x",
        "JAVA_TOOL_OPTIONS | -Ddev.loadgen.mlperf.libraries=/tmp/lib",
        "JAVA_TOOL_OPTIONS | -Djava.system.class.loader=Mine",
        "LD_PRELOAD | /tmp/x.so",
        "PATH | /tmp",
        "LOADGEN_RESOLVE | llm-0.llm.bench.svc:8000:10.0.0.9"
      })
  void whatMayLoadOtherCodeIsOne(String variable, String value) {
    assertThat(problems(variable(variable, value)))
        .singleElement()
        .asString()
        .startsWith("the runner has the variable " + variable + ", ");
  }

  @Test
  void aValueThatIsNotSeenIsOne() {
    assertThat(
            problems(
                template(
                    "env: [{name: JAVA_TOOL_OPTIONS, valueFrom: {configMapKeyRef: {name: c, key:"
                        + " k}}}]")))
        .hasSize(1);
    assertThat(problems(template("envFrom: [{secretRef: {name: s}}]")))
        .singleElement()
        .asString()
        .contains("envFrom");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "/opt/loadgen/app",
        "/opt",
        "/usr/lib/x86_64-linux-gnu",
        "/lib",
        "/opt/java/bin/.."
      })
  void aVolumeOverTheProgramIsOne(String path) {
    assertThat(problems(template("volumeMounts: [{name: tmp, mountPath: %s}]".formatted(path))))
        .singleElement()
        .asString()
        .startsWith("the runner has a volume at " + path);
  }

  @Test
  void volumesElsewhereAreNone() {
    assertThat(problems(template("volumeMounts: [{name: tmp, mountPath: /certificates}]")))
        .isEmpty();
  }

  private static String variable(String name, String value) {
    return template("env: [{name: %s, value: \"%s\"}]".formatted(name, value));
  }

  private static String template(String ofContainer) {
    return "runner: {podTemplate: {spec: {containers: [{name: runner, " + ofContainer + "}]}}}";
  }

  private static List<String> problems(String more) {
    return RunnerFacts.problems(container(more), IMAGE);
  }

  private static Container container(String more) {
    BenchmarkRun run =
        Fixtures.run(
            "r",
            """
            benchmark: llama3.1-8b
            scenario: Offline
            backendRef: {name: llm}
            dataset: {configMapName: prompts, path: prompts.json}
            """
                + more);
    assertThat(RunnerTemplates.problems(run)).isEmpty();
    return RunnerTemplates.container(run, IMAGE, PodDefaults.BUILT_IN);
  }
}
