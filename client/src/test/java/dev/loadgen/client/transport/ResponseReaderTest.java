package dev.loadgen.client.transport;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.ProtocolException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ResponseReaderTest {
  /** What a sink has heard: status, then parts of the body joined. */
  private static final class Heard implements ResponseSink {
    private final List<String> statuses = new ArrayList<>();
    private final StringBuilder body = new StringBuilder();

    @Override
    public void status(int code, String contentType, long nanoTime) {
      statuses.add(code + " " + contentType);
    }

    @Override
    public void bytes(byte[] buffer, int offset, int length, long nanoTime) {
      assertThat(statuses).hasSize(1);
      assertThat(length).isPositive();
      body.append(new String(buffer, offset, length, StandardCharsets.ISO_8859_1));
    }

    @Override
    public void ended(long nanoTime) {
      throw new AssertionError("the reader does not end exchanges");
    }

    @Override
    public void failed(TransportException cause, long nanoTime) {
      throw new AssertionError("the reader does not end exchanges");
    }
  }

  private final ResponseReader reader = new ResponseReader();
  private final Heard heard = new Heard();

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.ISO_8859_1);
  }

  private int read(String text) throws ProtocolException {
    byte[] bytes = bytes("##" + text + "##");
    return reader.read(bytes, 2, text.length(), heard, 1);
  }

  /** Lines end where there is a {@code |}, or without a carriage return where there is a ^. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "HTTP/1.1 200 OK|Content-Type: text/event-stream|Transfer-Encoding: chunked||"
            + "5|hello|A;name=\"x\"|, stranger|0|Trailer: x|Other: y||",
        "HTTP/1.1 100 Continue||HTTP/1.1 103 Early Hints|Link: </x>|Content-Length: 3||"
            + "HTTP/1.1 200 OK|CONTENT-TYPE:text/event-stream|content-length: 15||"
            + "hello, stranger",
        "HTTP/1.1 200^Content-Type: text/event-stream^Transfer-Encoding: Chunked^^"
            + "0005^hello^00a ^, stranger^0^^"
      })
  void readsTheSameHoweverItIsCut(String response) throws Exception {
    byte[] bytes = bytes(response.replace("|", "\r\n").replace("^", "\n"));
    for (int first = 0; first <= bytes.length; first++) {
      for (int second = first; second <= bytes.length; second++) {
        ResponseReader reader = new ResponseReader();
        Heard heard = new Heard();
        assertThat(reader.read(bytes, 0, first, heard, 1)).isEqualTo(first);
        assertThat(reader.read(bytes, first, second - first, heard, 1)).isEqualTo(second - first);
        reader.read(bytes, second, bytes.length - second, heard, 1);

        assertThat(reader.complete()).isTrue();
        assertThat(reader.keepAlive()).isTrue();
        assertThat(heard.statuses).containsExactly("200 text/event-stream");
        assertThat(heard.body).hasToString("hello, stranger");
      }
    }
  }

  @Test
  void leavesWhatFollowsTheResponse() throws Exception {
    assertThat(read("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nokHTTP/1.1 500"))
        .isEqualTo("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok".length());
    assertThat(reader.complete()).isTrue();
    assertThat(heard.body).hasToString("ok");
  }

  @Test
  void readsTheNextResponseAfterAReset() throws Exception {
    read(
        "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Type: a/b\r\nContent-Length: 2\r\n\r\nok");
    assertThat(reader.keepAlive()).isFalse();
    reader.reset();
    heard.statuses.clear();

    assertThat(reader.answered()).isFalse();
    read("HTTP/1.1 503 Busy\r\nContent-Length: 0\r\n\r\n");

    assertThat(reader.complete()).isTrue();
    assertThat(reader.keepAlive()).isTrue();
    assertThat(heard.statuses).containsExactly("503 ");
  }

  @ParameterizedTest
  @ValueSource(ints = {204, 304})
  void endsWithoutABodyWhereThereIsNone(int code) throws Exception {
    read("HTTP/1.1 " + code + " Nothing\r\nContent-Length: 10\r\n\r\n");

    assertThat(reader.complete()).isTrue();
    assertThat(reader.keepAlive()).isTrue();
  }

  @Test
  void readsUntilTheConnectionCloses() throws Exception {
    read("HTTP/1.1 200 OK\r\n\r\nall ");
    read("of it");

    assertThat(reader.complete()).isFalse();
    assertThat(reader.completeAtEndOfStream()).isTrue();
    assertThat(reader.keepAlive()).isFalse();
    assertThat(heard.body).hasToString("all of it");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhell",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n",
        "HTTP/1.1 200 OK\r\nContent-Len"
      })
  void isNotCompleteWhenItIsCut(String response) throws Exception {
    read(response);

    assertThat(reader.complete()).isFalse();
    assertThat(reader.completeAtEndOfStream()).isFalse();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "HTTP/1.1 | X: y                                 | true",
        "HTTP/1.1 | Connection: Close                    | false",
        "HTTP/1.1 | Connection: x, close                 | false",
        "HTTP/1.0 | X: y                                 | false",
        "HTTP/1.0 | Connection: keep-alive               | true",
        "HTTP/1.1 | Content-Length: 0                    | true",
      })
  void keepsTheConnectionAsTheServerSays(String version, String header, boolean kept)
      throws Exception {
    read(version + " 200 OK\r\nContent-Length: 0\r\n" + header + "\r\n\r\n");

    assertThat(reader.complete()).isTrue();
    assertThat(reader.keepAlive()).isEqualTo(kept);
  }

  @Test
  void trustsNoConnectionThatGivesTwoFramings() throws Exception {
    read("HTTP/1.1 200 OK\r\nContent-Length: 99\r\nTransfer-Encoding: chunked\r\n\r\n");
    read("2\r\nok\r\n0\r\n\r\n");

    assertThat(reader.complete()).isTrue();
    assertThat(reader.keepAlive()).isFalse();
    assertThat(heard.body).hasToString("ok");
  }

  @Test
  void takesEqualLengthsForOne() throws Exception {
    read("HTTP/1.1 200 OK\r\nContent-Length: 2, 2\r\nContent-Length: 2\r\n\r\nok");

    assertThat(reader.complete()).isTrue();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "Content-Length: -5",
        "Content-Length: +5",
        "Content-Length: 5x",
        "Content-Length: 0x10",
        "Content-Length:",
        "Content-Length:\r\n 5",
        "Content-Length: 5,6",
        "Content-Length: 5\r\nContent-Length: 6",
        "Content-Length: 99999999999999999999",
        "Content-Length : 5",
        "Transfer-Encoding: gzip, chunked",
        "Transfer-Encoding: identity",
        "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked",
        "Transfer-Encoding:\r\n chunked",
        "no colon",
        ": no name",
      })
  void refusesHeadersThatLeaveTheFramingInDoubt(String headers) {
    assertThatThrownBy(() -> read("HTTP/1.1 200 OK\r\n" + headers + "\r\n\r\nhello"))
        .isInstanceOf(ProtocolException.class)
        .hasMessageMatching("(Content-Length|Transfer-Encoding|a header line) .*");
    assertThat(heard.statuses).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "SSH-2.0-OpenSSH_9.2",
        "HTTP/2 200 OK",
        "HTTP/2.0 200 OK",
        "HTTP/1.1 2OO OK",
        "HTTP/1.1 2000 OK",
        "HTTP/1.1200 OK",
        "HTTP/1.1 020 OK",
        "HTTP/1.1 101 Switching Protocols",
        "",
      })
  void refusesWhatIsNoStatusLine(String line) {
    assertThatThrownBy(() -> read(line + "\r\n\r\n"))
        .isInstanceOf(ProtocolException.class)
        .hasMessageMatching("(no status line but|status) .*");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "-5\r\nhello",
        "\r\nhello",
        "g\r\n",
        "5 5 5x\r\nhello!",
        "FFFFFFFFFFFFFFFF\r\nhello",
        "7FFFFFFFFFFFFFFFF\r\nhello",
        "5\r\nhello, stranger\r\n0\r\n\r\n",
        "5\r\nhelloX\r\n"
      })
  void refusesChunksWhoseSizeIsNone(String chunks) {
    assertThatThrownBy(() -> read("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + chunks))
        .isInstanceOf(ProtocolException.class)
        .hasMessageContaining("chunk");
  }

  @Test
  void refusesHeadersWithoutEnd() {
    String header = "X-Padding: " + "x".repeat(1000) + "\r\n";

    assertThatThrownBy(() -> read("HTTP/1.1 200 OK\r\n" + header.repeat(70)))
        .isInstanceOf(ProtocolException.class)
        .hasMessage("headers of more than 64 KiB");
  }

  @Test
  void refusesALineWithoutEnd() throws Exception {
    read("HTTP/1.1 200 OK\r\n");

    assertThatThrownBy(
            () -> {
              for (int i = 0; i < 1000; i++) {
                read("x".repeat(100));
              }
            })
        .isInstanceOf(ProtocolException.class)
        .hasMessage("headers of more than 64 KiB");
  }

  @Test
  void refusesInterimResponsesWithoutEnd() {
    assertThatThrownBy(() -> read("HTTP/1.1 100 Continue\r\n\r\n".repeat(4000)))
        .isInstanceOf(ProtocolException.class)
        .hasMessage("headers of more than 64 KiB");
  }

  @Test
  void refusesTrailersAndExtensionsWithoutEnd() {
    String head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";

    assertThatThrownBy(() -> read(head + "0\r\n" + "a: b\r\n".repeat(20_000)))
        .hasMessage("headers of more than 64 KiB");
    reader.reset();
    assertThatThrownBy(() -> read(head + "5;" + "x".repeat(5000)))
        .hasMessage("a chunk's size line of more than 4 KiB");
  }

  @Test
  void quotesLittleAndNothingThatCouldHurtATerminal() {
    assertThatThrownBy(() -> read("\u001b[2J" + "x".repeat(500) + "\r\n"))
        .hasMessage("no status line but \"?[2J" + "x".repeat(56) + "...\"");
  }
}
