package dev.loadgen.rules.check;

import dev.loadgen.contract.Excerpt;
import dev.loadgen.contract.Provenance;
import dev.loadgen.contract.Provenance.Gpus;
import dev.loadgen.contract.Provenance.ServerPod;
import dev.loadgen.contract.Provenance.Servers;
import dev.loadgen.rules.evidence.ServerEvidence.Attestation;
import dev.loadgen.rules.evidence.ServerEvidence.Observed;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Whether it is known what was measured, and by what. */
public final class AttestationRules {
  /** The rule that a test breaks of which that is not known. */
  public static final String RULE = "NotAttested";

  /** Reasons of a verdict that are worth reading. */
  private static final int MOST_FINDINGS = 8;

  private static final int LONGEST = 600;

  private AttestationRules() {}

  static List<Finding> attested(Subject test) {
    return test.evidence().servers() instanceof Observed servers
        ? findings(servers.attestation())
        : List.of();
  }

  static List<Finding> findings(Attestation seen) {
    return problems(seen).stream()
        .limit(MOST_FINDINGS)
        .map(
            problem ->
                new Finding(
                    RULE,
                    Excerpt.of(
                            Character.toUpperCase(problem.charAt(0)) + problem.substring(1),
                            LONGEST)
                        + ".",
                    "Correct that, and run the test again."))
        .toList();
  }

  /**
   * That a summary was written by a runner that is not as the operator makes it.
   *
   * @param problems what of the runner is different, as clauses; at least one
   */
  public static Finding ofRunner(List<String> problems) {
    return new Finding(
        RULE,
        String.join("; ", problems) + ".",
        "Correct that, and run the test again by the annotation loadgen.dev/rerun or another run.");
  }

  /** What the verdict cannot rest on, as clauses. */
  public static List<String> problems(Attestation seen) {
    Provenance planned = seen.planned();
    Provenance ended = seen.ended();
    Set<String> problems = new LinkedHashSet<>();
    if (planned != null) {
      problems.addAll(planned.problemsOrNone());
      if (ended == null) {
        problems.add(
            "servers and runner were not inspected after the test: the operator did not report in"
                + " time; keep it running until the end of a test");
      } else {
        problems.addAll(ended.problemsOrNone());
        problems.addAll(changes(planned, ended));
      }
    }
    seen.engineChanges()
        .forEach(
            change ->
                problems.add(change + "; make sure that nobody changes servers during a test"));
    return List.copyOf(problems);
  }

  /**
   * What of the servers is not as it was planned. What was not known before or after is no change.
   */
  static List<String> changes(Provenance planned, Provenance ended) {
    Map<String, Servers> before = byPod(planned);
    Map<String, Servers> after = byPod(ended);
    List<String> changes = new ArrayList<>();
    before.forEach(
        (pod, was) -> {
          Servers is = after.get(pod);
          if (is == null) {
            changes.add("pod " + pod + " of the plan was gone at the end of the test");
            return;
          }
          List<String> how = new ArrayList<>();
          changed(how, "image", was.image(), is.image());
          changed(how, "digest of its image", was.imageId(), is.imageId());
          changed(how, "command", line(was.command()), line(is.command()));
          if (!Objects.equals(was.args(), is.args())) {
            how.add("arguments " + onlyIn(orNone(is.args()), orNone(was.args())));
          }
          Gpus gpus = was.gpus();
          Gpus now = is.gpus();
          if (gpus != null && now != null) {
            changed(how, "number of GPUs", gpus.count(), now.count());
            changed(how, "GPU product", gpus.product(), now.product());
            changed(how, "driver of its GPUs", gpus.driver(), now.driver());
          }
          if (!how.isEmpty()) {
            changes.add(
                "pod "
                    + pod
                    + " had at the end of the test a different "
                    + String.join(", ", how)
                    + "; make sure that nobody changes servers during a test");
          }
        });
    return changes;
  }

  private static void changed(
      List<String> how, String what, @Nullable Object was, @Nullable Object is) {
    if (was != null && is != null && !was.equals(is)) {
      how.add(what + ", " + is + " and not " + was);
    }
  }

  /** The arguments that are new, and those that are gone. */
  private static String onlyIn(List<String> is, List<String> was) {
    List<String> added = new ArrayList<>(is);
    List<String> removed = new ArrayList<>(was);
    was.forEach(added::remove);
    is.forEach(removed::remove);
    return "("
        + (added.isEmpty() ? "" : "with " + Excerpt.of(String.join(" ", added), 150))
        + (added.isEmpty() || removed.isEmpty() ? "" : ", ")
        + (removed.isEmpty() ? "" : "without " + Excerpt.of(String.join(" ", removed), 150))
        + (added.isEmpty() && removed.isEmpty() ? "in another order" : "")
        + ")";
  }

  private static List<String> orNone(@Nullable List<String> words) {
    return words == null ? List.of() : words;
  }

  private static @Nullable String line(@Nullable List<String> words) {
    return words == null ? null : String.join(" ", words);
  }

  private static Map<String, Servers> byPod(Provenance provenance) {
    Map<String, Servers> all = new LinkedHashMap<>();
    for (Servers alike : provenance.serversOrNone()) {
      for (ServerPod pod : alike.pods()) {
        all.put(pod.name(), alike);
      }
    }
    return all;
  }
}
