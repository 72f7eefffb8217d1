package dev.loadgen.mlperf;

import java.nio.charset.StandardCharsets;
import java.util.List;

/** A system under test that completes nothing until told what to do with a sample. */
class TestingSystem implements SystemUnderTest {
  /** What happens to a sample. */
  interface Answer {
    void to(QuerySample sample);
  }

  private final Answer answer;

  TestingSystem(Answer answer) {
    this.answer = answer;
  }

  @Override
  public String name() {
    return "testing system";
  }

  @Override
  public void issueQuery(List<QuerySample> samples) {
    samples.forEach(answer::to);
  }

  @Override
  public void flushQueries() {}

  static boolean firstToken(QuerySample sample) {
    byte[] data = ("first of " + sample.index()).getBytes(StandardCharsets.US_ASCII);
    return LoadGen.firstTokenComplete(sample.id(), data, 0, data.length);
  }

  static boolean complete(QuerySample sample) {
    return complete(sample, 5);
  }

  static boolean complete(QuerySample sample, long tokenCount) {
    byte[] data = ("answer " + sample.index()).getBytes(StandardCharsets.US_ASCII);
    return LoadGen.querySamplesComplete(sample.id(), data, 0, data.length, tokenCount);
  }
}
