package dev.loadgen.mlperf;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Locale;

/**
 * The functions of native/loadgen_jni.cc, and the loading of its library. Arguments are not checked
 * here.
 */
final class NativeLoadGen {

  /** System property: a library file to load in place of the one in the jar. */
  static final String LIBRARY_PROPERTY = "dev.loadgen.mlperf.library";

  static {
    load();
  }

  private NativeLoadGen() {}

  static native String version();

  static native String[] settingNames();

  static native long[] defaultSettings();

  /** Changes the values in place. Returns 0 or a negative error number. */
  static native int fromConfig(long[] values, byte[] path, byte[] model, byte[] scenario, int type);

  /** Returns the components of {@link TestEnd}. */
  static native long[] startTest(
      RunningTest test,
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

  @SuppressWarnings("restricted") // the jar's manifest asks for native access
  private static void load() {
    String given = System.getProperty(LIBRARY_PROPERTY);
    if (given != null) {
      System.load(Path.of(given).toAbsolutePath().toString());
      return;
    }
    String platform = platform(System.getProperty("os.name"), System.getProperty("os.arch"));
    String resource = "/native/" + platform + "/libloadgen-jni.so";
    try (InputStream library = NativeLoadGen.class.getResourceAsStream(resource)) {
      if (library == null) {
        throw new UnsatisfiedLinkError(
            "This mlperf-loadgen-jni has no LoadGen for "
                + platform
                + ". Build it on such a machine with native/build.sh, and name the file with -D"
                + LIBRARY_PROPERTY);
      }
      Path file = Files.createTempFile("libloadgen-jni", ".so");
      try {
        Files.copy(library, file, StandardCopyOption.REPLACE_EXISTING);
        System.load(file.toAbsolutePath().toString());
      } finally {
        // The mapping keeps the library; nothing is left behind even when the process is killed
        // later.
        Files.deleteIfExists(file);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(
          "The LoadGen library cannot be written to java.io.tmpdir, "
              + System.getProperty("java.io.tmpdir")
              + ". Make that folder writable, or name an unpacked library with -D"
              + LIBRARY_PROPERTY,
          e);
    }
  }

  /** The folder of a platform's library. */
  static String platform(String os, String arch) {
    if (!os.equals("Linux")) {
      throw new UnsatisfiedLinkError("LoadGen's binding exists for Linux only; this is " + os);
    }
    return switch (arch.toLowerCase(Locale.ROOT)) {
      case "amd64", "x86_64" -> "linux-x86_64";
      case "aarch64", "arm64" -> "linux-aarch64";
      default -> "linux-" + arch;
    };
  }
}
