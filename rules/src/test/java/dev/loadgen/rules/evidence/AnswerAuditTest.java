package dev.loadgen.rules.evidence;

import static dev.loadgen.rules.evidence.TokenIds.ids;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class AnswerAuditTest {
  private static final int EOS = 128009;
  private static final int OTHER_EOS = 128001;

  private final AnswerAudit audit = new AnswerAudit(List.of(OTHER_EOS, EOS));

  @Test
  void aSoundAnswerHasNoOffence() {
    audit.add(7, ids(1, 2, EOS), ids(1), 3L);
    audit.add(7, ids(4, 5), ids(4, 5), 2L);

    LoggedAnswers logged = audit.logged();

    assertThat(logged.answers()).isEqualTo(2);
    assertThat(logged.samples()).isEqualTo(1);
    assertThat(logged.lengths()).isEqualTo(new LoggedAnswers.Lengths(2.5, 2, 3, 0.5));
    assertThat(
            List.of(
                logged.otherFirstTokens(),
                logged.repeatedEnds(),
                logged.otherTokenCounts(),
                logged.notTokens()))
        .allSatisfy(offences -> assertThat(offences.count()).isZero());
  }

  @Test
  void theFirstTokenIsThatOfTheAnswer() {
    audit.add(0, ids(1, 2), ids(2), 2L);
    audit.add(1, ids(1, 2), null, 2L);
    audit.add(2, ids(1, 2), ids(), 2L);
    audit.add(3, ids(1, 2), new byte[] {1, 0, 0}, 2L);
    audit.add(4, ids(1), ids(1, 2), 1L);
    audit.add(5, ids(), ids(1), 0L);

    LoggedAnswers.Offences found = audit.logged().otherFirstTokens();

    assertThat(found.count()).isEqualTo(6);
    assertThat(found.example())
        .isEqualTo("the answer to sample 0 begins with token 1, and 2 was reported");
  }

  @Test
  void anAnswerEndsOnce() {
    audit.add(0, ids(1, EOS, 2, EOS), ids(1), 4L);
    assertThat(audit.logged().repeatedEnds().count()).isZero();

    audit.add(1, ids(1, EOS, EOS), ids(1), 3L);
    audit.add(2, ids(1, OTHER_EOS, EOS), ids(1), 3L);
    // The official script does not look at the first token, and lets this one through.
    audit.add(3, ids(EOS, EOS), ids(EOS), 2L);

    LoggedAnswers.Offences found = audit.logged().repeatedEnds();
    assertThat(found.count()).isEqualTo(3);
    assertThat(found.example()).isEqualTo("the answer to sample 1 ends with 2 of them");
  }

  @Test
  void theCountIsThatOfTheAnswersTokens() {
    audit.add(0, ids(1, 2), ids(1), 3L);
    audit.add(1, ids(1, 2), ids(1), null);

    LoggedAnswers.Offences found = audit.logged().otherTokenCounts();

    assertThat(found.count()).isEqualTo(2);
    assertThat(found.example())
        .isEqualTo("the answer to sample 0 has 2 tokens, and 3 was reported");
  }

  /** run_verification.py of TEST06 takes int64 as well; what tells it is how many were reported. */
  @Test
  void idsMayHaveEightBytes() {
    audit.add(0, ids(1, 0, 2, 0, EOS, 0), ids(1, 0), 3L);

    LoggedAnswers logged = audit.logged();
    assertThat(logged.lengths().mean()).isEqualTo(3);
    assertThat(List.of(logged.otherFirstTokens(), logged.repeatedEnds(), logged.otherTokenCounts()))
        .allSatisfy(offences -> assertThat(offences.count()).isZero());

    audit.add(1, ids(1, 0, EOS, 0, EOS, 0), ids(2, 0), 3L);
    // Six tokens of four bytes of which three were reported.
    audit.add(2, ids(1, 5, 2, 6, 3, 7), ids(1), 3L);

    assertThat(audit.logged().repeatedEnds().example())
        .isEqualTo("the answer to sample 1 ends with 2 of them");
    assertThat(audit.logged().otherFirstTokens().example())
        .isEqualTo("the answer to sample 1 begins with token 1, and 2 was reported");
    assertThat(audit.logged().otherTokenCounts().example())
        .isEqualTo("the answer to sample 2 has 6 tokens, and 3 was reported");
  }

  @Test
  void bytesThatAreNoTokensAreNotMeasured() {
    audit.add(0, new byte[5], ids(0), 1L);
    audit.add(1, ids(1, 2), ids(1), 2L);

    assertThat(audit.logged().notTokens().count()).isEqualTo(1);
    assertThat(audit.logged().lengths().mean()).isEqualTo(2);
  }

  @Test
  void nothingIsKnownOfNoAnswers() {
    assertThat(audit.logged().lengths()).isEqualTo(new LoggedAnswers.Lengths(0, 0, 0, 0));
  }

  @Test
  void anyBytesAreTaken() {
    Random random = new Random(7);
    for (int i = 0; i < 10_000; i++) {
      byte[] data = new byte[random.nextInt(12)];
      byte[] first = new byte[random.nextInt(12)];
      random.nextBytes(data);
      random.nextBytes(first);
      audit.add(random.nextInt(100), data, random.nextBoolean() ? first : null, random.nextLong());
    }

    LoggedAnswers logged = audit.logged();
    assertThat(logged.answers()).isEqualTo(10_000);
    assertThat(logged.samples()).isEqualTo(100);
    assertThat(logged.otherTokenCounts().count() + logged.notTokens().count()).isEqualTo(10_000);
  }

  @Test
  void lengthsAreThoseOfAllAnswers() {
    IntStream.rangeClosed(1, 1000).forEach(n -> audit.add(n, ids(new int[n]), ids(0), (long) n));

    LoggedAnswers.Lengths lengths = audit.logged().lengths();
    assertThat(lengths.mean()).isEqualTo(500.5);
    assertThat(lengths.shortest()).isEqualTo(1);
    assertThat(lengths.longest()).isEqualTo(1000);
    assertThat(lengths.deviation()).isCloseTo(288.675, within(0.001));
  }
}
