"""Sorting arrays: what the calls mean, and how they become problems of the library."""

from __future__ import annotations

import contextlib
from typing import Any

from . import _native
from ._arrays import INDEX_BYTES, Kind, kind_of
from ._calls import Asked, Output, Pointers, ask, check_out, last_axis, on_stream, run, wait_for_carried
from ._carried import carried, given_back
from ._native import ARGSORT, SORT, SORT_PAIRS

def index_bytes_of(name: str, length: int) -> int:
    found = INDEX_BYTES.get(name)
    if found is None:
        raise TypeError(f"index_dtype: int32, uint32, int64 or uint64, not {name}")
    limit = 2**31 if name == "int32" else 2**32
    if found == 4 and length > limit:
        raise ValueError(f"index_dtype: {name} is too narrow for {length} keys; ask for int64")
    return found


WIDEN_FROM = 1 << 21
"""Keys of an array from which on indices of 4 bytes, made wider afterwards, are faster than such of 8, and take half of the
memory (docs/python.md)."""


def sorted_index_bytes(size: int, length: int, rows: int) -> int:
    """Of the indices that the library writes."""
    return 4 if size == 8 and rows == 1 and WIDEN_FROM <= length <= 2**31 else size


def name_of_dtype(dtype: Any) -> str:
    """"int64" of "int64", torch.int64 and, where NumPy is, of all that numpy.dtype takes: "i8", "<i8", int, numpy.int64."""
    name = dtype.__name__ if isinstance(dtype, type) else getattr(dtype, "name", None)
    if not isinstance(name, str):
        name = str(dtype).rpartition(".")[2]
    if name not in _native.KEY_CODES and dtype is not None:
        with contextlib.suppress(ImportError, TypeError, ValueError):
            import numpy

            return str(numpy.dtype(dtype).name)
    return name


def sort_keys(x: Any, axis: Any, descending: bool, out: Any, stream: Any, device: Any) -> Any:
    asked = ask(x, axis, device, stream)
    with on_stream(asked, stream):
        output = Output(asked, asked.array.dtype, out)
        if asked.length * asked.rows:
            _kept, address, stride = last_axis(asked, asked.array)
            pointers = Pointers(address, stride, output.address, output.stride)
            run(asked, asked.key(SORT, 0, 0, bool(descending), False), pointers, stream)
        result = output.take()
        wait_for_carried(asked, x)
    return result if kind_of(x) is not None else given_back(result, x)


def sort_indices(
    x: Any, axis: Any, descending: bool, stable: bool, index_dtype: Any, with_keys: bool, out: Any, stream: Any, device: Any
) -> tuple[Any, Any]:
    """Indices, and sorted keys or None."""
    asked = ask(x, axis, device, stream)
    name = name_of_dtype(index_dtype)
    size = index_bytes_of(name, asked.length)
    wide = asked.kind.index_dtype(name)
    sorted_size = sorted_index_bytes(size, asked.length, asked.rows)
    with on_stream(asked, stream):
        if sorted_size == size:
            indices = Output(asked, wide, out)
        else:
            if out is not None:
                check_out(asked, wide, out, "out")
            indices = Output(asked, asked.kind.index_dtype("int32"), None)
        keys = Output(asked, asked.array.dtype, None) if with_keys else None
        if asked.length * asked.rows:
            _kept, address, stride = last_axis(asked, asked.array)
            pointers = Pointers(
                address,
                stride,
                *((keys.address, keys.stride) if keys is not None else (0, 0)),
                indices=indices.address,
                indices_stride=indices.stride,
            )
            key = asked.key(SORT if with_keys else ARGSORT, 0, sorted_size, bool(descending), bool(stable))
            run(asked, key, pointers, stream)
        places = indices.take()
        if sorted_size != size:
            target = asked.kind.empty_like(places, wide) if out is None else out
            asked.kind.copy_into(target, places)
            places = target
        found = places, keys.take() if keys is not None else None
        wait_for_carried(asked, x)
    if kind_of(x) is not None:
        return found
    return given_back(found[0], x), None if found[1] is None else given_back(found[1], x)


def values_bytes(kind: Kind, values: Any) -> int:
    """Of each value. Raises TypeError where they do not travel."""
    size = kind.item_bytes(values)
    if size not in (1, 2, 4, 8, 16) or getattr(values.dtype, "hasobject", False):
        raise TypeError(f"values: elements of 1, 2, 4, 8 or 16 bytes travel, not {values.dtype}; use argsort, and take by it")
    return size


def values_for(asked: Asked, values: Any) -> tuple[Any, int]:
    """Values that travel with the keys, as their library has them, and the bytes of each."""
    kind = kind_of(values)
    carried_values = values
    if kind is None:
        carried_values, kind = carried(values, "values")
    if kind is not asked.kind:
        raise TypeError(f"values: an array of the library of keys, not {type(values).__name__}")
    carried_values = kind.resolved(carried_values, "values")
    if tuple(carried_values.shape) != tuple(asked.array.shape):
        raise ValueError(f"values: their shape is {tuple(carried_values.shape)}, and that of the keys {tuple(asked.array.shape)}")
    if kind.location(carried_values) != asked.gpu:
        raise ValueError("values: they are not on the device of the keys")
    return carried_values, values_bytes(kind, carried_values)


def sort_pairs(
    keys: Any, values: Any, axis: Any, descending: bool, stable: bool, stream: Any, device: Any
) -> tuple[Any, Any]:
    asked = ask(keys, axis, device, stream, "keys")
    carried_values, size = values_for(asked, values)
    with on_stream(asked, stream):
        sorted_keys = Output(asked, asked.array.dtype, None)
        sorted_values = Output(asked, carried_values.dtype, None)
        if asked.length * asked.rows:
            _kept, address, stride = last_axis(asked, asked.array)
            _kept_too, value_address, value_stride = last_axis(asked, carried_values)
            pointers = Pointers(
                address, stride, sorted_keys.address, sorted_keys.stride,
                value_address, value_stride, sorted_values.address, sorted_values.stride,
            )  # fmt: skip
            run(asked, asked.key(SORT_PAIRS, size, 0, bool(descending), bool(stable)), pointers, stream)
        found = sorted_keys.take(), sorted_values.take()
        wait_for_carried(asked, keys)
    if kind_of(keys) is not None:
        return found
    return given_back(found[0], keys), given_back(found[1], values)
