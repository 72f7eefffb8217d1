package dev.loadgen.datasets;

import java.util.HashMap;
import java.util.Map;

/**
 * The Python names that a pickle may use: those of pandas 1.5, 2.x and 3.x DataFrames and Series,
 * with Arrow's arrays in them, NumPy arrays and plain data. Each stands for a construction of our
 * own; nothing is looked up by name, and every other name is refused where it occurs.
 */
enum PickleGlobal {
  SLICE,
  BYTEARRAY,
  ENCODE,
  SET,
  LIST,
  ORDERED_DICT,
  DEFAULT_DICT,
  DECIMAL,
  DATE,
  DATE_TIME,
  TIME_DELTA,
  TIME_ZONE,
  /** How pickles name {@code ZoneInfo._unpickle}; refused for anything else. */
  GETATTR,
  ZONE_INFO,
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
  /** A column of a NumPy array whose type says what its values mean. */
  ARRAY_BACKED,
  BACKED_ARRAY,
  CATEGORICAL_DTYPE,
  DATETIME_TZ_DTYPE,
  /** A column with a mask of missing values. */
  MASKED_ARRAY,
  /** A value that is missing, as itself. */
  MISSING,
  TIMESTAMP,
  NOT_A_TIME,
  ARROW_COLUMN,
  ARROW_RESTORE,
  ARROW_CHUNKS,
  ARROW_BUFFER,
  ARROW_ALIAS,
  ARROW_FIELD,
  ARROW_LIST,
  ARROW_LARGE_LIST,
  ARROW_STRUCT,
  ARROW_DICTIONARY,
  ARROW_TIMESTAMP,
  ARROW_DECIMAL,
  /**
   * Something that says nothing about cells: types that their arrays repeat, zones, frequencies.
   */
  UNREAD;

  private static final Map<String, PickleGlobal> BY_NAME = new HashMap<>();

  static {
    allow(SLICE, "builtins.slice", "__builtin__.slice");
    allow(BYTEARRAY, "builtins.bytearray", "__builtin__.bytearray");
    allow(SET, "builtins.set", "__builtin__.set", "builtins.frozenset", "__builtin__.frozenset");
    allow(LIST, "builtins.list", "__builtin__.list");
    allow(ENCODE, "_codecs.encode");
    allow(ORDERED_DICT, "collections.OrderedDict");
    allow(DEFAULT_DICT, "collections.defaultdict");
    allow(DECIMAL, "decimal.Decimal");
    allow(DATE, "datetime.date");
    allow(DATE_TIME, "datetime.datetime");
    allow(TIME_DELTA, "datetime.timedelta");
    allow(TIME_ZONE, "datetime.timezone");
    allow(UNREAD, "pytz._UTC", "pytz._p");
    allow(GETATTR, "builtins.getattr", "__builtin__.getattr");
    allow(ZONE_INFO, "zoneinfo.ZoneInfo");
    numpy();
    pandas();
    arrow();
  }

  private static void numpy() {
    allow(NDARRAY, "numpy.ndarray");
    allow(DTYPE, "numpy.dtype");
    allow(RECONSTRUCT, "numpy.core.multiarray._reconstruct", "numpy._core.multiarray._reconstruct");
    allow(FROM_BUFFER, "numpy.core.numeric._frombuffer", "numpy._core.numeric._frombuffer");
    allow(SCALAR, "numpy.core.multiarray.scalar", "numpy._core.multiarray.scalar");
  }

