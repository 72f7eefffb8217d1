package dev.loadgen.client;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * Reads the event that nearly all of a stream consists of: one choice that goes on, its strings
 * without escapes and in ASCII, its other members simple. Whatever it does not know in full it
 * leaves to the JSON parser.
 *
 * <p>From one event of a stream to the next, little changes but the text and the token ids. So the
 * last event is kept with the places of what may change, and the next one is compared with it
 * between those places; only where that fails it is read member by member. One of these serves one
 * request, on one thread at a time.
 */
final class PlainDeltaReader {
  /** Longer numbers are left to the parser. */
  private static final int MAX_DIGITS = 9;

  /** Longer events, and those with more places that change, are not kept. */
  private static final int MAX_KEPT_BYTES = 4 << 10;

  private static final int MAX_PLACES = 8;

  /** What may differ from one event to the next. */
  private enum Place {
    INDEX,
    TEXT,
    THOUGHT,
    TOKEN_IDS,
    COMPLETION_TOKENS,
    OTHER_NUMBER
  }

  private static final byte[] CHOICES = ascii("choices");
  private static final byte[] USAGE = ascii("usage");
  private static final byte[] ERROR = ascii("error");
  private static final byte[] OBJECT = ascii("object");
  private static final byte[] INDEX = ascii("index");
  private static final byte[] TEXT = ascii("text");
  private static final byte[] DELTA = ascii("delta");
  private static final byte[] MESSAGE = ascii("message");
  private static final byte[] CONTENT = ascii("content");
  private static final byte[] REASONING = ascii("reasoning");
  private static final byte[] REASONING_CONTENT = ascii("reasoning_content");
  private static final byte[] TOKEN_IDS = ascii("token_ids");
  private static final byte[] FINISH_REASON = ascii("finish_reason");
  private static final byte[] COMPLETION_TOKENS = ascii("completion_tokens");
  private static final byte[] NULL = ascii("null");
  private static final byte[] TRUE = ascii("true");
  private static final byte[] FALSE = ascii("false");

  private static final byte[] NONE = {};

  private byte[] json = NONE;
  private int start;
  private int end;
  private int at;
  private TokenIds ids = new TokenIds();

  /** The name or string that was read last. */
  private int from;

  private int to;
  private int number;

  private boolean choiceSeen;
  private int index;
  private int textFrom;
  private int textTo;
  private boolean textSeen;
  private boolean thought;
  private boolean idsSent;
  private int usage;

  /** The last plain event, its places in order, and where they begin and end in it. */
  private byte[] kept = NONE;

  private int keptLength;
  private Place[] places = {};
  private int[] placeFrom = {};
  private int[] placeTo = {};
  private int placeCount;
  private boolean worthKeeping;
  private boolean sawItsLike;

  /**
   * Reads an event. What it says can be asked for as long as {@code bytes} stay as they are.
   *
   * @param scratch takes the token ids; worthless if this returns false
   * @return false if the event is not plain: nothing has been taken over then
   */
  boolean read(byte[] bytes, int offset, int length, TokenIds scratch) throws BadResponseException {
    json = bytes;
    start = offset;
    end = offset + length;
    ids = scratch;
    begin();
    sawItsLike = keptLength > 0 && likeTheLast();
    if (sawItsLike) {
      return true;
    }
    begin();
    keptLength = 0;
    placeCount = 0;
    worthKeeping = length <= MAX_KEPT_BYTES;
    if (!document()) {
      return false;
    }
    if (worthKeeping) {
      keep();
    }
    return true;
  }

  private void begin() {
    at = start;
    ids.clear();
    choiceSeen = false;
    index = -1;
    textFrom = 0;
    textTo = 0;
    textSeen = false;
    thought = false;
    idsSent = false;
    usage = -1;
  }

  /** Whether the last event was taken by comparison with the one before. */
  boolean sawItsLike() {
    return sawItsLike;
  }

  /** The choice's number; -1 if it has none. */
  int index() {
    return index;
  }

  boolean hasText() {
    return textFrom < textTo;
  }

  String text() {
    return !hasText()
        ? ""
        : new String(json, textFrom, textTo - textFrom, StandardCharsets.ISO_8859_1);
  }

