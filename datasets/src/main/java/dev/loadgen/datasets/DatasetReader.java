package dev.loadgen.datasets;

import java.io.IOException;

/**
 * Reads one format. A new format is one more implementation, one constant of {@link
 * dev.loadgen.contract.DatasetFormat}, and its first bytes in {@link FormatDetector}.
 */
interface DatasetReader {
  /**
   * Reads all of the file.
   *
   * @throws InvalidContentException when the content is not a dataset in this format
   * @throws IOException when the file cannot be read, or ends before its content does
   */
  void read(DatasetFile file, TableBuilder table) throws IOException;
}
