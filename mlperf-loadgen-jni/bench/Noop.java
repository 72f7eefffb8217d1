import dev.loadgen.mlperf.LoadGen;
import dev.loadgen.mlperf.LogSettings;
import dev.loadgen.mlperf.QuerySample;
import dev.loadgen.mlperf.QuerySampleLibrary;
import dev.loadgen.mlperf.SystemUnderTest;
import dev.loadgen.mlperf.LoadGenMode;
import dev.loadgen.mlperf.TestScenario;
import dev.loadgen.mlperf.TestSettings;
import java.nio.file.Path;
import java.util.List;

/**
 * The no-op benchmark's system under test in Java. It completes each sample by a call of its own, at once or from a
 * virtual thread of its own. Usage: {@code Noop inline|virtual SCENARIO TOKENS SAMPLES OUTDIR}
 */
final class Noop implements SystemUnderTest, QuerySampleLibrary {

  private static final byte[] DATA = new byte[1];

  private final boolean virtual;
  private final boolean tokens;

  private Noop(boolean virtual, boolean tokens) {
    this.virtual = virtual;
    this.tokens = tokens;
  }

  public static void main(String[] args) {
    var settings = new TestSettings();
    settings.scenario = TestScenario.valueOf(args[1]);
    settings.mode = LoadGenMode.PerformanceOnly;
    settings.useTokenLatencies = Boolean.parseBoolean(args[2]);
    settings.minQueryCount = Long.parseLong(args[3]);
    settings.minDurationMs = 0;
    settings.serverTargetQps = 3e6;
    settings.offlineExpectedQps = 1;
    var logs = new LogSettings();
    logs.logOutput.outdir = Path.of(args[4]);
    var noop = new Noop(args[0].equals("virtual"), settings.useTokenLatencies);
    LoadGen.startTest(noop, noop, settings, logs);
  }

  @Override
  public void issueQuery(long id, int index) {
    if (virtual) {
      Thread.startVirtualThread(() -> complete(id));
    } else {
      complete(id);
    }
  }

  @Override
  public void issueQuery(List<QuerySample> samples) {
    for (QuerySample sample : samples) {
      issueQuery(sample.id(), sample.index());
    }
  }

  private void complete(long id) {
    if (tokens) {
      LoadGen.firstTokenComplete(id, DATA, 0, 1);
    }
    LoadGen.querySamplesComplete(id, DATA, 0, 1, 5);
  }

  @Override
  public String name() {
    return "no-op, Java";
  }

  @Override
  public int totalSampleCount() {
    return 1024;
  }

  @Override
  public int performanceSampleCount() {
    return 1024;
  }

  @Override
  public void flushQueries() {}

  @Override
  public void loadSamplesToRam(int[] indices) {}

  @Override
  public void unloadSamplesFromRam(int[] indices) {}
}
