package dev.loadgen.runner;

import dev.loadgen.client.Prompt;
import dev.loadgen.contract.EndpointType;
import dev.loadgen.contract.RunPlan;
import dev.loadgen.contract.RunnerExit;
import dev.loadgen.datasets.Dataset;
import dev.loadgen.datasets.DatasetException;
import dev.loadgen.datasets.DatasetOptions;
import dev.loadgen.rules.ruleset.Checksums;
import dev.loadgen.rules.ruleset.Ruleset;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalInt;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The samples of a test's dataset, as its requests have them.
 *
 * @param dataset that was read
 * @param chat whether requests have the samples' messages
 */
record Prompts(Dataset dataset, boolean chat) {
  private static final Logger LOG = LoggerFactory.getLogger(Prompts.class);

  /**
   * Reads the dataset of a test, from its path or URL.
   *
   * @throws RunFailedException if it is no dataset
   */
  static Prompts read(TestContext context) throws RunFailedException, IOException {
    RunPlan plan = context.plan();
    String url = plan.dataset().url();
    if (url == null) {
      return read(context, context.options().datasets().resolve(plan.dataset().path()));
    }
    Path downloads = Files.createTempDirectory("dataset");
    Path file = downloads.resolve(fileName(url));
    try {
      DatasetDownload.fetch(url, file);
      return read(context, file);
    } finally {
      Files.deleteIfExists(file);
      Files.delete(downloads);
    }
  }

  private static Prompts read(TestContext context, Path file) throws RunFailedException {
    RunPlan plan = context.plan();
    EndpointType endpoint = plan.server().endpointType();
    try {
      Dataset dataset = Dataset.read(file, DatasetOptions.of(plan.dataset(), endpoint));
      LOG.info("dataset: {} samples from {}", dataset.size(), file.getFileName());
      context.environment().put("dataset", facts(dataset));
      warnOfOtherDataset(plan.test(), dataset);
      return new Prompts(dataset, endpoint == EndpointType.chat_completions);
    } catch (DatasetException e) {
      throw new RunFailedException(RunnerExit.DATASET_INVALID, String.valueOf(e.getMessage()), e);
    }
  }

  /** The last part of a URL's path, by which messages name the file. */
  private static String fileName(String url) {
    String path = url.replaceFirst("[?#].*", "");
    String name = path.substring(path.lastIndexOf('/') + 1);
    return name.isEmpty() ? "dataset" : name;
  }

  /** What tells a dataset from others, whatever its file is called. */
  private static Map<String, Object> facts(Dataset dataset) {
    Map<String, Object> facts = new LinkedHashMap<>();
    facts.put("samples", dataset.size());
    facts.put("sha256", dataset.sha256());
    facts.put("md5", dataset.md5());
    return facts;
  }

  /** Hours before the verdict says so. */
  private static void warnOfOtherDataset(RunPlan.Test test, Dataset dataset) {
    Ruleset ruleset = Ruleset.named(test.ruleset());
    String kind = Objects.requireNonNullElse(test.compliance(), test.mode().name());
    boolean known =
        ruleset
            .benchmark(test.benchmark())
            .knows(new Checksums(dataset.sha256(), dataset.md5()), kind)
            .orElse(true);
    if (ruleset.official() && !known) {
      LOG.warn(
          "the dataset is not one that {} has for this test (MD5 {}): the verdict will be"
              + " Inconclusive at best",
          ruleset.name(),
          dataset.md5());
    }
  }

  /** How many samples there are. */
  int size() {
    return dataset.size();
  }

  Prompt of(int index) {
    return new Prompt(
        dataset.tokenIds(index).orElse(null),
        dataset.text(index).orElse(null),
        chat ? dataset.messages(index).orElse(null) : null);
  }

  /** Tokens of a sample's prompt; null: not known. */
  @Nullable Integer tokens(int index) {
    OptionalInt count = dataset.tokenCount(index);
    return count.isPresent() ? count.getAsInt() : null;
  }
}
