"""What a task does with the keys of one chunk: by bitune on the worker's GPU, or by NumPy where it has none.

Both give the same: the order of bitune, in which -0 comes before +0 and all NaNs are one key, the largest.
"""

from __future__ import annotations

import logging
import threading
from typing import Any

from . import argsort, sort, sort_by_key, top_k
from ._arrays import kind_of
from ._sorters import has_gpu, selector_of

_TRAVEL = (1, 2, 4, 8, 16)  # bytes of values that bitune carries with their keys
_told = threading.Event()


def module_of(x: Any) -> Any:
    """NumPy or CuPy, whose array it is."""
    kind: Any = kind_of(x)
    return kind.module


def is_sorted_by_numpy(keys: Any, device: Any) -> bool:
    """Whether keys lie in the host's memory, no device was named, and this worker has no GPU. Says so once in the log."""
    kind = kind_of(keys)
    if kind is None or kind.location(keys) >= 0 or selector_of(device) != "auto" or has_gpu():
        return False
    if not _told.is_set():
        _told.set()
        logging.getLogger("bitune.dask").warning(
            "this worker has no GPU that bitune can use, so that NumPy sorts its chunks; `python -m bitune devices` says what is missing"
        )
    return True


def codes_of(keys: Any, descending: bool) -> Any:
    """Unsigned integers of the same width that are in order where the keys are."""
    module = module_of(keys)
    bits = 8 * keys.dtype.itemsize
    codes: Any = keys.view(f"u{keys.dtype.itemsize}")
    unsigned = codes.dtype.type
    top, all_bits = unsigned(1 << (bits - 1)), unsigned((1 << bits) - 1)
    if "float" in keys.dtype.name:
        mapped: Any = codes ^ module.where(codes >= top, all_bits, top)
        codes = module.where(keys != keys, all_bits, mapped)
    elif keys.dtype.kind == "i":
        codes = codes ^ top
    return ~codes if descending else codes


def _numpy_order(keys: Any, axis: int, descending: bool) -> Any:
    return codes_of(keys, descending).argsort(axis=axis, kind="stable")


def sorted_keys(keys: Any, axis: int, descending: bool, device: Any) -> Any:
    if is_sorted_by_numpy(keys, device):
        return taken(keys, _numpy_order(keys, axis, descending), axis)
    return sort(keys, axis=axis, descending=descending, device=device)


def order_of(keys: Any, axis: int, descending: bool, index_dtype: str, device: Any) -> Any:
    """Indices of a stable sort along an axis."""
    if is_sorted_by_numpy(keys, device):
        return _numpy_order(keys, axis, descending).astype(index_dtype)
    return argsort(keys, axis=axis, descending=descending, index_dtype=index_dtype, device=device)


def first_of(keys: Any, k: int, axis: int, largest: bool, index_dtype: str, device: Any) -> Any:
    """Indices of the first k keys along an axis."""
    if is_sorted_by_numpy(keys, device):
        return _numpy_order(keys, axis, largest).take(range(k), axis=axis).astype(index_dtype)
    return top_k(keys, k, axis=axis, largest=largest, index_dtype=index_dtype, device=device)[1]


def taken(x: Any, indices: Any, axis: int) -> Any:
    return module_of(x).take_along_axis(x, indices, axis)


def sorted_pairs(keys: Any, values: Any, descending: bool, device: Any) -> tuple[Any, Any]:
    """Keys in stable order, and values with them."""
    if is_sorted_by_numpy(keys, device) or values.dtype.itemsize not in _TRAVEL or values.dtype.hasobject:
        order = order_of(keys, 0, descending, "int64", device)
        return keys[order], values[order]
    return sort_by_key(keys, values, descending=descending, device=device)
