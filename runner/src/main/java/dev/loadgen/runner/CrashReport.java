package dev.loadgen.runner;

import com.sun.management.HotSpotDiagnosticMXBean;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What the JVM writes when native code, such as LoadGen, crashes it. It has to be told where before
 * there is a results folder, and {@code -XX:ErrorFile} of the image names a file that goes with the
 * pod. So that file is made a link into the folder.
 */
final class CrashReport implements AutoCloseable {
  /** Its name in the results folder. */
  static final String FILE = "hs_err.log";

  private static final Logger LOG = LoggerFactory.getLogger(CrashReport.class);

  private final Path link;

  private CrashReport(Path link) {
    this.link = link;
  }

  /** Leads the report of this JVM into a folder, if it was told a file. */
  static CrashReport into(Path folder) {
    String file =
        ManagementFactory.getPlatformMXBean(HotSpotDiagnosticMXBean.class)
            .getVMOption("ErrorFile")
            .getValue();
    return into(folder, file);
  }

  /**
   * Leads a report into a folder.
   *
   * @param errorFile value of {@code -XX:ErrorFile}; empty: it was not set
   */
  static CrashReport into(Path folder, String errorFile) {
    Path link = Path.of(errorFile);
    // A name with a process id is not known yet, and one of the user's own choice is left alone.
    if (!errorFile.isEmpty() && !errorFile.contains("%")) {
      try {
        if (Files.isSymbolicLink(link)) {
          Files.delete(link);
        }
        Files.createSymbolicLink(link, folder.resolve(FILE).toAbsolutePath());
      } catch (FileAlreadyExistsException e) {
        LOG.warn("a crash of native code will not be in the results: {} exists", link);
      } catch (IOException | UnsupportedOperationException e) {
        LOG.warn("a crash of native code will not be in the results: {}", e.toString());
      }
    }
    return new CrashReport(link);
  }

  /** The folder is complete: what crashes from now on is not of the test. */
  @Override
  public void close() {
    try {
      if (Files.isSymbolicLink(link)) {
        Files.delete(link);
      }
    } catch (IOException e) {
      LOG.warn("{} cannot be removed: {}", link, e.toString());
    }
  }
}
