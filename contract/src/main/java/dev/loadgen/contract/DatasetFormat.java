package dev.loadgen.contract;

/** The format of a dataset file. */
public enum DatasetFormat {
  /** Told by the file's content. */
  Auto,
  /** An array of objects, or an object of lists. */
  Json,
  /** An object a line. */
  JsonLines,
  /** Comma separated, with a header. */
  Csv,
  /** Tab separated, with a header. */
  Tsv,
  /** Apache Parquet. */
  Parquet,
  /** A pandas DataFrame, or plain lists and dicts. */
  Pickle,
  /** A NumPy array: a row a sample. */
  Npy,
  /** NumPy arrays by name, a column each. */
  Npz
}
