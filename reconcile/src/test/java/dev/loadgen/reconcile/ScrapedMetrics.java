package dev.loadgen.reconcile;

import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Metrics in the text format of Prometheus, as a reader sees them. */
public record ScrapedMetrics(Map<String, Family> families, Map<String, String> samples) {
  private static final Pattern HELP = Pattern.compile("# HELP (\\S+) (.*)");
  private static final Pattern TYPE = Pattern.compile("# TYPE (\\S+) (\\S+)");
  private static final Pattern SAMPLE =
      Pattern.compile("(?<name>[^{ ]+)(\\{(?<labels>.*)\\})? (?<value>\\S+)");
  private static final Pattern LABEL = Pattern.compile("(\\w+)=\"(?:[^\"\\\\]|\\\\.)*\"");
  private static final Pattern PART = Pattern.compile("_(bucket|sum|count)$");

  /** What is said of a name, and the labels of its series. */
  public record Family(String type, String help, Set<String> labels) {}

  public static ScrapedMetrics of(String text) {
    Map<String, String> helps = new TreeMap<>();
    Map<String, Family> families = new TreeMap<>();
    Map<String, String> samples = new TreeMap<>();
    for (String line : text.split("\n", -1)) {
      Matcher help = HELP.matcher(line);
      Matcher type = TYPE.matcher(line);
      Matcher sample = SAMPLE.matcher(line);
      if (help.matches()) {
        helps.put(help.group(1), help.group(2));
      } else if (type.matches()) {
        String name = type.group(1);
        families.put(
            name, new Family(type.group(2), helps.getOrDefault(name, ""), new TreeSet<>()));
      } else if (sample.matches()) {
        samples.put(line.substring(0, line.lastIndexOf(' ')), sample.group("value"));
        String name = sample.group("name");
        Family family = families.get(name);
        if (family == null) {
          family = families.get(family(name));
        }
        Matcher label = LABEL.matcher(sample.group("labels") == null ? "" : sample.group("labels"));
        while (family != null && label.find()) {
          family.labels().add(label.group(1));
        }
      }
    }
    return new ScrapedMetrics(families, samples);
  }

  /** Whether there is a series of a name. */
  public boolean serves(String name) {
    return families.containsKey(name) || families.containsKey(family(name));
  }

  /** The labels that the series of a name have. */
  public Set<String> labelsOf(String name) {
    Family family = families.containsKey(name) ? families.get(name) : families.get(family(name));
    return family == null ? Set.of() : family.labels();
  }

  private static String family(String name) {
    return PART.matcher(name).replaceFirst("");
  }
}
