package dev.loadgen.runner.dispatch;

import dev.loadgen.client.EngineClient;
import dev.loadgen.client.Prompt;
import dev.loadgen.datasets.payload.Payload;
import dev.loadgen.results.SampleRecord;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/**
 * Request bodies by sample. Those of single samples are made when LoadGen loads the samples, which
 * it does not time; images in them stay what they are in the dataset until they are sent.
 */
public final class EncodedSamples {
  private final EngineClient client;
  private final IntFunction<Prompt> prompts;
  private final @Nullable Payload[] single;

  /**
   * No bodies yet.
   *
   * @param prompts the prompt of a sample
   * @param samples size of the dataset
   */
  public EncodedSamples(EngineClient client, IntFunction<Prompt> prompts, int samples) {
    this.client = client;
    this.prompts = prompts;
    this.single = new Payload[samples];
  }

  /** Makes the bodies of single samples. */
  public void load(int[] indices) {
    for (int index : indices) {
      single[index] = client.encode(List.of(prompts.apply(index)));
    }
  }

  /** Forgets the bodies of single samples. */
  public void unload(int[] indices) {
    for (int index : indices) {
      single[index] = null;
    }
  }

  Payload of(List<SampleRecord> samples) {
    if (samples.size() == 1) {
      int index = samples.get(0).index();
      Payload body = single[index];
      return body != null ? body : client.encode(List.of(prompts.apply(index)));
    }
    List<Prompt> batch = new ArrayList<>(samples.size());
    for (SampleRecord sample : samples) {
      batch.add(prompts.apply(sample.index()));
    }
    return client.encode(batch);
  }
}
