package dev.loadgen.client;

import java.util.Arrays;

/** A growing list of token ids, or only its length. */
final class TokenIds {
  private static final int MAX = Json.MAX_ANSWER_BYTES / Integer.BYTES;

  private final boolean kept;
  private int[] ids = {};
  private int length;

  /** An empty list. */
  TokenIds() {
    this(true);
  }

  /**
   * An empty list.
   *
   * @param kept whether the ids themselves are kept, and not only counted
   */
  TokenIds(boolean kept) {
    this.kept = kept;
  }

  int length() {
    return length;
  }

  /** The first id, or {@code otherwise} if there is none, or none is kept. */
  int firstOr(int otherwise) {
    return length == 0 || !kept ? otherwise : ids[0];
  }

  void add(int id) throws BadResponseException {
    if (kept) {
      room(1);
      ids[length] = id;
    }
    length++;
  }

  void append(TokenIds other, int from) throws BadResponseException {
    int more = other.length - from;
    if (kept) {
      room(more);
      System.arraycopy(other.ids, from, ids, length, more);
    }
    length += more;
  }

  void clear() {
    length = 0;
  }

  /** All ids; of those that are kept. */
  int[] toArray() {
    if (!kept) {
      throw new IllegalStateException("only counted");
    }
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
