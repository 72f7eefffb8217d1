package dev.loadgen.datasets;

import java.io.IOException;
import java.io.InputStream;

/** Reads an array of NumPy ({@code np.save}): each element along its first axis is a row. */
final class NpyDatasetReader implements DatasetReader {
  @Override
  public void read(DatasetFile file, TableBuilder table) throws IOException {
    try (InputStream content = file.content()) {
      NpyArray.read(content, file.contentBound(), table.column(TableBuilder.UNNAMED));
    }
  }
}
