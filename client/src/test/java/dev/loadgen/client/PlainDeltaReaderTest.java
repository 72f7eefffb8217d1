package dev.loadgen.client;

import static org.assertj.core.api.Assertions.assertThat;

import dev.loadgen.client.transport.Access;
import dev.loadgen.contract.RequestFailure;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What {@link PlainDeltaReader} takes, it takes as the JSON parser does. */
class PlainDeltaReaderTest {
  private static final String COMPLETION =
      "{\"id\":\"cmpl-1\",\"object\":\"text_completion\",\"created\":1795230038,\"model\":\"m\","
          + "\"choices\":[{\"index\":0,\"text\":\" word\",\"logprobs\":null,"
          + "\"finish_reason\":null,\"stop_reason\":null,\"prompt_token_ids\":null,"
          + "\"token_ids\":[12,0,151435]}],"
          + "\"usage\":{\"prompt_tokens\":8,\"total_tokens\":10,\"completion_tokens\":2}}";
  private static final String CHAT =
      "{\"id\": \"c\", \"object\": \"chat.completion.chunk\", \"choices\": [{\"index\": 0, "
          + "\"delta\": {\"role\": null, \"content\": \"visi\", \"reasoning_content\": null, "
          + "\"tool_calls\": null}, \"finish_reason\": null}], \"usage\": null}";

  /** What becomes of a stream of events; the answer's state in words. */
  static String outcome(boolean fully, byte[]... events) {
    List<String> heard = new ArrayList<>();
    AnswerSink sink =
        new AnswerSink() {
          @Override
          public void firstToken(int prompt, int token, long nanoTime) {
            heard.add("first token of " + prompt + ", " + token);
          }

          @Override
          public void completed(int prompt, Answer answer, long nanoTime) {
            heard.add("completed " + prompt);
          }

          @Override
          public void failed(int prompt, RequestFailure failure, long nanoTime) {
            heard.add("failed " + prompt + " " + failure);
          }
        };
    Answers answers = new Answers(1, true, true, sink, Access.NONE);
    OpenAiWire wire = new OpenAiWire();
    for (byte[] event : events) {
      try {
        if (fully) {
          OpenAiWire.readFully(event, 0, event.length, answers, 1);
        } else {
          wire.event(event, 0, event.length, answers, 1);
        }
      } catch (IOException e) {
        heard.add(e.getClass().getSimpleName());
      }
    }
    PartialAnswer answer = answers.get(0);
    return String.join(
        "|",
        heard.toString(),
        answer.text(),
        Arrays.toString(answer.ids().toArray()),
        "" + answer.idsSent(),
        "" + answer.finishReason(),
        "" + answers.usage());
  }

  private static boolean plain(byte[] event) throws IOException {
    return new PlainDeltaReader().read(event, 0, event.length, new TokenIds());
  }

  private static void requireSame(byte[]... events) {
    String ours = outcome(false, events);
    String parsers = outcome(true, events);
    if (!ours.equals(parsers)) {
      assertThat(ours)
          .as(new String(events[events.length - 1], StandardCharsets.UTF_8))
          .isEqualTo(parsers);
    }
  }

  /** The same by itself, and after an event that is known by then. */
  private static void requireSameAfter(byte[] known, byte[] event) {
    requireSame(event);
    requireSame(known, event);
    requireSame(known, event, known);
  }

  @Test
  void readsRecordedEventsAsTheParserDoes() throws Exception {
    int events = 0;
    int plain = 0;
    for (String folder : List.of("vllm", "sglang")) {
      List<Path> files;
      try (Stream<Path> all = Files.list(Path.of("src/test/resources", folder))) {
        files = all.filter(file -> file.toString().endsWith(".sse")).toList();
      }
      for (Path file : files) {
        if (file.getFileName().toString().startsWith("generate")) {
          continue;
        }
        List<byte[]> stream = new ArrayList<>();
        for (String line : Files.readAllLines(file)) {
          if (line.startsWith("data: {")) {
            byte[] event = line.substring("data: ".length()).getBytes(StandardCharsets.UTF_8);
            requireSame(event);
            stream.add(event);
            requireSame(stream.toArray(byte[][]::new));
            events++;
            plain += plain(event) ? 1 : 0;
          }
        }
      }
    }
    assertThat(events).isGreaterThan(80);
    assertThat(plain).as("plain ones among %s", events).isGreaterThan(events * 2 / 3);
  }

