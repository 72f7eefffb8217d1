package dev.loadgen.client;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ServerSentEventsTest {
  private static final String EVERYTHING =
      String.join(
          "",
          List.of(
              ": comment\r\n\r\n",
              "data: one\n\n",
              "data:two\rdata:  2b\r\r",
              "event: x\ndata: three\r\ndata\r\n\r\n",
              "id: 7\n\n",
              "datum: no\ndata: é😀\n\n\n\n",
              "data: [DONE]\n\n",
              "data: never closed\n"));

  private static final List<String> EVENTS = List.of("one", "two\n 2b", "three\n", "é😀", "[DONE]");

  private static List<String> split(byte[] bytes, int... cuts) throws IOException {
    List<String> events = new ArrayList<>();
    ServerSentEvents splitter = new ServerSentEvents();
    int from = 0;
    for (int i = 0; i <= cuts.length; i++) {
      int to = i < cuts.length ? cuts[i] : bytes.length;
      byte[] read = new byte[to - from + 4];
      System.arraycopy(bytes, from, read, 2, to - from);
      splitter.feed(
          read,
          2,
          to - from,
          (buffer, offset, length) ->
              events.add(new String(buffer, offset, length, StandardCharsets.UTF_8)));
      // The array belongs to the transport.
      Arrays.fill(read, (byte) 'x');
      from = to;
    }
    return events;
  }

  private static byte[] utf8(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  @Test
  void aByteOrderMarkIsNoPartOfTheFirstEvent() throws Exception {
    byte[] marked = utf8("\ufeffdata: one\n\ndata: \ufefftwo\n\n\ufeffdata: three\n\n");
    for (int cut = 0; cut < 8; cut++) {
      assertThat(split(marked, cut)).as("cut at %s", cut).containsExactly("one", "\ufefftwo");
    }
    assertThat(split(utf8("\ufeff\ndata: one\n\n"))).containsExactly("one");
  }

  @Test
  void splitsByTheRulesOfTheStandard() throws Exception {
    assertThat(split(utf8(EVERYTHING))).isEqualTo(EVENTS);
  }

  @Test
  void everyPairOfCutsGivesTheSameEvents() throws Exception {
    byte[] bytes = utf8(EVERYTHING);
    for (int first = 0; first <= bytes.length; first++) {
      for (int second = first; second <= bytes.length; second++) {
        assertThat(split(bytes, first, second))
            .as("cut at %d, %d", first, second)
            .isEqualTo(EVENTS);
      }
    }
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5})
  void randomCutsGiveTheSameEvents(long seed) throws Exception {
    byte[] bytes = utf8(EVERYTHING.repeat(20));
    int[] cuts = new Random(seed).ints(200, 0, bytes.length).sorted().toArray();

    assertThat(split(bytes, cuts)).isEqualTo(split(bytes));
  }

  @Test
  void anEventWithoutABlankLineIsNone() throws Exception {
    assertThat(split(utf8("data: {\"a\":1}\n"))).isEmpty();
    assertThat(split(utf8("data: {\"a\":1}"))).isEmpty();
  }
}
