"""SGLang's Rust client, started as `python -m sglang.benchmark.rust_client` starts it, from its own Python.

The package sglang imports torch before it comes to the client, which takes ten seconds and is no part of what is
measured; so the extension is loaded by its file. Arguments are the client's.
"""

import importlib.machinery
import importlib.util
import sys
import sysconfig
from pathlib import Path


def extension():
    folder = Path(sysconfig.get_path("purelib"), "sglang", "srt", "rust_extensions")
    files = [folder / ("_bench" + suffix) for suffix in importlib.machinery.EXTENSION_SUFFIXES]
    file = next((f for f in files if f.exists()), None)
    if file is None:
        sys.exit(f"{folder} has no _bench extension: SGLang 0.5.23 or newer is needed")
    name = "sglang.srt.rust_extensions._bench"
    loader = importlib.machinery.ExtensionFileLoader(name, str(file))
    module = importlib.util.module_from_spec(importlib.util.spec_from_file_location(name, file, loader=loader))
    loader.exec_module(module)
    return module


if __name__ == "__main__":
    extension().run_argv(["sglang.benchmark.rust_client", *sys.argv[1:]])
