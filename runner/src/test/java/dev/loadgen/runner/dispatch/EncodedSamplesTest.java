package dev.loadgen.runner.dispatch;

import static org.assertj.core.api.Assertions.assertThat;

import dev.loadgen.client.Prompt;
import dev.loadgen.results.SampleRecord;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class EncodedSamplesTest {
  private final AtomicInteger asked = new AtomicInteger();
  private final EncodedSamples bodies =
      new EncodedSamples(
          new FakeClient(),
          index -> {
            asked.incrementAndGet();
            return new Prompt(null, "p" + index);
          },
          10);

  private String body(int... indices) {
    return new String(
        bodies
            .of(IntStream.of(indices).mapToObj(i -> new SampleRecord(i, i, 0)).toList())
            .toBytes(),
        StandardCharsets.UTF_8);
  }

  @Test
  void loadedBodiesAreMadeOnce() {
    bodies.load(new int[] {3, 4});
    assertThat(body(3)).isEqualTo("p3");
    assertThat(body(3)).isEqualTo("p3");
    assertThat(asked).hasValue(2);
  }

  @Test
  void unloadedBodiesAreMadeAgain() {
    bodies.load(new int[] {3});
    bodies.unload(new int[] {3});
    assertThat(body(3)).isEqualTo("p3");
    assertThat(asked).hasValue(2);
  }

  @Test
  void batchesKeepTheirOrder() {
    assertThat(body(5, 2, 5)).isEqualTo("p5+p2+p5");
  }
}
