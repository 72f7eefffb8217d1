package dev.loadgen.testreport;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Date;
import java.util.List;
import org.apache.maven.execution.DefaultMavenExecutionRequest;
import org.apache.maven.execution.MavenExecutionRequest;
import org.apache.maven.execution.MavenSession;
import org.apache.maven.model.Build;
import org.apache.maven.model.Plugin;
import org.apache.maven.plugin.MojoExecution;
import org.apache.maven.plugin.MojoFailureException;
import org.apache.maven.project.MavenProject;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A build of two modules, in which the goal runs after each. */
class ReportMojoTest {
  private final Path root;
  private final MavenProject first;
  private final MavenProject second;

  ReportMojoTest(@TempDir Path root) {
    this.root = root;
    first = module("first");
    second = module("second");
    first.setExecutionRoot(true);
  }

  private MavenProject module(String name) {
    Plugin plugin = new Plugin();
    plugin.setGroupId("dev.loadgen");
    plugin.setArtifactId("test-report-maven-plugin");
    MavenProject project = new MavenProject();
    project.setGroupId("dev.loadgen");
    project.setArtifactId(name);
    project.setVersion("1");
    project.setFile(root.resolve(name).resolve("pom.xml").toFile());
    project.getModel().setBuild(new Build());
    project.getModel().getBuild().addPlugin(plugin);
    return project;
  }

  private void report(String module, String type, String outcome) throws IOException {
    Path source = root.resolve(module).resolve("src/test/java").resolve(type + ".java");
    Files.createDirectories(source.getParent());
    Files.writeString(source, "class " + type + " {}");
    if (!outcome.equals("killed")) {
      Path reports = root.resolve(module).resolve("target/surefire-reports");
      Files.createDirectories(reports);
      Files.writeString(
          reports.resolve("TEST-" + type + ".xml"),
          "<testsuite name='%1$s'><testcase name='t' classname='%1$s' time='1'>%2$s</testcase></testsuite>"
              .formatted(type, outcome.equals("failed") ? "<failure message='no'/>" : ""));
    }
  }

  @SuppressWarnings(
      "deprecation") // Maven itself has no other way to make one without its container
  private MavenSession session(String goal) {
    MavenExecutionRequest request = new DefaultMavenExecutionRequest();
    request.setGoals(List.of(goal));
    request.setStartTime(new Date());
    MavenSession session = new MavenSession(null, null, request, null);
    session.setProjects(List.of(first, second));
    return session;
  }

  private static void execute(MavenSession session, MavenProject project, String phase)
      throws Exception {
    ReportMojo mojo = new ReportMojo();
    mojo.session = session;
    mojo.project = project;
    mojo.execution = new MojoExecution(new Plugin(), "report", "after");
    mojo.execution.setLifecyclePhase(phase);
    mojo.execute();
  }

  @Test
  void aFailureOfTheFirstModuleFailsTheBuildAfterTheLast() throws Exception {
    MavenSession session = session("verify");
    report("first", "ATest", "failed");
    report("second", "BTest", "passed");

    execute(session, first, "test");
    execute(session, first, "verify");
    execute(session, second, "test");
    assertThatThrownBy(() -> execute(session, second, "verify"))
        .isInstanceOf(MojoFailureException.class);

    assertThat(root.resolve("first/target/test-times.csv"))
        .content()
        .contains("failed,first,ATest", "passed,second,BTest");
  }

  @Test
  void aTestProcessThatWasKilledFailsTheBuild() throws Exception {
    MavenSession session = session("verify");
    report("first", "ATest", "killed");
    report("second", "BTest", "passed");

    execute(session, first, "verify");
    assertThatThrownBy(() -> execute(session, second, "verify"))
        .isInstanceOf(MojoFailureException.class);
  }

  @Test
  void aBuildOfUnitTestsAloneFailsByThemAndMissesNoIntegrationTests() throws Exception {
    MavenSession passing = session("test");
    report("first", "ATest", "passed");
    report("first", "AnIT", "killed");
    report("second", "BTest", "passed");

    execute(passing, first, "test");
    assertThatCode(() -> execute(passing, second, "test")).doesNotThrowAnyException();

    MavenSession failing = session("test");
    report("second", "BTest", "failed");
    execute(failing, first, "test");
    assertThatThrownBy(() -> execute(failing, second, "test"))
        .isInstanceOf(MojoFailureException.class);
  }

  @Test
  void modulesMayEndInAnyOrder() throws Exception {
    MavenSession session = session("verify");
    report("first", "ATest", "failed");

    execute(session, second, "verify");
    assertThatThrownBy(() -> execute(session, first, "verify"))
        .isInstanceOf(MojoFailureException.class);
  }
}
