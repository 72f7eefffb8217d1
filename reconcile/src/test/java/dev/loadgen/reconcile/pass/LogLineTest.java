package dev.loadgen.reconcile.pass;

import static org.assertj.core.api.Assertions.assertThat;

import dev.loadgen.desired.Fixtures;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.slf4j.Marker;
import org.slf4j.event.Level;
import org.slf4j.helpers.LegacyAbstractLogger;
import org.slf4j.helpers.MessageFormatter;

class LogLineTest {
  private final List<String> lines = new ArrayList<>();
  private final Kept log = new Kept();

  /** A log of all that is info or worse. */
  private final class Kept extends LegacyAbstractLogger {
    private static final long serialVersionUID = 1;

    @Override
    protected @Nullable String getFullyQualifiedCallerName() {
      return null;
    }

    @Override
    protected void handleNormalizedLoggingCall(
        Level level,
        @Nullable Marker marker,
        String pattern,
        Object @Nullable [] values,
        @Nullable Throwable thrown) {
      lines.add(level + " " + MessageFormatter.basicArrayFormat(pattern, values));
    }

    @Override
    public boolean isTraceEnabled() {
      return false;
    }

    @Override
    public boolean isDebugEnabled() {
      return false;
    }

    @Override
    public boolean isInfoEnabled() {
      return true;
    }

    @Override
    public boolean isWarnEnabled() {
      return true;
    }

    @Override
    public boolean isErrorEnabled() {
      return true;
    }
  }

  @Test
  void aLineHasTheObjectAndThenWhatThereIsToSay() {
    LogLine.info("run failed")
        .because("Interrupted", "by {} somebody")
        .with("after", null)
        .write(log, "run", Fixtures.run("r"));

    assertThat(lines)
        .containsExactly(
            "INFO run failed namespace=bench run=r reason=Interrupted message=by {} somebody"
                + " after=null");
  }

  @Test
  void aLineThatNobodyWantsIsNotWritten() {
    LogLine.debug("run goes on").write(log, "run", Fixtures.run("r"));

    assertThat(lines).isEmpty();
  }
}
