"""Writes the files of resources/datasets/variants, and expected.json there with the rows that each must read as.

    python make_variants.py pandas15      # pandas 1.5.3, numpy 1.26.4
    python make_variants.py pandas2       # pandas 2.3.3 with pyarrow
    python make_variants.py pandas3       # pandas 3.1.1 with pyarrow
    python make_variants.py pandas3plain  # pandas 3.1.1 without pyarrow
    python make_variants.py parquet numpy text    # with any of pandas 2 or 3, and pyarrow

Each step keeps what the others have written.
"""

import datetime
import decimal
import gzip
import json
import os
import pickle
import sys

HERE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "resources", "datasets", "variants")
EXPECTED = os.path.join(HERE, "expected.json")
expected = {}


def path(name):
    return os.path.join(HERE, name)


def rows(table):
    return [dict(zip(table, row)) for row in zip(*table.values())]


PLAIN = {
    "tok_input": [[1, 2, 3], [4], []],
    "text": ["a", "ü漢😀", None],
    "n": [1, 2, 3],
    "score": [0.5, None, 1.5],
    "ok": [True, False, True],
}
STAMP = datetime.datetime(2026, 1, 2, 3, 4, 5, 600000)


def frames(tag, extra=()):
    import numpy as np
    import pandas as pd

    plain = pd.DataFrame(PLAIN)
    for protocol in (2, 5):
        plain.to_pickle(path(f"{tag}_plain_p{protocol}.pkl"), protocol=protocol)
        expected[f"{tag}_plain_p{protocol}.pkl"] = rows(PLAIN)
    typed = pd.DataFrame(
        {
            "text": pd.array(["a", None], dtype="string"),
            "whole": pd.array([1, None], dtype="Int64"),
            "flag": pd.array([True, None], dtype="boolean"),
            "real": pd.array([0.5, None], dtype="Float64"),
            "kind": pd.Categorical(["x", None]),
            "when": [pd.Timestamp(STAMP), pd.NaT],
            "utc": pd.DatetimeIndex([STAMP, None]).tz_localize("UTC"),
            "berlin": pd.DatetimeIndex([STAMP, None]).tz_localize("Europe/Berlin"),
            "long": pd.to_timedelta([90, None], unit="m"),
            "day": [STAMP.date(), None],
            "money": [decimal.Decimal("1.50"), None],
            "mixed": [{"a": [1, 2.5, None, ("b", {3})]}, np.arange(6).reshape(2, 3)],
            "half": np.array([1.5, 2], dtype=np.float16),
            "small": np.array([-1, 2], dtype=np.int8),
            "large": np.array([2**64 - 1, 0], dtype=np.uint64),
        },
        index=pd.MultiIndex.from_tuples([("x", 1), ("y", 2)], names=["k", "l"]),
    )
    typed.to_pickle(path(f"{tag}_typed.pkl"), protocol=4)
    expected[f"{tag}_typed.pkl"] = rows(
        {
            "text": ["a", None],
            "whole": [1, None],
            "flag": [True, None],
            "real": [0.5, None],
            "kind": ["x", None],
            "when": ["2026-01-02T03:04:05.6", None],
            "utc": ["2026-01-02T03:04:05.6Z", None],
            "berlin": ["2026-01-02T02:04:05.6Z", None],
            "long": ["PT1H30M", None],
            "day": ["2026-01-02", None],
            "money": ["1.50", None],
            "mixed": [{"a": [1, 2.5, None, ["b", [3]]]}, [[0, 1, 2], [3, 4, 5]]],
            "half": [1.5, 2.0],
            "small": [-1, 2],
            "large": [2**64 - 1, 0],
        }
    )
    pd.Series(["a", "b"], name="text", index=pd.date_range("2026-01-01", periods=2)).to_pickle(path(f"{tag}_series.pkl"))
    expected[f"{tag}_series.pkl"] = [{"text": "a"}, {"text": "b"}]


def pandas15():
    frames("pd15")


