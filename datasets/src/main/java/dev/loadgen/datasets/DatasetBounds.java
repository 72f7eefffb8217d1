package dev.loadgen.datasets;

/**
 * Bounds that keep a hostile or mistaken file from taking the runner's memory; each is far above
 * any benchmark's data (the largest, Qwen3-VL's, has 48,289 samples).
 */
final class DatasetBounds {
  /** Rows of a dataset. */
  static final int ROWS = 10_000_000;

  /** Columns of a dataset. */
  static final int COLUMNS = 1000;

  /** Values in one cell, nested ones included; of a text each four characters count as one. */
  static final int CELL_VALUES = 1 << 24;

  /** Cells that a table of any file may have, */
  static final int TABLE_CELLS = 1 << 22;

  /** Lists of an array that has no values, and so no bytes. */
  static final int EMPTY_LISTS = 1 << 16;

  /** Lists and objects inside each other in one cell. */
  static final int DEPTH = 64;

  /** A compressed file may expand to this many times its size, */
  static final int EXPANSION = 100;

  /** ... and always to this many bytes. */
  static final long EXPANSION_FLOOR = 256L << 20;

  /** ... as one may have so many cells for each byte, of which none takes less than four. */
  static final int CELLS_PER_BYTE = EXPANSION / Integer.BYTES;

  /** Bytes of one Parquet page when decompressed; writers make pages of about 1 MiB. */
  static final int PARQUET_PAGE = 512 << 20;

  /** Digits of an integer. */
  static final int DIGITS = 1000;

  private DatasetBounds() {}

  static void checkRows(long rows) {
    if (rows > ROWS) {
      throw new InvalidContentException(
          "has more than " + ROWS + " rows; give the run a smaller file");
    }
  }

  static void checkColumns(long columns) {
    if (columns > COLUMNS) {
      throw new InvalidContentException(
          "has more than " + COLUMNS + " columns; check that its rows share their names");
    }
  }

  static void checkCell(long values) {
    if (values > CELL_VALUES) {
      throw new InvalidContentException(
          "holds more than "
              + CELL_VALUES
              + " values in one cell, where four characters of text count as one; the file is"
              + " damaged or is not a dataset");
    }
  }

  /** An array one of whose axes is 0 takes no bytes, however many lists it claims to have. */
  static void checkEmpty(long[] shape) {
    long lists = 1;
    for (long length : shape) {
      lists *= Math.max(length, 1);
      if (lists > EMPTY_LISTS) {
        throw new InvalidContentException(
            ("has a NumPy array of more than %d lists without values; the file is damaged or is not"
                    + " a dataset")
                .formatted(EMPTY_LISTS));
      }
    }
  }
}
