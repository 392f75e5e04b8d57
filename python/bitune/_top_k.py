"""The first keys of arrays, with their indices."""

from __future__ import annotations

import operator
from typing import Any

from ._arrays import given_back, kind_of
from ._functions import Asked, Pointers, ask, index_bytes_of, last_axis, name_of_dtype, on_stream, run, wait_for_carried
from ._native import TOP_K
from ._segments import ask_segments
from ._sorters import ProblemKey


def _number_of(k: Any) -> int:
    try:
        return operator.index(k)
    except TypeError:
        raise TypeError(f"k: an integer, not {type(k).__name__}") from None


def checked_k(k: Any, length: int) -> int:
    number = _number_of(k)
    if not 1 <= number <= length:
        raise ValueError(f"k: from 1 to the {length} keys of the axis, not {number}")
    return number


def k_of_segments(k: Any) -> int:
    number = _number_of(k)
    if number < 1:
        raise ValueError(f"k: from 1 on, not {number}")
    return number


def key_of(asked: Asked, k: int, index_bytes: int, largest: bool) -> ProblemKey:
    # Stable anyway: of equal keys the first ones are given, in their order.
    return (*asked.key(TOP_K, 0, index_bytes, largest, False), k)


def _result(asked: Asked, k: int, dtype: Any) -> tuple[Any, int, int]:
    """An array with the axis last, its address, and its row stride."""
    shape = tuple(asked.array.shape)
    array = asked.kind.empty(shape[: asked.axis] + shape[asked.axis + 1 :] + (k,), dtype, asked.array)
    rows = asked.kind.rows(array)
    assert rows is not None
    return array, rows[0], rows[1]


def _in_place(asked: Asked, array: Any) -> Any:
    """The array with the axis where it was."""
    if asked.axis == len(asked.array.shape) - 1:
        return array
    return asked.kind.contiguous(asked.kind.moved(array, -1, asked.axis))


def first_keys(
    x: Any, k: Any, axis: Any, largest: bool, index_dtype: Any, stream: Any, device: Any
) -> tuple[Any, Any]:
    """The keys, and where they stood."""
    asked = ask(x, axis, device, stream)
    number = checked_k(k, asked.length)
    name = name_of_dtype(index_dtype)
    size = index_bytes_of(name, asked.length)
    with on_stream(asked, stream):
        values, values_address, values_stride = _result(asked, number, asked.array.dtype)
        indices, indices_address, indices_stride = _result(asked, number, asked.kind.index_dtype(name))
        if asked.rows:
            _kept, address, stride = last_axis(asked, asked.array)
            pointers = Pointers(
                address, stride, values_address, values_stride, indices=indices_address, indices_stride=indices_stride
            )
            run(asked, key_of(asked, number, size, bool(largest)), pointers, stream)
        found = _in_place(asked, values), _in_place(asked, indices)
        wait_for_carried(asked, x)
    if kind_of(x) is not None:
        return found
    return given_back(found[0], x), given_back(found[1], x)


def first_keys_of_segments(
    x: Any, k: Any, offsets: Any, ends: Any, largest: bool, index_dtype: Any, stream: Any, device: Any
) -> tuple[Any, Any]:
    """The keys of each segment, a row for each, and where they stood in it."""
    asked, bounds = ask_segments(x, offsets, ends, stream, device)
    number = k_of_segments(k)
    name = name_of_dtype(index_dtype)
    size = index_bytes_of(name, asked.length)
    with on_stream(asked, stream):
        values = asked.kind.empty((bounds.segments, number), asked.array.dtype, asked.array)
        indices = asked.kind.empty((bounds.segments, number), asked.kind.index_dtype(name), asked.array)
        if bounds.segments:
            _kept, address, stride = last_axis(asked, asked.array)
            found, where = asked.kind.rows(values), asked.kind.rows(indices)
            assert found is not None and where is not None
            pointers = Pointers(address, stride, found[0], number, indices=where[0], indices_stride=number)
            key = bounds.key(asked, TOP_K, 0, size, bool(largest), False)
            run(asked, (*key[:8], number, 1), pointers, stream, bounds.addresses)
        wait_for_carried(asked, x)
    if kind_of(x) is not None:
        return values, indices
    return given_back(values, x), given_back(indices, x)
