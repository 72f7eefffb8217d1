package dev.loadgen.simulator;

import io.soabase.recordbuilder.core.RecordBuilder;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.OptionalInt;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A failure to order and the requests it strikes. All conditions that are given must hold; with
 * none, every request is struck.
 *
 * @param kind what goes wrong
 * @param status the HTTP status for {@link Kind#STATUS}, else 0
 * @param every strikes requests whose ordinal is a multiple of this; 1 is every one
 * @param after strikes requests after this ordinal; 0 is from the first
 * @param first strikes up to this ordinal
 * @param at strikes this ordinal alone, or null
 * @param chance strikes with this probability, drawn from the simulator's seed and the ordinal; 1
 *     is always
 * @param tokens after how many tokens of each sequence, or null for the kind's own default
 */
@RecordBuilder
public record Fault(
    Kind kind,
    int status,
    long every,
    long after,
    long first,
    @Nullable Long at,
    double chance,
    @Nullable Integer tokens) {
  /** What can go wrong. */
  public enum Kind {
    /** The request is answered with an HTTP error status. */
    STATUS(Stage.BEFORE),
    /** The connection is closed without an answer. */
    CLOSE(Stage.BEFORE),
    /**
     * The connection is closed in the middle of the answer; after half of the tokens by default.
     */
    CUT_STREAM(Stage.WITHIN),
    /** The answer stops coming and the connection stays open; before the first token by default. */
    HANG(Stage.WITHIN),
    /**
     * The stream starts with status 200 and then carries an error; after half of the tokens by
     * default. Whole answers get a 500.
     */
    ERROR_IN_STREAM(Stage.WITHIN),
    /** The answer is complete and has no tokens. */
    NO_TOKENS(Stage.CONTENT),
    /** The answer ends early with reason stop; after half of the tokens by default. */
    SHORT(Stage.CONTENT),
    /**
     * The answer ends early with reason length, as of a server with a limit of its own; after half
     * of the tokens by default.
     */
    CAPPED(Stage.CONTENT),
    /** The answer has all of its tokens twice, as of a server that ignores the request's limit. */
    OVERLONG(Stage.CONTENT),
    /**
     * The answer ends early at a stop string that the request does not name; after half of the
     * tokens by default.
     */
    FOREIGN_STOP(Stage.CONTENT),
    /**
     * The model is said not to exist, by {@code /v1/models} too for as long as the next request
     * would be struck.
     */
    WRONG_MODEL(Stage.BEFORE),
    /** The answer is not valid JSON; in a stream, after half of the tokens by default. */
    GARBAGE(Stage.WITHIN),
    /** The bytes that come back are no HTTP. */
    NOISE(Stage.BEFORE),
    /** As {@code cut-stream}, but the connection is reset and not closed. */
    RESET(Stage.WITHIN),
    /**
     * The server closes its half of the connection in the middle of the answer and leaves the other
     * open; after half of the tokens by default.
     */
    HALF_CLOSE(Stage.WITHIN),
    /**
     * The answer comes byte by byte, 20 a second; after half of the tokens by default. Whole
     * answers come so from the first byte of their body.
     */
    TRICKLE(Stage.WITHIN),
    /**
     * The answer ends by its framing before it is complete; a stream after half of the tokens by
     * default, without {@code [DONE]}. Whole answers have no body.
     */
    END_EARLY(Stage.WITHIN),
    /** The answer has 80 MiB; in a stream as one event, after half of the tokens by default. */
    HUGE(Stage.WITHIN),
    /** Choices have an index that no prompt of the request has. */
    WRONG_INDEX(Stage.CONTENT),
    /** The last choice is not there. */
    FEWER_CHOICES(Stage.CONTENT),
    /** The answer has no {@code usage}, or {@code completion_tokens} in {@code meta_info}. */
    NO_USAGE(Stage.CONTENT),
    /** The answer has text, and nothing that tells how many tokens it is. */
    NO_COUNTS(Stage.CONTENT),
    /** The server ends, and every connection with it. */
    EXIT(Stage.BEFORE);

    /** Where in an exchange a fault shows. */
    enum Stage {
      /** Before the request is read. */
      BEFORE,
      /** After some tokens of the answer, which then does not go on as it should. */
      WITHIN,
      /** In what an answer says that is otherwise in good order. */
      CONTENT
    }

    private final Stage stage;

    Kind(Stage stage) {
      this.stage = stage;
    }

    Stage stage() {
      return stage;
    }

    /** The name in the grammar, for example {@code cut-stream}. */
    public String word() {
      return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    private boolean takesTokens() {
      return stage == Stage.WITHIN || this == SHORT || this == CAPPED || this == FOREIGN_STOP;
    }
  }

  /** The grammar of {@link #parse}. */
  public static final String GRAMMAR =
      "FAULT[,CONDITION]... with FAULT one of status=CODE, "
          + Stream.of(Kind.values())
              .filter(kind -> kind != Kind.STATUS)
              .map(Kind::word)
              .collect(Collectors.joining(", "))
          + "; CONDITION any of every=N, after=N, first=N, at=N, chance=P (0 to 1), and tokens=N for faults within an answer;"
          + " N counts inference requests from 1. Example: status=503,every=10";

  /** Checks the numbers. */
  public Fault {
    if (kind == Kind.STATUS && (status < 400 || status > 599)) {
      throw new IllegalArgumentException("status must be 400 to 599, but was " + status);
    }
    if (every < 1 || after < 0 || first < 1 || (at != null && at < 1)) {
      throw new IllegalArgumentException("every, first and at must be 1 or more, after 0 or more");
    }
    if (!(chance >= 0 && chance <= 1)) {
      throw new IllegalArgumentException("chance must be 0 to 1, but was " + chance);
    }
    if (tokens != null && tokens < 0) {
      throw new IllegalArgumentException("tokens must be 0 or more, but was " + tokens);
    }
    if (tokens != null && !kind.takesTokens()) {
      throw new IllegalArgumentException(kind.word() + " takes no tokens=N");
    }
  }

  /** A fault of {@code kind} on every request. */
  public static Fault always(Kind kind) {
    if (kind == Kind.STATUS) {
      throw new IllegalArgumentException(
          "a status fault needs its code; use parse(\"status=503\")");
    }
    return new Fault(kind, 0, 1, 0, Long.MAX_VALUE, null, 1, null);
  }

  /**
   * Reads a fault as {@code --fail} takes it.
   *
   * @throws IllegalArgumentException with the part that is wrong and the grammar
   */
  public static Fault parse(String text) {
    try {
      return read(List.of(text.strip().split(",", -1)));
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException(
          "'" + text + "': " + e.getMessage() + ". The grammar: " + GRAMMAR, e);
    }
  }

  private static Fault read(List<String> parts) {
    String[] head = parts.getFirst().split("=", 2);
    Kind kind =
        Stream.of(Kind.values())
            .filter(k -> k.word().equals(head[0]))
            .findFirst()
            .orElseThrow(() -> new IllegalArgumentException("unknown fault '" + head[0] + "'"));
    if ((head.length == 2) != (kind == Kind.STATUS)) {
      throw new IllegalArgumentException(
          kind == Kind.STATUS ? "status needs a code" : kind.word() + " takes no value");
    }
    int status = kind == Kind.STATUS ? (int) whole("status", head[1]) : 0;
    FaultBuilder fault =
        FaultBuilder.builder().kind(kind).status(status).every(1).first(Long.MAX_VALUE).chance(1);
    List<String> seen = new ArrayList<>();
    for (String part : parts.subList(1, parts.size())) {
      String[] condition = part.split("=", 2);
      String key = condition[0];
      if (condition.length < 2) {
        throw new IllegalArgumentException("'" + part + "' is not KEY=VALUE");
      }
      if (seen.contains(key)) {
        throw new IllegalArgumentException(key + " is given twice");
      }
      seen.add(key);
      switch (key) {
        case "every" -> fault.every(whole(key, condition[1]));
        case "after" -> fault.after(whole(key, condition[1]));
        case "first" -> fault.first(whole(key, condition[1]));
        case "at" -> fault.at(whole(key, condition[1]));
        case "tokens" -> fault.tokens((int) whole(key, condition[1]));
        case "chance" -> fault.chance(fraction(condition[1]));
        default -> throw new IllegalArgumentException("unknown condition '" + key + "'");
      }
    }
    return fault.build();
  }

  private static long whole(String key, String value) {
    try {
      return Integer.parseInt(value);
    } catch (NumberFormatException e) {
      throw new IllegalArgumentException(key + " needs a whole number, but was '" + value + "'", e);
    }
  }

  private static double fraction(String value) {
    try {
      return Double.parseDouble(value);
    } catch (NumberFormatException e) {
      throw new IllegalArgumentException("chance needs a number, but was '" + value + "'", e);
    }
  }

  /**
   * Whether the request with this ordinal is struck. {@code draw} are random bits that are fixed
   * for seed, fault and ordinal.
   */
  boolean strikes(long ordinal, long draw) {
    return ordinal % every == 0
        && ordinal > after
        && ordinal <= first
        && (at == null || at == ordinal)
        && (chance >= 1 || Hash.unit(draw) < chance);
  }

  /** After how many of {@code size} tokens the fault shows. */
  int tokensOf(int size) {
    OptionalInt own = tokens == null ? OptionalInt.empty() : OptionalInt.of(tokens);
    return Math.min(size, own.orElse(kind == Kind.HANG ? 0 : size / 2));
  }
}
