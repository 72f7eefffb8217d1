package dev.loadgen.client;

import java.io.IOException;

/**
 * Splits a {@code text/event-stream} into the data of its events, by the rules of the HTML standard
 * (section 9.2), however the bytes are cut into reads. Names, ids and retry times of events are
 * passed over; an event that is not closed by a blank line is none.
 */
final class ServerSentEvents {
  /** Receives the data of one event; the array is overwritten after the call. */
  interface Listener {
    void event(byte[] buffer, int offset, int length) throws IOException;
  }

  private static final byte[] DATA = {'d', 'a', 't', 'a'};

  /** What a stream may begin with, and what is then left out. */
  private static final byte[] BYTE_ORDER_MARK = {(byte) 0xef, (byte) 0xbb, (byte) 0xbf};

  /** The beginning of a line whose end has not arrived. */
  private final GrowingBytes line = new GrowingBytes();

  /** Data of the open event that is not in the buffer of the current read. */
  private final GrowingBytes data = new GrowingBytes();

  private boolean begun;
  private boolean afterCarriageReturn;
  private boolean hasData;

  /** Where the open event's data lies in the current read; -1 if it is in {@link #data}. */
  private int inPlaceFrom = -1;

  private int inPlaceTo;

  /** Takes the next bytes and hands over the events that they complete. */
  void feed(byte[] buffer, int offset, int length, Listener listener) throws IOException {
    int end = offset + length;
    int start = offset;
    if (afterCarriageReturn && length > 0) {
      afterCarriageReturn = false;
      if (buffer[start] == '\n') {
        start++;
      }
    }
    for (int i = ByteSearch.lineEnd(buffer, start, end);
        i < end;
        i = ByteSearch.lineEnd(buffer, start, end)) {
      line(buffer, start, i, listener);
      start = i + 1;
      if (buffer[i] == '\r') {
        if (start == end) {
          afterCarriageReturn = true;
        } else if (buffer[start] == '\n') {
          start++;
        }
      }
    }
    keepData(buffer);
    line.append(buffer, start, end - start);
  }

  private void line(byte[] buffer, int from, int to, Listener listener) throws IOException {
    if (line.length() == 0) {
      completeLine(buffer, from, to, true, listener);
      return;
    }
    line.append(buffer, from, to - from);
    completeLine(line.array(), 0, line.length(), false, listener);
    line.clear();
  }

  private void completeLine(byte[] buffer, int lineFrom, int to, boolean inPlace, Listener listener)
      throws IOException {
    int from = lineFrom;
    if (!begun) {
      begun = true;
      if (startsWith(BYTE_ORDER_MARK, buffer, from, to)) {
        from += BYTE_ORDER_MARK.length;
      }
    }
    if (from == to) {
      dispatch(buffer, listener);
      return;
    }
    int colon = from + DATA.length;
    if (!startsWith(DATA, buffer, from, to) || (to > colon && buffer[colon] != ':')) {
      return;
    }
    int value = Math.min(to, colon + 1);
    if (value < to && buffer[value] == ' ') {
      value++;
    }
    if (!hasData && inPlace) {
      inPlaceFrom = value;
      inPlaceTo = to;
    } else {
      keepData(buffer);
      if (hasData) {
        data.append(NEW_LINE, 0, 1);
      }
      data.append(buffer, value, to - value);
    }
    hasData = true;
  }

  private static final byte[] NEW_LINE = {'\n'};

  private void dispatch(byte[] buffer, Listener listener) throws IOException {
    if (!hasData) {
      return;
    }
    hasData = false;
    if (inPlaceFrom >= 0) {
      int from = inPlaceFrom;
      inPlaceFrom = -1;
      listener.event(buffer, from, inPlaceTo - from);
    } else {
      listener.event(data.array(), 0, data.length());
      data.clear();
    }
  }

  private void keepData(byte[] buffer) throws IOException {
    if (inPlaceFrom >= 0) {
      data.append(buffer, inPlaceFrom, inPlaceTo - inPlaceFrom);
      inPlaceFrom = -1;
    }
  }

  private static boolean startsWith(byte[] beginning, byte[] buffer, int from, int to) {
    if (to - from < beginning.length) {
      return false;
    }
    for (int i = 0; i < beginning.length; i++) {
      if (buffer[from + i] != beginning[i]) {
        return false;
      }
    }
    return true;
  }
}
