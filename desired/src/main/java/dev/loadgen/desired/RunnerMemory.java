package dev.loadgen.desired;

import dev.loadgen.api.v1alpha1.BenchmarkRunSpec;
import dev.loadgen.rules.ruleset.BenchmarkRules;
import dev.loadgen.rules.ruleset.Ruleset;
import dev.loadgen.rules.ruleset.SampleSize;
import dev.loadgen.rules.ruleset.ScenarioRules;
import io.fabric8.kubernetes.api.model.Quantity;
import java.math.BigDecimal;
import java.util.Optional;

/** How much memory a runner needs for the dataset of a round, before anybody has seen it. Pure. */
public final class RunnerMemory {
  private static final Quantity DEFAULT = new Quantity("4Gi");
  private static final long GIBIBYTE = 1L << 30;

  /**
   * What a runner has on its heap beside the dataset, with requests in flight and their records.
   */
  private static final long BESIDE_SAMPLES = GIBIBYTE;

  /** The part of the container's memory that is heap: MaxRAMPercentage in the Dockerfile. */
  private static final double HEAP = 0.7;

  private RunnerMemory() {}

  /**
   * The memory of a runner whose spec names none: 4Gi, or more where its round's dataset is large.
   */
  static Quantity unlessNamed(BenchmarkRunSpec spec) {
    return needed(spec).orElse(DEFAULT);
  }

  /**
   * What is wrong with the memory that a spec names; empty: nothing is known to be.
   *
   * @param spec with a ruleset and a benchmark that are known
   */
  public static Optional<String> problem(BenchmarkRunSpec spec) {
    Quantity named =
        spec.runner() == null || spec.runner().resources() == null
            ? null
            : spec.runner().resources().get("memory");
    Quantity needed = needed(spec).orElse(null);
    if (named == null
        || needed == null
        || Quantity.getAmountInBytes(named).compareTo(Quantity.getAmountInBytes(needed)) >= 0) {
      return Optional.empty();
    }
    return Optional.of(
        ("spec.runner.resources.memory: %s does not hold the dataset of %s in %s; give %s or"
                + " more, or remove it; a smaller dataset can be tried with ruleset none")
            .formatted(named, spec.benchmark().id(), spec.rulesetOrDefault(), needed));
  }

  /** Empty: the default suffices, or the dataset is not known. */
  private static Optional<Quantity> needed(BenchmarkRunSpec spec) {
    Ruleset ruleset = Ruleset.named(spec.rulesetOrDefault());
    BenchmarkRules benchmark = ruleset.benchmark(spec.benchmark().id());
    SampleSize size = benchmark.sampleSize();
    Integer samples =
        benchmark.scenario(spec.scenario()).map(ScenarioRules::performanceSampleCount).orElse(null);
    if (!ruleset.official() || size == null || samples == null) {
      return Optional.empty();
    }
    double bytes = (size.bytes() * (double) samples + BESIDE_SAMPLES) / HEAP;
    Quantity needed = new Quantity((long) Math.ceil(bytes / GIBIBYTE) + "Gi");
    BigDecimal least = Quantity.getAmountInBytes(DEFAULT);
    return Quantity.getAmountInBytes(needed).compareTo(least) > 0
        ? Optional.of(needed)
        : Optional.empty();
  }
}
