package dev.loadgen.testreport;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.maven.execution.MavenSession;
import org.apache.maven.plugin.AbstractMojo;
import org.apache.maven.plugin.MojoExecution;
import org.apache.maven.plugin.MojoExecutionException;
import org.apache.maven.plugin.MojoFailureException;
import org.apache.maven.plugins.annotations.LifecyclePhase;
import org.apache.maven.plugins.annotations.Mojo;
import org.apache.maven.plugins.annotations.Parameter;
import org.apache.maven.project.MavenProject;

/**
 * After the last module of a build: prints the slowest tests and what failed, writes all times to
 * {@code target/test-times.csv} of the root, and fails the build if a test failed or a test class
 * did not report. The modules themselves go on after a failed test, so that one failure hides no
 * others. It has to be bound to the phases {@code test} and {@code verify}: of these, it acts in
 * the one in which the build has run its last tests.
 */
@Mojo(name = "report", defaultPhase = LifecyclePhase.VERIFY, threadSafe = true)
public final class ReportMojo extends AbstractMojo {
  private static final String DONE = ReportMojo.class.getName() + ".done";

  @Parameter(defaultValue = "${session}", readonly = true, required = true)
  MavenSession session;

  @Parameter(defaultValue = "${project}", readonly = true, required = true)
  MavenProject project;

  @Parameter(defaultValue = "${mojoExecution}", readonly = true, required = true)
  MojoExecution execution;

  /** The tag of test classes that this build leaves out; none if it is not set. */
  @Parameter(property = "excluded.tests")
  String excludedTag;

  @Parameter(property = "skipTests", defaultValue = "false")
  boolean skipTests;

  /** Without classes whose names end in IT. */
  @Parameter(property = "skipITs", defaultValue = "false")
  boolean skipIntegrationTests;

  /** A choice of tests: others have nothing to report then. */
  @Parameter(property = "test")
  String chosenTests;

  /** A choice of integration tests. */
  @Parameter(property = "it.test")
  String chosenIntegrationTests;

  @Override
  public void execute() throws MojoExecutionException, MojoFailureException {
    if (skipTests || !extent().endsIn(execution.getLifecyclePhase()) || !isLast()) {
      return;
    }
    Report report;
    try {
      report = report(session.getStartTime().toInstant());
      Path times =
          session.getTopLevelProject().getBasedir().toPath().resolve("target/test-times.csv");
      Files.createDirectories(times.getParent());
      Files.writeString(times, report.csv());
    } catch (IOException e) {
      throw new MojoExecutionException("test reports cannot be read: " + e.getMessage(), e);
    }
    report.slowest().forEach(getLog()::info);
    getLog().info("");
    report.failures().forEach(getLog()::error);
    getLog().info("");
    System.out.println(report.counts());
    if (!report.passed()) {
      throw new MojoFailureException("tests failed; they are named above");
    }
  }

  private Extent extent() {
    return Extent.of(session.getGoals());
  }

  /** Whether all other modules of the build have been here. Several may come at the same time. */
  private boolean isLast() {
    Map<String, Object> data = session.getRequest().getData();
    synchronized (data) {
      @SuppressWarnings("unchecked")
      Set<MavenProject> done =
          (Set<MavenProject>) data.computeIfAbsent(DONE, key -> new HashSet<MavenProject>());
      done.add(project);
      return done.containsAll(reporting());
    }
  }

  private List<MavenProject> reporting() {
    return session.getProjects().stream()
        .filter(each -> each.getPlugin("dev.loadgen:test-report-maven-plugin") != null)
        .toList();
  }

  private Report report(Instant since) throws IOException {
    // File times have seconds on some file systems.
    Instant begin = since.minusSeconds(1);
    List<TestCase> cases = new ArrayList<>();
    List<String> problems = new ArrayList<>();
    for (MavenProject each : session.getProjects()) {
      Path folder = each.getBasedir().toPath();
      String name = String.valueOf(folder.getFileName());
      TestModule module = TestModule.read(name, folder, begin);
      cases.addAll(module.cases());
      module.problems().forEach(problem -> problems.add(name + "  " + problem));
      module
          .missing(folder, this::isExpected, excludedTag)
          .forEach(type -> problems.add(name + "  " + type + " has not reported"));
    }
    return new Report(cases, problems);
  }

  private boolean isExpected(String type) {
    boolean integrationTest = type.endsWith("IT");
    if (integrationTest && (skipIntegrationTests || extent() == Extent.UNIT_TESTS)) {
      return false;
    }
    String chosen = integrationTest ? chosenIntegrationTests : chosenTests;
    return chosen == null;
  }
}
