package dev.loadgen.mlperf;

/**
 * The functions of native/loadgen_jni.cc, of the LoadGen that {@link LoadGenLibrary} has loaded.
 * Arguments are not checked here.
 */
final class NativeLoadGen {
  static {
    LoadGenLibrary.loadAny();
  }

  private NativeLoadGen() {}

  static native String version();

  /** Names of the settings that this LoadGen has, in their order. */
  static native String[] settingNames();

  static native long[] defaultSettings();

  /** Changes the values in place. Returns 0 or a negative error number. */
  static native int fromConfig(long[] values, byte[] path, byte[] model, byte[] scenario, int type);

  /** Returns the components of {@link TestEnd}. */
  static native long[] startTest(
      TestCallbacks test,
      byte[] sutName,
      byte[] qslName,
      long totalSampleCount,
      long performanceSampleCount,
      long[] settings,
      byte[] outdir,
      byte[] prefix,
      byte[] suffix,
      boolean prefixWithDatetime,
      boolean copyDetailToStdout,
      boolean copySummaryToStdout,
      int logMode,
      long logModeAsyncPollIntervalMs,
      boolean enableTrace,
      byte[] auditConfig);

  static native long abortOutstanding();

  static native void registerIssueQueryThread();

  static native boolean firstToken(long id, byte[] data, int offset, int length);

  static native boolean complete(long id, byte[] data, int offset, int length, long tokenCount);

  /** The data of all responses follows one another in one array. Returns how many were accepted. */
  static native int completeAll(long[] ids, byte[] data, int[] lengths, long[] tokenCounts);
}