  @ParameterizedTest
  @ValueSource(strings = {COMPLETION, CHAT})
  void readsWhatIsNearlyRightAsTheParserDoes(String event) throws Exception {
    byte[] right = event.getBytes(StandardCharsets.US_ASCII);
    assertThat(plain(right)).isTrue();
    byte[] replacements = "\"\\{}[],: 0n-x.\n\u0001".getBytes(StandardCharsets.US_ASCII);
    for (int i = 0; i < right.length; i++) {
      for (byte replacement : replacements) {
        byte[] wrong = right.clone();
        wrong[i] = replacement;
        requireSameAfter(right, wrong);
        byte[] inserted = new byte[right.length + 1];
        System.arraycopy(right, 0, inserted, 0, i);
        inserted[i] = replacement;
        System.arraycopy(right, i, inserted, i + 1, right.length - i);
        requireSameAfter(right, inserted);
      }
      byte[] highBit = right.clone();
      highBit[i] |= (byte) 0x80;
      requireSameAfter(right, highBit);
      requireSameAfter(right, Arrays.copyOf(right, i));
      byte[] without = new byte[right.length - 1];
      System.arraycopy(right, 0, without, 0, i);
      System.arraycopy(right, i + 1, without, i, without.length - i);
      requireSameAfter(right, without);
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{}",
        "{\"choices\":[]}",
        "{\"choices\":[{}]}",
        "{\"choices\":[{\"text\":\"a\"}]}",
        "{\"choices\":[{\"index\":1,\"text\":\"a\"}]}",
        "{\"choices\":[{\"index\":4294967296,\"text\":\"a\"}]}",
        "{\"choices\":[{\"index\":0,\"text\":\"a\",\"text\":null}]}",
        "{\"choices\":[{\"index\":0,\"text\":\"a\",\"delta\":{\"content\":\"b\"}}]}",
        "{\"choices\":[{\"index\":0,\"token_ids\":[1],\"token_ids\":[2]}]}",
        "{\"choices\":[{\"index\":0,\"token_ids\":[2147483648]}]}",
        "{\"choices\":[{\"index\":0,\"token_ids\":[01]}]}",
        "{\"choices\":[{\"index\":0,\"token_ids\":[]}]}",
        "{\"choices\":[{\"index\":0,\"text\":\"a\"},{\"index\":0,\"text\":\"b\"}]}",
        "{\"choices\":[{\"index\":0,\"text\":\"a\"}],\"choices\":[{\"index\":0,\"text\":\"b\"}]}",
        "{\"choices\":[{\"index\":0,\"text\":\"\",\"delta\":{\"reasoning\":\"hm\"}}]}",
        "{\"choices\":[{\"index\":0,\"text\":\"\",\"delta\":{}}]}",
        "{\"choices\":[{\"index\":0,\"message\":{\"content\":\"a\"}}]}",
        "{\"choices\":[{\"index\":0,\"text\":\"a\"}],\"error\":null}",
        "{\"choices\":[{\"index\":0,\"text\":\"a\"}],\"error\":{\"message\":\"no\"}}",
        "{\"object\":\"error\",\"choices\":[{\"index\":0,\"text\":\"a\"}]}",
        "{\"choices\":[{\"index\":0,\"text\":\"a\"}]} {}",
        "{\"choices\":[{\"index\":0,\"text\":\"\\u00e9 \\n é\"}]}",
        "{\"choices\":[{\"index\":0,\"finish_reason\":\"stop\"}]}",
        "{\"choices\":[{\"index\":0,\"text\":\"a\"}],\"usage\":{\"completion_tokens\":-3}}",
      })
  void readsUnusualEventsAsTheParserDoes(String event) {
    byte[] unusual = event.getBytes(StandardCharsets.UTF_8);
    requireSameAfter(COMPLETION.getBytes(StandardCharsets.UTF_8), unusual);
    requireSame(unusual, unusual);
  }