  /** Whether there is text that is not part of the answer. */
  boolean thought() {
    return thought;
  }

  /** Whether the server sends token ids. */
  boolean idsSent() {
    return idsSent;
  }

  /** Completion tokens by the usage object; -1 if there is none. */
  int usage() {
    return usage;
  }

  private boolean likeTheLast() throws BadResponseException {
    int from = 0;
    for (int i = 0; i < placeCount; i++) {
      if (!goesOnLike(from, placeFrom[i]) || !take(places[i])) {
        return false;
      }
      from = placeTo[i];
    }
    return goesOnLike(from, keptLength) && at == end;
  }

  private boolean goesOnLike(int from, int to) {
    int next = at + to - from;
    if (next > end || !Arrays.equals(kept, from, to, json, at, next)) {
      return false;
    }
    at = next;
    return true;
  }

  /** What follows a place is compared, so that a string or a list ends where it should. */
  private boolean take(Place place) throws BadResponseException {
    switch (place) {
      case INDEX -> {
        boolean plain = integer();
        index = number;
        return plain;
      }
      case TEXT -> {
        textFrom = at;
        textTo = ByteSearch.plainTextEnd(json, at, end);
        at = textTo;
        return true;
      }
      case THOUGHT -> {
        int from = at;
        at = ByteSearch.plainTextEnd(json, at, end);
        thought |= from < at;
        return true;
      }
      case TOKEN_IDS -> {
        idsSent = true;
        return at < end && (json[at] == ']' || listedIds());
      }
      case COMPLETION_TOKENS -> {
        boolean plain = integer();
        usage = number;
        return plain;
      }
      case OTHER_NUMBER -> {
        return longNumber();
      }
    }
    throw new IllegalStateException("no such place: " + place);
  }

  private void place(Place place, int from, int to) {
    if (placeCount == MAX_PLACES) {
      worthKeeping = false;
      return;
    }
    if (places.length == 0) {
      places = new Place[MAX_PLACES];
      placeFrom = new int[MAX_PLACES];
      placeTo = new int[MAX_PLACES];
    }
    places[placeCount] = place;
    placeFrom[placeCount] = from - start;
    placeTo[placeCount] = to - start;
    placeCount++;
  }

  private void keep() {
    int length = end - start;
    if (kept.length < length) {
      kept = new byte[length + length / 4];
    }
    System.arraycopy(json, start, kept, 0, length);
    keptLength = length;
  }

  private boolean document() throws BadResponseException {
    if (!take('{')) {
      return false;
    }
    do {
      if (!name()) {
        return false;
      }
      boolean plain;
      if (is(CHOICES)) {
        plain = !choiceSeen && choices();
        choiceSeen = true;
      } else if (is(USAGE)) {
        plain = usageObject();
      } else if (is(ERROR)) {
        plain = literal(NULL);
      } else if (is(OBJECT)) {
        plain = string() && !is(ERROR);
      } else {
        plain = scalar();
      }
      if (!plain) {
        return false;
      }
    } while (take(','));
    return take('}') && next() < 0 && choiceSeen;
  }

  private boolean choices() throws BadResponseException {
    if (!take('[') || !take('{')) {
      return false;
    }
    boolean idsSeen = false;
    do {
      if (!name()) {
        return false;
      }
      boolean plain;
      if (is(INDEX)) {
        plain = integer(Place.INDEX);
        index = number;
      } else if (is(TEXT)) {
        plain = textOrNull();
      } else if (is(TOKEN_IDS)) {
        plain = !idsSeen && tokenIds();
        idsSeen = true;
      } else if (is(FINISH_REASON)) {
        plain = literal(NULL);
      } else if (is(DELTA)) {
        plain = delta();
      } else if (is(MESSAGE)) {
        plain = false;
      } else {
        plain = scalar();
      }
      if (!plain) {
        return false;
      }
    } while (take(','));
    return take('}') && take(']');
  }

  private boolean delta() {
    if (!take('{')) {
      return false;
    }
    if (take('}')) {
      return true;
    }
    do {
      if (!name()) {
        return false;
      }
      boolean plain;
      if (is(CONTENT)) {
        plain = textOrNull();
      } else if (is(REASONING) || is(REASONING_CONTENT)) {
        plain = literal(NULL) || thoughtString();
      } else {
        plain = scalar();
      }
      if (!plain) {
        return false;
      }
    } while (take(','));
    return take('}');
  }

