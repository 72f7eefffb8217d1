package dev.loadgen.local;

import static org.assertj.core.api.Assertions.assertThat;

import dev.loadgen.api.v1alpha1.ApiAnswers;
import dev.loadgen.api.v1alpha1.ApiAnswers.Question;
import java.io.IOException;
import java.time.Clock;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The embedded API server answers as Kubernetes', which CustomResourcesIT asks the same. */
class AnswersOfRulesTest {
  private static EmbeddedCluster cluster;

  @BeforeAll
  static void start() throws IOException {
    cluster = EmbeddedCluster.start(Clock.systemUTC());
  }

  @AfterAll
  static void stop() {
    cluster.close();
  }

  static List<Question> questions() {
    return ApiAnswers.all();
  }

  @ParameterizedTest
  @MethodSource("questions")
  void theAnswerIsThatOfKubernetes(Question question) throws Exception {
    assertThat(ApiAnswers.ask(cluster.client(), "default", question)).isEqualTo(question.answer());
  }
}