def arrow_frame(tag):
    import pandas as pd
    import pyarrow as pa

    arrow = pd.DataFrame(
        {
            "text": pd.array(["a", None, "ü"], dtype="string[pyarrow]"),
            "tok_input": pd.array([[1, 2], None, []], dtype=pd.ArrowDtype(pa.list_(pa.int64()))),
            "n": pd.array([1, None, 3], dtype="int64[pyarrow]"),
            "ok": pd.array([True, None, False], dtype=pd.ArrowDtype(pa.bool_())),
            "when": pd.array([STAMP, None, STAMP], dtype=pd.ArrowDtype(pa.timestamp("us"))),
            "utc": pd.array([STAMP, None, STAMP], dtype=pd.ArrowDtype(pa.timestamp("ns", "UTC"))),
            "pair": pd.array([{"a": 1, "b": "x"}, None, {"a": None, "b": "y"}],
                             dtype=pd.ArrowDtype(pa.struct([("a", pa.int32()), ("b", pa.large_string())]))),
            "kind": pd.array(["x", None, "x"], dtype=pd.ArrowDtype(pa.dictionary(pa.int8(), pa.string()))),
            "money": pd.array([decimal.Decimal("-1.50"), None, 2], dtype=pd.ArrowDtype(pa.decimal128(10, 2))),
        }
    )
    arrow.to_pickle(path(f"{tag}_arrow.pkl"))
    values = rows(
        {
            "text": ["a", None, "ü"],
            "tok_input": [[1, 2], None, []],
            "n": [1, None, 3],
            "ok": [True, None, False],
            "when": ["2026-01-02T03:04:05.6", None, "2026-01-02T03:04:05.6"],
            "utc": ["2026-01-02T03:04:05.6Z", None, "2026-01-02T03:04:05.6Z"],
            "pair": [{"a": 1, "b": "x"}, None, {"a": None, "b": "y"}],
            "kind": ["x", None, "x"],
            "money": ["-1.50", None, "2.00"],
        }
    )
    expected[f"{tag}_arrow.pkl"] = values
    arrow.iloc[1:].to_pickle(path(f"{tag}_arrow_sliced.pkl"))
    expected[f"{tag}_arrow_sliced.pkl"] = values[1:]


def pandas2():
    frames("pd2")
    arrow_frame("pd2")


def pandas3():
    frames("pd3")
    arrow_frame("pd3")


def pandas3plain():
    frames("pd3plain")


def parquet():
    import numpy as np
    import pandas as pd
    import pyarrow as pa
    import pyarrow.parquet as pq

    def write(name, table, values=None, **options):
        pq.write_table(table, path(name), **options)
        expected[name] = values if values is not None else table.to_pylist()

    count = 9
    nested = {
        "tok_input": [None if i == 4 else [i * 1000 + j for j in range(i % 4)] for i in range(count)],
        "text": [None if i % 3 == 1 else f"row {i} ü" for i in range(count)],
        "reals": [None if i % 4 == 0 else [i / 4, None] for i in range(count)],
        "nested": [[[1, 2], [], [i]] if i % 3 else None for i in range(count)],
        "object": [None if i % 4 == 1 else {"a": i, "b": [{"c": f"x{i}", "d": None}]} for i in range(count)],
    }
    table = pa.table(nested)
    for version in ("1.0", "2.0"):
        write(f"brotli_v{version[0]}.parquet", table, compression="brotli", data_page_version=version, row_group_size=4)
    write("three_groups_checked.parquet", table, row_group_size=3, write_page_checksum=True, compression="zstd")
    write("lz4_raw.parquet", table, compression="lz4", data_page_size=16, dictionary_pagesize_limit=16)
    with open(path("packed.parquet.gz"), "wb") as f, open(path("brotli_v1.parquet"), "rb") as plain:
        f.write(gzip.compress(plain.read(), mtime=0))
    expected["packed.parquet.gz"] = rows(nested)
    integers = {}
    for width in (8, 16, 32, 64):
        integers[f"i{width}"] = pa.array([-(1 << (width - 1)), None, (1 << (width - 1)) - 1], f"int{width}")
        integers[f"u{width}"] = pa.array([0, None, (1 << width) - 1], f"uint{width}")
    for encoding in ("PLAIN", "DELTA_BINARY_PACKED", "BYTE_STREAM_SPLIT"):
        names = {name: encoding for name in integers}
        write(f"integers_{encoding}.parquet", pa.table(integers), use_dictionary=False, column_encoding=names)
    logical = pa.table(
        {
            "half": pa.array(np.array([1.5, 2], np.float16)),
            "single": pa.array([1.5, None], pa.float32()),
            "money": pa.array([decimal.Decimal("-1.50"), None], pa.decimal128(30, 2)),
            "day": pa.array([STAMP.date(), None]),
            "when": pa.array([STAMP, None], pa.timestamp("us")),
            "millis": pa.array([STAMP, None], pa.timestamp("ms")),
            "utc": pa.array([STAMP, None], pa.timestamp("ns", "UTC")),
            "map": pa.array([[("k", 1), ("l", None)], None], pa.map_(pa.string(), pa.int64())),
            "nothing": pa.nulls(2),
            "bytes": pa.array([b"\x00\xff", None]),
            "fixed": pa.array([b"ab", None], pa.binary(2)),
            "pair": pa.array([[1, 2], [3, 4]], pa.list_(pa.int32(), 2)),
            "large": pa.array([["a"], None], pa.large_list(pa.large_string())),
        }
    )
    values = rows(
        {
            "half": [1.5, 2.0],
            "single": [1.5, None],
            "money": ["-1.50", None],
            "day": ["2026-01-02", None],
            "when": ["2026-01-02T03:04:05.6", None],
            "millis": ["2026-01-02T03:04:05.6", None],
            "utc": ["2026-01-02T03:04:05.6Z", None],
            "map": [{"k": 1, "l": None}, None],
            "nothing": [None, None],
            "bytes": ["AP8=", None],
            "fixed": ["YWI=", None],
            "pair": [[1, 2], [3, 4]],
            "large": [["a"], None],
        }
    )
    write("logical.parquet", logical, values)
    write("int96.parquet", logical.select(["when"]), [{"when": "2026-01-02T03:04:05.6"}, {"when": None}],
          use_deprecated_int96_timestamps=True)
    far = [datetime.datetime(1, 1, 1), datetime.datetime(9999, 12, 31, 23, 59, 59, 999999)]
    write("int96_far.parquet", pa.table({"when": pa.array(far, pa.timestamp("us"))}),
          [{"when": "0001-01-01T00:00:00"}, {"when": "9999-12-31T23:59:59.999999"}],
          use_deprecated_int96_timestamps=True)
    pd.DataFrame({"text": ["a", "b"]}, index=["p", "q"]).to_parquet(path("pandas_index.parquet"))
    expected["pandas_index.parquet"] = [{"text": "a"}, {"text": "b"}]


