package dev.loadgen.runner.dataset;

import java.util.HashMap;
import java.util.Map;

/**
 * The Python names that a pickle may use: those of pandas 1.5 and 2.x DataFrames and Series, NumPy
 * arrays and plain data. Each stands for a construction of our own; nothing is looked up by name,
 * and every other name is refused where it occurs.
 */
enum PickleGlobal {
  SLICE,
  BYTEARRAY,
  ENCODE,
  NDARRAY,
  RECONSTRUCT,
  FROM_BUFFER,
  SCALAR,
  DTYPE,
  DATA_FRAME,
  SERIES,
  BLOCK_MANAGER,
  SINGLE_BLOCK_MANAGER,
  UNPICKLE_BLOCK,
  NEW_INDEX,
  INDEX,
  RANGE_INDEX,
  ARRAY_BACKED,
  CATEGORICAL,
  CATEGORICAL_DTYPE,
  DATETIME_ARRAY;

  private static final Map<String, PickleGlobal> BY_NAME = new HashMap<>();

  static {
    allow(SLICE, "builtins.slice", "__builtin__.slice");
    allow(BYTEARRAY, "builtins.bytearray", "__builtin__.bytearray");
    allow(ENCODE, "_codecs.encode");
    allow(NDARRAY, "numpy.ndarray");
    allow(DTYPE, "numpy.dtype");
    allow(RECONSTRUCT, "numpy.core.multiarray._reconstruct", "numpy._core.multiarray._reconstruct");
    allow(FROM_BUFFER, "numpy.core.numeric._frombuffer", "numpy._core.numeric._frombuffer");
    allow(SCALAR, "numpy.core.multiarray.scalar", "numpy._core.multiarray.scalar");
    allow(DATA_FRAME, "pandas.core.frame.DataFrame");
    allow(SERIES, "pandas.core.series.Series");
    allow(BLOCK_MANAGER, "pandas.core.internals.managers.BlockManager");
    allow(SINGLE_BLOCK_MANAGER, "pandas.core.internals.managers.SingleBlockManager");
    allow(UNPICKLE_BLOCK, "pandas._libs.internals._unpickle_block");
    allow(NEW_INDEX, "pandas.core.indexes.base._new_Index");
    allow(
        INDEX,
        "pandas.core.indexes.base.Index",
        "pandas.core.indexes.numeric.Int64Index",
        "pandas.core.indexes.numeric.UInt64Index",
        "pandas.core.indexes.numeric.Float64Index");
    allow(RANGE_INDEX, "pandas.core.indexes.range.RangeIndex");
    allow(ARRAY_BACKED, "pandas._libs.arrays.__pyx_unpickle_NDArrayBacked");
    allow(CATEGORICAL, "pandas.core.arrays.categorical.Categorical");
    allow(CATEGORICAL_DTYPE, "pandas.core.dtypes.dtypes.CategoricalDtype");
    allow(DATETIME_ARRAY, "pandas.core.arrays.datetimes.DatetimeArray");
  }

  private static void allow(PickleGlobal global, String... names) {
    for (String name : names) {
      BY_NAME.put(name, global);
    }
  }

  private static final String CONVERT =
      "convert it where it was written: python -c \"import pandas;"
          + " pandas.read_pickle('FILE').to_parquet('FILE.parquet')\"";

  /**
   * What a name stands for.
   *
   * @throws InvalidContentException when it is not allowed
   */
  static PickleGlobal named(String module, String name) {
    String full = module + "." + name;
    PickleGlobal global = BY_NAME.get(full);
    if (global != null) {
      return global;
    }
    String shown = Values.brief(full);
    if (isPandas3(module, name)) {
      throw new InvalidContentException(
          "is a pickle of pandas 3 (it names %s), which keeps text in Arrow arrays that only Python can read; "
                  .formatted(shown)
              + CONVERT);
    }
    throw new InvalidContentException(
        "is a pickle that names '%s', which is not plain data, so it is refused unread; if you trust it, "
                .formatted(shown)
            + CONVERT);
  }

  private static boolean isPandas3(String module, String name) {
    return switch (module) {
      case "pandas" -> true;
      case "pandas.arrays" -> name.contains("String");
      case "pandas.core.arrays.string_arrow", "pandas.core.arrays.string_" -> true;
      default -> module.equals("pyarrow.lib");
    };
  }
}
