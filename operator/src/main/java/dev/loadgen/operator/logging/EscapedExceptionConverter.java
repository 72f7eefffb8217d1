package dev.loadgen.operator.logging;

import ch.qos.logback.classic.pattern.ThrowableProxyConverter;
import ch.qos.logback.classic.spi.IThrowableProxy;
import ch.qos.logback.classic.spi.StackTraceElementProxy;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Exceptions as Java prints them, each with its message as one line. Its other lines begin with a
 * tab or {@code Caused by:}, so that none looks like an event's.
 */
public final class EscapedExceptionConverter extends ThrowableProxyConverter {
  /** As logback makes it. */
  public EscapedExceptionConverter() {}

  @Override
  protected String throwableProxyToString(IThrowableProxy exception) {
    return super.throwableProxyToString(new Escaped(exception));
  }

  private record Escaped(IThrowableProxy exception) implements IThrowableProxy {
    @Override
    public @Nullable String getOverridingMessage() {
      return ControlCharacters.escaped(exception.getOverridingMessage());
    }

    @Override
    public @Nullable String getMessage() {
      return ControlCharacters.escaped(exception.getMessage());
    }

    @Override
    public String getClassName() {
      return exception.getClassName();
    }

    @Override
    public StackTraceElementProxy[] getStackTraceElementProxyArray() {
      return exception.getStackTraceElementProxyArray();
    }

    @Override
    public int getCommonFrames() {
      return exception.getCommonFrames();
    }

    @Override
    public @Nullable IThrowableProxy getCause() {
      IThrowableProxy cause = exception.getCause();
      return cause == null ? null : new Escaped(cause);
    }

    @Override
    public IThrowableProxy[] getSuppressed() {
      IThrowableProxy[] suppressed = exception.getSuppressed();
      return suppressed == null
          ? new IThrowableProxy[0]
          : Arrays.stream(suppressed).map(Escaped::new).toArray(IThrowableProxy[]::new);
    }

    @Override
    public boolean isCyclic() {
      return exception.isCyclic();
    }
  }
}