def numpy():
    import numpy as np
    from numpy.lib import format as npy

    def save(name, array, values=None, **options):
        np.save(path(name), array, **options)
        expected[name] = [{"value": value} for value in (array.tolist() if values is None else values)]

    for code in ("<i4", ">i4", "<i8", "|i1", "|u1", "<u2", "<u4", "<u8", "<f2", "<f4", ">f8", "|b1"):
        name = code.replace("<", "le_").replace(">", "be_").replace("|", "")
        save(f"{name}.npy", np.arange(6).reshape(2, 3).astype(code))
    save("fortran.npy", np.asfortranarray(np.arange(12, dtype="<i4").reshape(3, 4)))
    save("fortran_real.npy", np.asfortranarray(np.arange(4, dtype="<f4").reshape(2, 2) / 4))
    save("three_axes.npy", np.arange(12).reshape(2, 3, 2))
    save("one_axis.npy", np.arange(3, dtype="<i4"))
    save("above_int64.npy", np.array([2**63, 2**64 - 1], dtype="<u8"))
    save("text.npy", np.array(["ab", "c", "漢😀"]))
    save("text_big_endian.npy", np.array(["ab", "c"]).astype(">U2"))
    save("bytes.npy", np.array([b"ab", b"c"]), ["YWI=", "Yw=="])
    save("times.npy", np.array(["2026-01-02T03:04:05", "NaT"], dtype="M8[s]"), ["2026-01-02T03:04:05", None])
    save("days.npy", np.array(["2026-01-02"], dtype="M8[D]"), ["2026-01-02"])
    ragged = np.empty(2, dtype=object)
    ragged[0], ragged[1] = [1, 2], [3]
    save("objects.npy", ragged, allow_pickle=True)
    for version in (1, 2, 3):
        with open(path(f"version{version}.npy"), "wb") as f:
            npy.write_array(f, np.arange(6, dtype="<i4").reshape(2, 3), version=(version, 0))
        expected[f"version{version}.npy"] = [{"value": [0, 1, 2]}, {"value": [3, 4, 5]}]
    columns = {
        "input_ids": np.arange(12, dtype="<i4").reshape(3, 4),
        "input_len": np.array([4, 4, 4]),
        "text": np.array(["a", "bb", "c"]),
        "objects": np.array([[1], "x", None], dtype=object),
    }
    np.savez(path("columns.npz"), **columns)
    np.savez_compressed(path("columns_compressed.npz"), **columns)
    with open(path("columns.npz"), "rb") as f:
        packed = gzip.compress(f.read(), mtime=0)
    with open(path("columns.npz.gz"), "wb") as f:
        f.write(packed)
    for name in ("columns.npz", "columns_compressed.npz", "columns.npz.gz"):
        expected[name] = [{k: v.tolist()[i] for k, v in columns.items()} for i in range(3)]
    for protocol in (0, 2, 5):
        arrays = {"text": np.array(["a", "bb"]), "tok_input": np.asfortranarray(np.arange(6, dtype=">i4").reshape(2, 3))}
        with open(path(f"arrays_p{protocol}.pkl"), "wb") as f:
            pickle.dump(arrays, f, protocol=protocol)
        expected[f"arrays_p{protocol}.pkl"] = [{k: v[i].tolist() for k, v in arrays.items()} for i in range(2)]