  /** Names of pandas 3 are short where those of 1.5 and 2 are of the module that defines them. */
  private static void pandas() {
    allow(DATA_FRAME, "pandas.core.frame.DataFrame", "pandas.DataFrame");
    allow(SERIES, "pandas.core.series.Series", "pandas.Series");
    allow(BLOCK_MANAGER, "pandas.core.internals.managers.BlockManager");
    allow(SINGLE_BLOCK_MANAGER, "pandas.core.internals.managers.SingleBlockManager");
    allow(UNPICKLE_BLOCK, "pandas._libs.internals._unpickle_block");
    allow(
        NEW_INDEX,
        "pandas.core.indexes.base._new_Index",
        "pandas.core.indexes.datetimes._new_DatetimeIndex",
        "pandas.core.indexes.timedeltas._new_TimedeltaIndex");
    allow(
        INDEX,
        "pandas.core.indexes.base.Index",
        "pandas.Index",
        "pandas.core.indexes.numeric.Int64Index",
        "pandas.core.indexes.numeric.UInt64Index",
        "pandas.core.indexes.numeric.Float64Index",
        "pandas.core.indexes.datetimes.DatetimeIndex",
        "pandas.DatetimeIndex",
        "pandas.core.indexes.timedeltas.TimedeltaIndex",
        "pandas.TimedeltaIndex",
        "pandas.core.indexes.category.CategoricalIndex",
        "pandas.CategoricalIndex",
        "pandas.core.indexes.multi.MultiIndex",
        "pandas.MultiIndex");
    allow(RANGE_INDEX, "pandas.core.indexes.range.RangeIndex", "pandas.RangeIndex");
    allow(ARRAY_BACKED, "pandas._libs.arrays.__pyx_unpickle_NDArrayBacked");
    allow(
        BACKED_ARRAY,
        "pandas.core.arrays.categorical.Categorical",
        "pandas.Categorical",
        "pandas.core.arrays.datetimes.DatetimeArray",
        "pandas.arrays.DatetimeArray",
        "pandas.core.arrays.timedeltas.TimedeltaArray",
        "pandas.arrays.TimedeltaArray",
        "pandas.core.arrays.string_.StringArray",
        "pandas.arrays.StringArray");
    allow(
        CATEGORICAL_DTYPE, "pandas.core.dtypes.dtypes.CategoricalDtype", "pandas.CategoricalDtype");
    allow(DATETIME_TZ_DTYPE, "pandas.core.dtypes.dtypes.DatetimeTZDtype", "pandas.DatetimeTZDtype");
    allow(
        MASKED_ARRAY,
        "pandas.core.arrays.integer.IntegerArray",
        "pandas.arrays.IntegerArray",
        "pandas.core.arrays.floating.FloatingArray",
        "pandas.arrays.FloatingArray",
        "pandas.core.arrays.boolean.BooleanArray",
        "pandas.arrays.BooleanArray");
    allow(MISSING, "pandas._libs.missing.NA", "pandas.NA");
    allow(NOT_A_TIME, "pandas._libs.tslibs.nattype._nat_unpickle");
    allow(TIMESTAMP, "pandas._libs.tslibs.timestamps._unpickle_timestamp");
    allow(
        ARROW_COLUMN,
        "pandas.core.arrays.string_arrow.ArrowStringArray",
        "pandas.arrays.ArrowStringArray",
        "pandas.core.arrays.string_arrow.ArrowStringArrayNumpySemantics",
        "pandas.core.arrays.arrow.array.ArrowExtensionArray",
        "pandas.arrays.ArrowExtensionArray");
    allow(
        UNREAD,
        "pandas.core.arrays.string_.StringDtype",
        "pandas.StringDtype",
        "pandas.core.arrays.boolean.BooleanDtype",
        "pandas.BooleanDtype",
        "pandas.core.dtypes.dtypes.ArrowDtype",
        "pandas.core.arrays.arrow.dtype.ArrowDtype",
        "pandas.ArrowDtype");
    for (String number :
        new String[] {"Int8", "Int16", "Int32", "Int64", "UInt8", "UInt16", "UInt32", "UInt64"}) {
      allow(UNREAD, "pandas.core.arrays.integer." + number + "Dtype", "pandas." + number + "Dtype");
    }
    for (String number : new String[] {"Float32", "Float64"}) {
      allow(
          UNREAD, "pandas.core.arrays.floating." + number + "Dtype", "pandas." + number + "Dtype");
    }
    for (String step :
        new String[] {
          "Day",
          "Hour",
          "Minute",
          "Second",
          "Milli",
          "Micro",
          "Nano",
          "MonthEnd",
          "MonthBegin",
          "BusinessDay",
          "Week"
        }) {
      allow(UNREAD, "pandas._libs.tslibs.offsets." + step);
    }
  }

  private static void arrow() {
    allow(ARROW_RESTORE, "pyarrow.lib._restore_array");
    allow(ARROW_CHUNKS, "pyarrow.lib.chunked_array");
    allow(ARROW_BUFFER, "pyarrow.lib.py_buffer");
    allow(ARROW_ALIAS, "pyarrow.lib.type_for_alias");
    allow(ARROW_FIELD, "pyarrow.lib.field");
    allow(ARROW_LIST, "pyarrow.lib.list_");
    allow(ARROW_LARGE_LIST, "pyarrow.lib.large_list");
    allow(ARROW_STRUCT, "pyarrow.lib.struct");
    allow(ARROW_DICTIONARY, "pyarrow.lib.dictionary");
    allow(ARROW_TIMESTAMP, "pyarrow.lib.timestamp");
    allow(ARROW_DECIMAL, "pyarrow.lib.decimal128");
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
    throw refused(full);
  }

  /** That a name is used in a way that makes other than data. */
  static InvalidContentException refused(String name) {
    return new InvalidContentException(
        "is a pickle that names '%s', which is not plain data, so it is refused unread; if you trust it, "
                .formatted(CellWords.brief(name))
            + CONVERT);
  }
}
