package dev.loadgen.rules.check;

import dev.loadgen.rules.ruleset.BenchmarkRules;
import dev.loadgen.rules.ruleset.Checksums;
import dev.loadgen.rules.ruleset.KnownDataset;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Whether the samples are those of the round: counts alone say nothing of that. */
final class DatasetRules {
  private DatasetRules() {}

  static List<Finding> known(Subject test) {
    Checksums dataset = test.evidence().dataset();
    if (!test.ruleset().official() || test.rules() == null || dataset == null) {
      return List.of();
    }
    BenchmarkRules benchmark = test.ruleset().benchmark(test.benchmarkId());
    String unpublished = benchmark.datasetUnpublished();
    if (unpublished != null) {
      return List.of(
          new Finding(
              "DatasetUnpublished",
              "Whether this is the dataset of "
                  + test.ruleset().name()
                  + " cannot be determined: "
                  + unpublished
                  + ". Its SHA-256 is "
                  + orUnknown(dataset.sha256())
                  + ".",
              "Record with the results how the file was made, and use the same file in all tests."));
    }
    String kind = test.kind();
    if (benchmark.knows(dataset, kind).orElse(false)) {
      return List.of();
    }
    List<KnownDataset> known =
        benchmark.datasets().stream().filter(each -> each.isFor(kind)).toList();
    return List.of(
        new Finding(
            "DatasetUnknown",
            "The dataset is not one that "
                + test.ruleset().name()
                + " has for "
                + (kind.startsWith("TEST")
                    ? kind
                    : test.evidence().accuracy() ? "accuracy" : "performance")
                + " tests of "
                + test.benchmarkId()
                + ": its MD5 is "
                + orUnknown(dataset.md5())
                + ", its SHA-256 "
                + orUnknown(dataset.sha256())
                + ".",
            "Give spec.dataset the file as MLCommons publishes it, unchanged and not packed: "
                + known.stream().map(KnownDataset::inWords).collect(Collectors.joining(" or "))
                + ".",
            "MD5 " + orUnknown(dataset.md5()),
            known.stream().map(KnownDataset::inWords).collect(Collectors.joining(" or "))));
  }

  private static String orUnknown(@Nullable String checksum) {
    return checksum == null ? "not known" : checksum;
  }
}
