package dev.loadgen.runner.client;

import java.util.Arrays;

/** A growing list of token ids. */
final class TokenIds {
  private static final int MAX = Json.MAX_ANSWER_BYTES / Integer.BYTES;

  private int[] ids = {};
  private int length;

  int length() {
    return length;
  }

  /** The first id, or {@code otherwise} if there is none. */
  int firstOr(int otherwise) {
    return length == 0 ? otherwise : ids[0];
  }

  void add(int id) throws BadResponseException {
    room(1);
    ids[length++] = id;
  }

  /** Appends the ids of {@code other} from index {@code from}. */
  void append(TokenIds other, int from) throws BadResponseException {
    int more = other.length - from;
    room(more);
    System.arraycopy(other.ids, from, ids, length, more);
    length += more;
  }

  void clear() {
    length = 0;
  }

  int[] toArray() {
    return Arrays.copyOf(ids, length);
  }

  private void room(int more) throws BadResponseException {
    if (length + more <= ids.length) {
      return;
    }
    if (length + more > MAX) {
      throw BadResponseException.malformed("the answer has more than " + MAX + " token ids");
    }
    ids = Arrays.copyOf(ids, Math.max(length + more, Math.max(64, 2 * ids.length)));
  }
}
