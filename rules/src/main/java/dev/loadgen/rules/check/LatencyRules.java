package dev.loadgen.rules.check;

import dev.loadgen.rules.log.DetailLog;
import dev.loadgen.rules.text.Wording;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import org.jspecify.annotations.Nullable;

/**
 * Latencies against their limits. A value equal to its limit fails, as in the submission checker.
 */
final class LatencyRules {
  private LatencyRules() {}

  static List<Finding> ttft(Subject test) {
    if (!applies(test)) {
      return List.of();
    }
    double percentile = test.limits().percentileOrDefault();
    return check(
        test,
        new Latency(
            "Ttft",
            "time to first token",
            "spec.load.limits.ttft",
            true,
            test.evidence().requested().limits().ttftMs() != null),
        test.limits().ttftMs(),
        test.log().ttftMs(percentile),
        test.log().number("requested_server_ttft_latency"));
  }

  static List<Finding> tpot(Subject test) {
    if (!applies(test)) {
      return List.of();
    }
    double percentile = test.limits().percentileOrDefault();
    return check(
        test,
        new Latency(
            "Tpot",
            "time per output token",
            "spec.load.limits.tpot",
            true,
            test.evidence().requested().limits().tpotMs() != null),
        test.limits().tpotMs(),
        test.log().tpotMs(percentile),
        test.log().number("requested_server_tpot_latency"));
  }

  static List<Finding> latency(Subject test) {
    // With token latencies LoadGen does not hold whole queries against a limit.
    if (!applies(test) || (!test.ruleset().official() && test.tokenLatencies())) {
      return List.of();
    }
    double percentile = test.limits().percentileOrDefault();
    return check(
        test,
        new Latency("Latency", "query latency", "spec.load.limits.latency", false, true),
        test.limits().latencyMs(),
        test.log().latencyMs(percentile),
        test.log().number("effective_target_latency_ns"));
  }

  private static boolean applies(Subject test) {
    return test.hasResults() && test.evidence().openLoop();
  }

  /**
   * One kind of latency.
   *
   * @param ofTokens whether LoadGen measures it only with token latencies
   * @param asked whether the run itself limits it
   */
  private record Latency(String rule, String noun, String field, boolean ofTokens, boolean asked) {}

  private static List<Finding> check(
      Subject test,
      Latency latency,
      @Nullable Double limit,
      OptionalDouble measured,
      OptionalDouble loadGenLimitNs) {
    if (limit == null) {
      return List.of();
    }
    String at = Wording.percentile(test.limits().percentileOrDefault());
    if (measured.isEmpty()) {
      boolean asked = test.ruleset().official() || latency.asked();
      return latency.ofTokens() && !asked
          ? List.of()
          : List.of(
              new Finding(
                  latency.rule(),
                  "LoadGen's log has no %s %s; the limit is %s."
                      .formatted(latency.noun(), at, Wording.ms(limit)),
                  latency.ofTokens()
                      ? "Set spec.client.streaming to true; LoadGen measures token latencies of streamed answers."
                      : "Judge a log that LoadGen finished."));
    }
    if (measured.getAsDouble() >= limit) {
      return List.of(
          new Finding(
              latency.rule(),
              "%s %s is %s, must be below %s."
                  .formatted(
                      latency.noun(), at, Wording.ms(measured.getAsDouble()), Wording.ms(limit)),
              "Lower spec.load.targetQps or speed up the server"
                  + (test.ruleset().official() ? "." : "; or raise " + latency.field() + "."),
              Wording.ms(measured.getAsDouble()),
              Wording.ms(limit)));
    }
    if (test.ruleset().official()
        && !test.open()
        && loadGenLimitNs.isPresent()
        && loadGenLimitNs.getAsDouble() / 1e6 > limit) {
      return List.of(
          new Finding(
              latency.rule(),
              "LoadGen ran with a limit of "
                  + Wording.ms(loadGenLimitNs.getAsDouble() / 1e6)
                  + " for the "
                  + latency.noun()
                  + ", "
                  + test.ruleset().name()
                  + " has "
                  + Wording.ms(limit)
                  + "; its early stopping proves nothing.",
              "Remove "
                  + latency.field()
                  + " and the latency keys of spec.load.userConf, and run again."));
    }
    return List.of();
  }

  static List<Finding> earlyStopping(Subject test) {
    if (!test.hasResults()) {
      return List.of();
    }
    DetailLog log = test.log();
    double limit = test.limits().percentileOrDefault();
    double percentile =
        log.number("effective_target_latency_percentile").stream()
            .map(share -> 100 * share)
            .filter(percent -> percent > 0 && percent < 100)
            .findFirst()
            .orElse(limit);
    if (test.ruleset().official()
        && !test.open()
        && test.evidence().openLoop()
        && percentile < limit - 1e-6) {
      return List.of(
          new Finding(
              "EarlyStopping",
              ("LoadGen held the latencies' %s against the limits, must be %s; its early stopping"
                      + " proves nothing.")
                  .formatted(Wording.percentile(percentile), Wording.percentile(limit)),
              "Remove target_latency_percentile from spec.load.userConf, and run again.",
              Wording.percentile(percentile),
              Wording.percentile(limit)));
    }
    Optional<Boolean> met = log.flag("early_stopping_met");
    if (met.isEmpty()) {
      return List.of(SettingsRules.untold("EarlyStopping", "early_stopping_met"));
    }
    if (met.get()) {
      return List.of();
    }
    long queries = log.integer("result_query_count").orElse(0);
    String said =
        List.of("early_stopping_result", "early_stopping_ttft_result", "early_stopping_tpot_result")
            .stream()
            .flatMap(key -> log.text(key).stream())
            .filter(text -> text.contains("unsuccessful") || text.contains("Need to process"))
            .map(text -> Wording.cut(text.replaceAll("[ *]+", " ").strip(), 300))
            .distinct()
            .findFirst()
            .orElse("");
    String message =
        "LoadGen's early-stopping criterion is not met after "
            + Wording.count(queries, "query", "queries")
            + (said.isEmpty() ? "." : ": " + said);
    String fix =
        "Lower spec.load.targetQps or speed up the server, so that fewer queries are late.";
    if (test.evidence().openLoop()) {
      long least = EarlyStopping.minQueries(0, percentile);
      if (queries < least) {
        fix =
            ("Set spec.load.minQueryCount to %s or more: with fewer queries no test can show its"
                    + " %s; one late query needs %s.")
                .formatted(
                    least, Wording.percentile(percentile), EarlyStopping.minQueries(1, percentile));
      }
    } else {
      fix = "Raise spec.load.minQueryCount or spec.load.minDuration.";
    }
    return List.of(new Finding("EarlyStopping", message, fix));
  }
}