  private boolean thoughtString() {
    boolean plain = string();
    place(Place.THOUGHT, from, to);
    thought |= plain && from < to;
    return plain;
  }

  private boolean textOrNull() {
    if (textSeen) {
      // The later one counts, even if it is null, which has no place.
      worthKeeping = false;
    }
    textSeen = true;
    if (literal(NULL)) {
      textFrom = textTo;
      return true;
    }
    boolean plain = string();
    place(Place.TEXT, from, to);
    textFrom = from;
    textTo = to;
    return plain;
  }

  private boolean tokenIds() throws BadResponseException {
    if (literal(NULL)) {
      return true;
    }
    if (!take('[')) {
      return false;
    }
    idsSent = true;
    int first = at;
    if (next() != ']' && !listedIds()) {
      return false;
    }
    place(Place.TOKEN_IDS, first, at);
    return take(']');
  }

  private boolean listedIds() throws BadResponseException {
    do {
      if (!integer()) {
        return false;
      }
      ids.add(number);
    } while (take(','));
    return true;
  }

  private boolean usageObject() {
    if (literal(NULL)) {
      return true;
    }
    if (!take('{')) {
      return false;
    }
    do {
      if (!name()) {
        return false;
      }
      if (is(COMPLETION_TOKENS)) {
        if (!integer(Place.COMPLETION_TOKENS)) {
          return false;
        }
        usage = number;
      } else if (!usageMember()) {
        return false;
      }
    } while (take(','));
    return take('}');
  }

  private boolean usageMember() {
    boolean isNumber = Character.isDigit(next());
    int first = at;
    if (!scalar()) {
      return false;
    }
    if (isNumber) {
      place(Place.OTHER_NUMBER, first, at);
    }
    return true;
  }

  private boolean name() {
    return string() && take(':');
  }

  private boolean scalar() {
    return switch (next()) {
      case '"' -> string();
      case 'n' -> literal(NULL);
      case 't' -> literal(TRUE);
      case 'f' -> literal(FALSE);
      default -> longNumber();
    };
  }

  private boolean string() {
    if (!take('"')) {
      return false;
    }
    int i = ByteSearch.plainTextEnd(json, at, end);
    if (i == end || json[i] != '"') {
      return false;
    }
    from = at;
    to = i;
    at = i + 1;
    return true;
  }

  private boolean integer(Place place) {
    next();
    int first = at;
    boolean plain = integer();
    place(place, first, at);
    return plain;
  }

  /** A number whose value matters. */
  private boolean integer() {
    next();
    int first = at;
    if (!longNumber() || at - first > MAX_DIGITS) {
      return false;
    }
    int value = 0;
    for (int i = first; i < at; i++) {
      value = 10 * value + json[i] - '0';
    }
    number = value;
    return true;
  }

  /** A number that is passed over, such as a time; no sign, fraction or exponent. */
  private boolean longNumber() {
    int first = at;
    while (at < end && json[at] >= '0' && json[at] <= '9') {
      at++;
    }
    int digits = at - first;
    return digits > 0 && digits <= 2 * MAX_DIGITS && (json[first] != '0' || digits == 1);
  }

  private boolean literal(byte[] word) {
    next();
    if (end - at < word.length) {
      return false;
    }
    for (int i = 0; i < word.length; i++) {
      if (json[at + i] != word[i]) {
        return false;
      }
    }
    at += word.length;
    return true;
  }

  /** Whether the name or string that was read last is {@code word}. */
  private boolean is(byte[] word) {
    if (to - from != word.length) {
      return false;
    }
    for (int i = 0; i < word.length; i++) {
      if (json[from + i] != word[i]) {
        return false;
      }
    }
    return true;
  }

  private boolean take(char c) {
    if (next() != c) {
      return false;
    }
    at++;
    return true;
  }

  /** The next byte after blanks, which stays; -1 at the end. */
  private int next() {
    while (at < end && json[at] == ' ') {
      at++;
    }
    return at < end ? json[at] & 0xff : -1;
  }

  private static byte[] ascii(String word) {
    return word.getBytes(StandardCharsets.US_ASCII);
  }
}
