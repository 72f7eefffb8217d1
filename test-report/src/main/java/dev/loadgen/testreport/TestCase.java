package dev.loadgen.testreport;

/**
 * A test that ran.
 *
 * @param className of the test class, with its package
 * @param name of the method, with its parameters
 * @param seconds that it took; what its class shares is not among them
 * @param outcome how it ended
 * @param message of its failure, or why it was skipped; empty: it passed
 */
record TestCase(
    String module, String className, String name, double seconds, Outcome outcome, String message) {
  enum Outcome {
    PASSED,
    FAILED,
    SKIPPED
  }

  /** Class without package, and method. */
  String shortName() {
    String simple = className.substring(className.lastIndexOf('.') + 1);
    return name.isEmpty() ? simple : simple + "." + name;
  }
}
