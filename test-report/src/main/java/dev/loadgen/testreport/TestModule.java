package dev.loadgen.testreport;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import javax.xml.parsers.DocumentBuilder;
import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.parsers.ParserConfigurationException;
import org.w3c.dom.Document;
import org.w3c.dom.Element;
import org.w3c.dom.NodeList;
import org.xml.sax.SAXException;

/**
 * What a module's tests came to, by the XML files of Surefire and Failsafe.
 *
 * @param classes that have reported
 * @param problems of the test run itself: a process that ended before its tests did, for example
 */
record TestModule(String name, List<TestCase> cases, Set<String> classes, List<String> problems) {
  private static final List<String> FOLDERS = List.of("surefire-reports", "failsafe-reports");
  private static final Pattern TEST_SOURCE = Pattern.compile(".*(Test|IT)\\.java");

  /**
   * Reads a module's reports.
   *
   * @param since older reports are of another build, and do not count
   */
  static TestModule read(String name, Path folder, Instant since) throws IOException {
    List<TestCase> cases = new ArrayList<>();
    Set<String> classes = new TreeSet<>();
    List<String> problems = new ArrayList<>();
    for (String reports : FOLDERS) {
      for (Path file : newFiles(folder.resolve("target").resolve(reports), since)) {
        Element root = parse(file).getDocumentElement();
        if (root.getTagName().equals("testsuite")) {
          classes.add(root.getAttribute("name"));
          NodeList elements = root.getElementsByTagName("testcase");
          for (int i = 0; i < elements.getLength(); i++) {
            cases.add(testCase(name, root, (Element) elements.item(i)));
          }
        } else if (root.getTagName().equals("failsafe-summary")) {
          String failure = text(root, "failureMessage");
          if (!failure.isEmpty()) {
            problems.add(failure.lines().findFirst().orElse("").strip());
          }
        }
      }
    }
    return new TestModule(name, cases, classes, problems);
  }

  /**
   * Test classes whose source the module has and that have not reported.
   *
   * @param expected by its simple name, whether a class runs in this build
   * @param excludedTag of classes that do not; null: none
   */
  List<String> missing(Path folder, Predicate<String> expected, String excludedTag)
      throws IOException {
    Path sources = folder.resolve("src/test/java");
    if (!Files.isDirectory(sources)) {
      return List.of();
    }
    try (Stream<Path> files = Files.walk(sources)) {
      return files
          .filter(file -> TEST_SOURCE.matcher(String.valueOf(file.getFileName())).matches())
          .filter(file -> !has(file, "\nabstract class "))
          .filter(file -> excludedTag == null || !has(file, "@Tag(\"" + excludedTag + "\")"))
          .map(file -> sources.relativize(file).toString())
          .map(file -> file.substring(0, file.length() - ".java".length()).replace('/', '.'))
          .filter(type -> expected.test(type.substring(type.lastIndexOf('.') + 1)))
          .filter(type -> !classes.contains(type))
          .sorted()
          .toList();
    }
  }

  private static boolean has(Path source, String text) {
    try {
      return Files.readString(source).contains(text);
    } catch (IOException e) {
      return false; // it is then expected, and missed, which is the safe side
    }
  }

  private static List<Path> newFiles(Path folder, Instant since) throws IOException {
    if (!Files.isDirectory(folder)) {
      return List.of();
    }
    try (Stream<Path> files = Files.list(folder)) {
      List<Path> found = new ArrayList<>();
      for (Path file : files.filter(f -> f.toString().endsWith(".xml")).sorted().toList()) {
        if (!Files.getLastModifiedTime(file).toInstant().isBefore(since)) {
          found.add(file);
        }
      }
      return found;
    }
  }

  private static TestCase testCase(String module, Element suite, Element element) {
    String className = element.getAttribute("classname");
    TestCase.Outcome outcome = TestCase.Outcome.PASSED;
    String message = "";
    for (String kind : List.of("failure", "error", "skipped")) {
      NodeList found = element.getElementsByTagName(kind);
      if (found.getLength() > 0) {
        Element end = (Element) found.item(0);
        message = end.getAttribute("message");
        if (message.isEmpty()) {
          message = end.getTextContent().strip();
        }
        outcome = kind.equals("skipped") ? TestCase.Outcome.SKIPPED : TestCase.Outcome.FAILED;
        break;
      }
    }
    return new TestCase(
        module,
        className.isEmpty() ? suite.getAttribute("name") : className,
        element.getAttribute("name"),
        seconds(element.getAttribute("time")),
        outcome,
        message);
  }

  private static double seconds(String time) {
    // Surefire groups thousands.
    String plain = time.replace(",", "");
    return plain.isEmpty() ? 0 : Double.parseDouble(plain);
  }

  private static String text(Element root, String tag) {
    NodeList found = root.getElementsByTagName(tag);
    return found.getLength() == 0 ? "" : found.item(0).getTextContent().strip();
  }

  private static Document parse(Path file) throws IOException {
    try {
      DocumentBuilderFactory factory = DocumentBuilderFactory.newInstance();
      factory.setFeature("http://apache.org/xml/features/disallow-doctype-decl", true);
      DocumentBuilder builder = factory.newDocumentBuilder();
      builder.setErrorHandler(null);
      return builder.parse(file.toFile());
    } catch (SAXException | ParserConfigurationException e) {
      throw new IOException(
          file + " cannot be read; its test process may have been killed: " + e, e);
    }
  }
}
