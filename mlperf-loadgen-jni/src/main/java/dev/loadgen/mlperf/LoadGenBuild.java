package dev.loadgen.mlperf;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * A LoadGen that this library was built with. Seeds and limits of MLPerf are compiled into LoadGen,
 * so each round has its own.
 *
 * @param version such as {@code 6.0.17}
 * @param rulesets names of the rulesets that it is meant for, such as {@code v6.1}
 */
public record LoadGenBuild(String version, List<String> rulesets) {
  /** What native/build.sh reads, too. */
  private static final String FILE = "/native/versions.csv";

  /** Copies the list. */
  public LoadGenBuild {
    rulesets = List.copyOf(rulesets);
  }

  /** All, from the oldest to the newest. Their libraries may be missing where this runs. */
  public static List<LoadGenBuild> all() {
    return Files.ALL;
  }

  /** The last of {@link #all}. */
  public static LoadGenBuild newest() {
    return Files.ALL.getLast();
  }

  /** The version and what it is for. */
  @Override
  public String toString() {
    return version + " (" + String.join(", ", rulesets) + ")";
  }

  /** A line of the file; its second column is of use to the build alone. */
  static LoadGenBuild parse(String line) {
    String[] columns = line.split(",", -1);
    if (columns.length != 3) {
      throw new IllegalArgumentException(
          FILE + ": a line must be VERSION,SHA256,RULESETS, found is '" + line + "'");
    }
    return new LoadGenBuild(columns[0], List.of(columns[2].split(" ")));
  }

  private static final class Files {
    static final List<LoadGenBuild> ALL = read();

    private static List<LoadGenBuild> read() {
      try (InputStream in = LoadGenBuild.class.getResourceAsStream(FILE)) {
        if (in == null) {
          throw new IllegalStateException(FILE + " is not in the jar of mlperf-loadgen-jni");
        }
        List<LoadGenBuild> all = new ArrayList<>();
        BufferedReader lines =
            new BufferedReader(new InputStreamReader(in, StandardCharsets.UTF_8));
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
          if (!line.isBlank() && !line.startsWith("#")) {
            all.add(parse(line));
          }
        }
        return List.copyOf(all);
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }
}