  /** Each line is a stream: what one event says must not show in the next. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "{'choices':[{'index':0,'text':'ab','token_ids':[1,2]}]}"
            + "|{'choices':[{'index':0,'text':'','token_ids':[]}]}"
            + "|{'choices':[{'index':0,'text':'longer than before','token_ids':[3]}]}"
            + "|{'choices':[{'index':0,'text':'x','token_ids':[4 , 5]}]}"
            + "|{'choices':[{'index':0,'text':'x','token_ids':[4,]}]}",
        "{'choices':[{'text':'a'}]}|{'choices':[{'text':null}]}|{'choices':[{'text':'b'}]}",
        "{'choices':[{'text':'a','text':null}]}|{'choices':[{'text':'b','text':null}]}",
        "{'choices':[{'text':'a','text':'b'}]}|{'choices':[{'text':'c','text':'d'}]}",
        "{'choices':[{'delta':{'reasoning':'hm','content':''}}]}"
            + "|{'choices':[{'delta':{'reasoning':'','content':''}}]}"
            + "|{'choices':[{'delta':{'reasoning':'so','content':'yes'}}]}",
        "{'choices':[{'index':0,'text':'a'}]}|{'choices':[{'index':7,'text':'b'}]}",
        "{'choices':[{'text':'a'}],'usage':{'prompt_tokens':9,'completion_tokens':1}}"
            + "|{'choices':[{'text':'b'}],'usage':{'prompt_tokens':9,'completion_tokens':12}}"
            + "|{'choices':[{'text':'c'}],'usage':{'prompt_tokens':10,'completion_tokens':012}}"
            + "|{'choices':[{'text':'c'}],'usage':{'prompt_tokens':10,'completion_tokens':1.5}}",
        "{'choices':[{'text':'a','token_ids':[1],'x':1,'index':0}],'usage':{'a':1,'b':2,'c':3,'d':4,"
            + "'e':5,'f':6,'completion_tokens':7}}"
            + "|{'choices':[{'text':'b','token_ids':[2],'x':1,'index':0}],'usage':{'a':1,'b':2,'c':3,"
            + "'d':4,'e':5,'f':6,'completion_tokens':8}}",
      })
  void readsStreamsAsTheParserDoes(String stream) {
    requireSame(
        Stream.of(stream.replace('\'', '"').split("\\|"))
            .map(event -> event.getBytes(StandardCharsets.UTF_8))
            .toArray(byte[][]::new));
  }

  /** Otherwise the comparison with the last event would never be made in these tests. */
  @Test
  void aNextEventIsTakenWithoutReadingItMemberByMember() throws Exception {
    PlainDeltaReader reader = new PlainDeltaReader();
    byte[] first = COMPLETION.getBytes(StandardCharsets.UTF_8);
    byte[] next =
        COMPLETION
            .replace(" word", "s and more of them")
            .replace("12,0,151435", "7")
            .replace("_tokens\":2", "_tokens\":31")
            .getBytes(StandardCharsets.UTF_8);
    assertThat(reader.read(first, 0, first.length, new TokenIds())).isTrue();
    assertThat(reader.sawItsLike()).isFalse();

    TokenIds ids = new TokenIds();
    assertThat(reader.read(next, 0, next.length, ids)).isTrue();

    assertThat(reader.sawItsLike()).isTrue();
    assertThat(reader.text()).isEqualTo("s and more of them");
    assertThat(ids.toArray()).containsExactly(7);
    assertThat(reader.usage()).isEqualTo(31);
  }
}
