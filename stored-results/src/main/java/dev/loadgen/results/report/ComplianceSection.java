package dev.loadgen.results.report;

import dev.loadgen.contract.RunResult.Compliance;
import dev.loadgen.contract.RunResult.ComplianceCheck;

/** What a compliance test asks of its answers, each beside what was found. */
final class ComplianceSection {
  private ComplianceSection() {}

  static String html(Compliance compliance) {
    Html html = new Html();
    html.element(
        "p",
        Boolean.TRUE.equals(compliance.passed())
            ? compliance.test() + " passes."
            : compliance.test() + " does not pass; the reasons of the verdict say why.");
    if (compliance.checks() != null) {
      Table checks = new Table("check", "found", "asked for");
      for (ComplianceCheck check : compliance.checks()) {
        checks.row(check.name(), check.found(), sign(check.outcome()) + check.limit());
      }
      html.markup(checks);
    }
    return html.toString();
  }

  private static String sign(String outcome) {
    return switch (outcome) {
      case "Passed" -> Table.GOOD;
      case "Failed" -> Table.BAD;
      case "Skipped" -> "";
      default -> Table.OPEN;
    };
  }
}