def text():
    import pandas as pd

    cells = {
        "text": ["plain", "with, comma", 'a "quote"', "line\nend", "tab\tsemi; bar|", "ü漢😀"],
        "n": [1, 2, 3, 4, 5, -6],
        "real": [0.5, 1e-7, 2.0, -3.25, 1e20, 0.1],
        "ok": [True, False] * 3,
        "code": ["007", "1", "2", "3", "4", "5"],
        "output": ["1", "2", "3", "4", "5", "6"],
        "tok_input": ["[1, 2]", "[ 3  4\n 5]", "[6]", "[7]", "[8]", "[9]"],
    }
    lists = [[1, 2], [3, 4, 5], [6], [7], [8], [9]]
    values = [{**row, "tok_input": ids} for row, ids in zip(rows(cells), lists)]
    frame = pd.DataFrame(cells)
    for name, options in {
        "index.csv": {},
        "semicolon.csv": {"index": False, "sep": ";"},
        "bar.csv": {"index": False, "sep": "|"},
        "index.tsv": {"sep": "\t"},
        "quoted_crlf_bom.csv": {"index": False, "quoting": 1, "lineterminator": "\r\n", "encoding": "utf-8-sig"},
        "packed.csv.gz": {"index": False, "compression": {"method": "gzip", "mtime": 0}},
    }.items():
        frame.to_csv(path(name), **options)
        expected[name] = values
    table = {name: PLAIN[name] for name in ("tok_input", "text", "n")}
    frame = pd.DataFrame(table)
    named = frame.set_index(pd.Index(["x", "y", "z"]))
    for orient in ("records", "columns", "index", "split", "table"):
        frame.to_json(path(f"orient_{orient}.json"), orient=orient)
        expected[f"orient_{orient}.json"] = rows(table)
    for orient in ("columns", "index"):
        named.to_json(path(f"orient_{orient}_named.json"), orient=orient)
        expected[f"orient_{orient}_named.json"] = rows(table)
    for orient in ("split", "table"):
        frame.to_json(path(f"orient_{orient}_no_index.json"), orient=orient, index=False)
        expected[f"orient_{orient}_no_index.json"] = rows(table)
    with open(path("not_finite.json"), "w") as f:
        f.write('[{"text": "a", "x": NaN, "y": [NaN, 1.5], "z": 1267650600228229401496703205376}]\n')
    expected["not_finite.json"] = [{"text": "a", "x": None, "y": [None, 1.5], "z": 2**100}]
    with open(path("bom_crlf.jsonl"), "wb") as f:
        f.write(b'\xef\xbb\xbf{"text": "a"}\r\n\r\n{"text": "b", "n": 1}\r\n')
    expected["bom_crlf.jsonl"] = [{"text": "a", "n": None}, {"text": "b", "n": 1}]
    with open(path("texts.json"), "w") as f:
        json.dump(["a", "b"], f)
    expected["texts.json"] = [{"value": "a"}, {"value": "b"}]


if __name__ == "__main__":
    os.makedirs(HERE, exist_ok=True)
    for step in sys.argv[1:]:
        globals()[step]()
    known = {}
    if os.path.exists(EXPECTED):
        with open(EXPECTED, encoding="utf-8") as f:
            known = json.load(f)
    known.update(expected)
    with open(EXPECTED, "w", encoding="utf-8", newline="\n") as f:
        json.dump(dict(sorted(known.items())), f, indent=0)
        f.write("\n")
