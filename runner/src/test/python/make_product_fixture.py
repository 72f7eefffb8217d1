"""Writes products.json, and products.expected.json with the texts that MLPerf's reference makes of its rows.

    python make_product_fixture.py TASK.py    # multimodal/qwen3-vl/src/mlperf_inf_mm_q3vl/task.py of mlcommons/inference

Needs pydantic, for the JSON schema in the reference's system message.
"""

import ast
import base64
import json
import os
import sys

from pydantic import BaseModel, ConfigDict

HERE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "resources", "datasets")

PNG = bytes.fromhex(
    "89504e470d0a1a0a0000000d4948445200000001000000010802000000907753de0000000c4944415408d763f8cfc00000030101"
    "00c9fe92ef0000000049454e44ae426082"
)

ROWS = [
    {
        "product_title": "Plain T-Shirt",
        "product_description": "Cotton.\n<script>var a = \"b\";</script>",
        "potential_product_categories": ["Clothing > Shirts", "Clothing > Shirts > T-Shirts"],
    },
    {
        "product_title": "Größe 42 \U0001f45f \"shoe\"",
        "product_description": None,
        "potential_product_categories": ["Men's > Shoes", 'a "quoted" one', "both ' and \"", "tab\tand\nline \\ \x07 \u200b \xa0"],
    },
    {"product_title": "", "product_description": "x", "potential_product_categories": []},
]


def templates(path, sample):
    """The texts of the first two f-strings of formulate_loaded_sample's messages, for a sample."""
    with open(path, encoding="utf-8") as f:
        tree = ast.parse(f.read())
    function = [n for n in ast.walk(tree) if isinstance(n, ast.FunctionDef) and n.name == "formulate_loaded_sample"][-1]
    strings = [n for n in ast.walk(function) if isinstance(n, ast.JoinedStr)]
    strings.sort(key=lambda n: n.lineno)
    names = {"sample": sample, "json": json, "ProductMetadata": ProductMetadata}
    return [eval(compile(ast.Expression(n), path, "eval"), names) for n in strings[:2]]


class ProductMetadata(BaseModel):
    """Json format for the expected responses from the VLM."""

    model_config = ConfigDict(use_attribute_docstrings=True, extra="forbid")

    category: str
    """The complete category of the product, e.g.,
    "Clothing & Accessories > Clothing > Shirts > Polo Shirts".
    Each categorical level is separated by " > ".
    """

    brand: str
    """The brand of the product, e.g., "giorgio armani"."""

    is_secondhand: bool
    """True if the product is second-hand, False otherwise."""


def write(name, value):
    with open(os.path.join(HERE, name), "w", encoding="utf-8", newline="\n") as f:
        json.dump(value, f, indent=1)
        f.write("\n")


if __name__ == "__main__":
    image = base64.b64encode(PNG).decode()
    write("products.json", [{"product_image": image, **row} for row in ROWS])
    expected = []
    for row in ROWS:
        system, user = templates(sys.argv[1], row)
        expected.append({"system": system, "user": user, "url": "data:image/png;base64," + image})
    write("products.expected.json", expected)
