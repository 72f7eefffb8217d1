"""Writes the files of resources/datasets that need other writers than the first set: expected.json has their values.

    python make_fixtures.py pandas15     # pandas 1.5.3, numpy 1.26.4
    python make_fixtures.py pandas2      # pandas 2.3.3, numpy 2.4.6
    python make_fixtures.py pandas3      # pandas 3.1.1 with pyarrow
    python make_fixtures.py parquet      # pyarrow 26.0.1
"""

import json
import os
import pickle
import sys

HERE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "resources", "datasets")
COLUMNS = ["tok_input", "input_tokens", "tok_input_len", "text", "messages", "score", "ground_truth", "ok", "dataset"]


def path(name):
    return os.path.join(HERE, name)


with open(path("expected.json"), encoding="utf-8") as f:
    EXPECTED = json.load(f)
TABLE = {name: EXPECTED[name] for name in COLUMNS}


def pandas15():
    import numpy as np
    import pandas as pd

    frame = pd.DataFrame(TABLE)
    for protocol in (2, 3, 4, 5):
        frame.to_pickle(path(f"pd15_p{protocol}_list.pkl"), protocol=protocol)
    arrays = frame.copy()
    arrays["tok_input"] = [np.array(v, dtype=np.int32) for v in TABLE["tok_input"]]
    arrays["input_tokens"] = [np.array(v, dtype=np.int64) for v in TABLE["input_tokens"]]
    arrays.to_pickle(path("pd15_p4_ndarray.pkl"), protocol=4)
    frame.set_index(pd.Index(range(100, 88, -1))).to_pickle(path("pd15_p5_intindex.pkl"), protocol=5)
    frame["tok_input"].to_pickle(path("pd15_p5_series.pkl"), protocol=5)
    category = frame.copy()
    category["dataset"] = category["dataset"].astype("category")
    category["when"] = pd.date_range("2026-01-01", periods=len(frame), freq="D")
    category.to_pickle(path("pd15_p5_category_datetime.pkl"), protocol=5)


def pandas2():
    import numpy as np
    import pandas as pd

    frame = pd.DataFrame(TABLE)
    frame.to_pickle(path("pd2_p3_list.pkl"), protocol=3)
    columns = {name: np.array(TABLE[name]) for name in ("tok_input_len", "ok")}
    columns["scalars"] = [np.int64(v) for v in TABLE["tok_input_len"]]
    columns["tok_input"] = TABLE["tok_input"]
    with open(path("plain_p4_numpy_columns.pkl"), "wb") as f:
        pickle.dump(columns, f, protocol=4)
    for protocol in (0, 1, 2, 3):
        with open(path(f"plain_p{protocol}_columns.pkl"), "wb") as f:
            pickle.dump({name: TABLE[name] for name in COLUMNS}, f, protocol=protocol)
    with open(path("plain_p1_records.pkl"), "wb") as f:
        pickle.dump([dict(zip(TABLE, row)) for row in zip(*TABLE.values())], f, protocol=1)


def parquet():
    import pyarrow as pa
    import pyarrow.parquet as pq

    table = pa.table(TABLE)
    pq.write_table(table, path("arrow_lz4.parquet"), compression="lz4")
    pq.write_table(table, path("arrow_rowgroups_v2pages.parquet"), row_group_size=5, data_page_version="2.0")
    pq.write_table(
        table, path("arrow_smallpages_nodict.parquet"), use_dictionary=False, data_page_size=64, compression="zstd"
    )
    pq.write_table(
        table,
        path("arrow_delta.parquet"),
        use_dictionary=False,
        column_encoding={
            "tok_input.list.element": "DELTA_BINARY_PACKED",
            "input_tokens.list.element": "DELTA_BINARY_PACKED",
            "text": "DELTA_BYTE_ARRAY",
            "dataset": "DELTA_LENGTH_BYTE_ARRAY",
            "score": "BYTE_STREAM_SPLIT",
        },
    )
    pq.write_table(table, path("arrow_element_naming.parquet"), use_compliant_nested_type=False)
    large = table.set_column(0, "tok_input", pa.array(TABLE["tok_input"], pa.large_list(pa.int64())))
    large = large.set_column(1, "input_tokens", pa.array(TABLE["input_tokens"], pa.list_(pa.uint32())))
    pq.write_table(large, path("arrow_largelist_int64.parquet"))


if __name__ == "__main__":
    for step in sys.argv[1:]:
        globals()[step]()
