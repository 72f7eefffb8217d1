"""Stands in for sgl-kernel, SGLang's compiled kernels, on a CPU.

The published wheels of sgl-kernel hold CUDA code only. SGLang's layers have a path in plain torch that they take when
no kernel is registered; the scheduler has none for the one function below and imports it on every CPU.
"""

from torch import Tensor


def assign_req_to_token_pool_cpu(
    req_pool_indices: Tensor,
    req_to_token: Tensor,
    start_offset: Tensor,
    end_offset: Tensor,
    out_cache_loc: Tensor,
    pool_len: int,
) -> None:
    """Notes which cache slots hold the new tokens of each request of a batch.

    Request i owns row ``req_pool_indices[i]`` of ``req_to_token``, a table of ``pool_len`` columns, one a token
    position. Its positions ``start_offset[i]`` up to ``end_offset[i]`` get the next slots of ``out_cache_loc``, where
    the requests' slots stand one after the other.
    """
    lengths = (end_offset - start_offset).tolist()
    slots = out_cache_loc.to(req_to_token.dtype).split(lengths)
    rows = req_pool_indices.tolist()
    for row, start, length, part in zip(rows, start_offset.tolist(), lengths, slots, strict=True):
        req_to_token[row, start : start + length] = part


def __getattr__(name: str):
    """Lets SGLang import the names of its other kernels; calling one says what is missing."""
    if name.startswith("__"):
        raise AttributeError(name)

    def missing(*_args, **_kwargs):
        raise NotImplementedError(f"sgl_kernel.{name} is a compiled kernel, which this installation has not")

    return missing
