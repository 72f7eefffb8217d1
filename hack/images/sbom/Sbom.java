import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;

/**
 * Completes what Maven says of a program's jars with what the image has besides: the Java runtime and each LoadGen. Holds it to
 * the jars that were laid out, so that one of an earlier build is noticed.
 *
 *     java -cp JACKSON Sbom.java FROM APP LIB NATIVE VERSIONS RELEASE TO
 *
 * FROM is the CycloneDX file of Maven; APP, LIB and NATIVE are folders of the image, of which NATIVE may be missing; VERSIONS has
 * the LoadGens, RELEASE is that file of the JDK.
 */
class Sbom {
  private static final JsonMapper JSON = new JsonMapper();

  private final ObjectNode bom;

  private Sbom(ObjectNode bom) {
    this.bom = bom;
  }

  public static void main(String[] arguments) throws Exception {
    List<Path> paths = Stream.of(arguments).map(Path::of).toList();
    Path from = paths.get(0);
    if (!Files.exists(from)) {
      throw fail(from + " does not exist; run mvn package without -Pquick, or with -Dcyclonedx.skip=false");
    }
    Sbom sbom = new Sbom((ObjectNode) JSON.readTree(from.toFile()));
    sbom.check(from, List.of(paths.get(1), paths.get(2)));
    sbom.addRuntime(paths.get(5));
    sbom.addLoadGens(paths.get(3), paths.get(4));
    Files.writeString(paths.get(6), JSON.writerWithDefaultPrettyPrinter().writeValueAsString(sbom.bom) + "\n");
  }

  private static IllegalStateException fail(String message) {
    System.err.println("Sbom: " + message);
    System.exit(2);
    return new IllegalStateException(message);
  }

  /** Every jar is a component, with its hash, and every component is a jar. */
  private void check(Path from, List<Path> folders) throws Exception {
    Map<String, String> components = new HashMap<>();
    for (JsonNode component : bom.path("components")) {
      String name = component.path("name").asText() + "-" + component.path("version").asText() + ".jar";
      components.put(name, sha256(component));
    }
    JsonNode own = bom.at("/metadata/component");
    String program = own.path("name").asText() + "-" + own.path("version").asText() + ".jar";
    for (Path folder : folders) {
      try (Stream<Path> jars = Files.list(folder)) {
        for (Path jar : jars.sorted().toList()) {
          String name = jar.getFileName().toString();
          String expected = components.remove(name);
          if (!name.equals(program) && !sha256(jar).equals(expected)) {
            throw fail(from + " is of another build: it has " + name + (expected == null ? " not" : " with another hash") + "; run mvn package again");
          }
        }
      }
    }
    if (!components.isEmpty()) {
      throw fail(from + " is of another build: it has " + new TreeSet<>(components.keySet()) + ", which the image has not; run mvn package again");
    }
  }

  private static String sha256(JsonNode component) {
    for (JsonNode hash : component.path("hashes")) {
      if (hash.path("alg").asText().equals("SHA-256")) {
        return hash.path("content").asText();
      }
    }
    return "";
  }

  private static String sha256(Path file) throws Exception {
    return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(Files.readAllBytes(file)));
  }

  private void addRuntime(Path release) throws IOException {
    Properties properties = new Properties();
    try (var reader = Files.newBufferedReader(release)) {
      properties.load(reader);
    }
    Map<String, String> told = new TreeMap<>();
    properties.forEach((key, value) -> told.put(key.toString(), value.toString().replace("\"", "")));
    String version = told.getOrDefault("JAVA_RUNTIME_VERSION", told.get("JAVA_VERSION"));
    ObjectNode runtime = add("platform", "openjdk", version, "pkg:generic/openjdk@" + version.replace("+", "%2B"));
    runtime.put("publisher", told.getOrDefault("IMPLEMENTOR", "unknown"));
    runtime.put("description", "A Java runtime of the modules that the program uses, made by jlink");
    runtime.putArray("licenses").addObject().put("expression", "GPL-2.0-only WITH Classpath-exception-2.0");
  }

  /** Those whose libraries are there, by the versions that they were built of. */
  private void addLoadGens(Path folder, Path versions) throws IOException {
    if (!Files.isDirectory(folder)) {
      return;
    }
    Map<String, String> hashes = new HashMap<>();
    for (String line : Files.readAllLines(versions)) {
      String[] fields = line.split(",");
      if (!line.startsWith("#") && fields.length == 3) {
        hashes.put(fields[0], fields[1]);
      }
    }
    try (Stream<Path> libraries = Files.list(folder)) {
      for (Path library : libraries.sorted().toList()) {
        String name = library.getFileName().toString();
        String version = name.replaceFirst("^libloadgen-jni-(.*)\\.so$", "$1");
        if (!hashes.containsKey(version)) {
          throw fail(library + " is of no LoadGen of " + versions);
        }
        String sources = "pkg:pypi/mlcommons-loadgen@" + version;
        ObjectNode loadgen = add("library", "mlcommons-loadgen", version, sources);
        loadgen.put("publisher", "MLCommons");
        loadgen.put("description", "MLCommons LoadGen, unmodified, in " + name);
        loadgen.putArray("licenses").addObject().putObject("license").put("id", "Apache-2.0");
        ObjectNode source = loadgen.putArray("externalReferences").addObject();
        source.put("type", "distribution").put("url", sources);
        source.putArray("hashes").addObject().put("alg", "SHA-256").put("content", hashes.get(version));
      }
    }
  }

  private ObjectNode add(String type, String name, String version, String purl) {
    ObjectNode component = ((ArrayNode) bom.path("components")).addObject();
    component.put("type", type).put("bom-ref", purl).put("name", name).put("version", version).put("purl", purl);
    String program = bom.at("/metadata/component/bom-ref").asText();
    for (JsonNode dependency : bom.path("dependencies")) {
      if (dependency.path("ref").asText().equals(program)) {
        ((ObjectNode) dependency).withArray("dependsOn").add(purl);
      }
    }
    ((ArrayNode) bom.path("dependencies")).addObject().put("ref", purl).putArray("dependsOn");
    return component;
  }
}
