"""The first keys of arrays, with their indices."""

from __future__ import annotations

import operator
from typing import Any

import bitune

from ._arrays import kind_of
from ._calls import Asked, Pointers, ask, last_axis, on_stream, run, wait_for_carried
from ._carried import given_back
from ._functions import index_bytes_of, name_of_dtype
from ._native import TOP_K
from ._segments import ask_segments, is_jagged, jagged_parts
from ._sorters import ProblemKey, limited


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


def top_k(
    x: Any,
    k: int,
    /,
    *,
    axis: int = -1,
    offsets: Any = None,
    ends: Any = None,
    largest: bool = True,
    sorted: bool = True,
    index_dtype: Any = "int64",
    stream: Any = None,
    device: Any = None,
    device_memory: int | None = None,
) -> tuple[Any, Any]:
    """The k largest, or smallest, elements along an axis, and their indices.

    Parameters
    ----------
    x, axis, stream, device, device_memory
        As in `sort`.
    k : int
        How many, from 1 to the length of the axis; of segments from 1 on.
    offsets, ends : array, optional
        As in `segmented_sort`: x has segments of any lengths, and the first of each are given. A nested tensor of PyTorch
        of the jagged layout has its own.
    largest : bool
        Else the smallest.
    sorted : bool
        Has no effect here: the elements always come in order, the largest (or smallest) first. It is there for the array
        API.
    index_dtype : str or dtype
        int32, uint32, int64 or uint64. 4 bytes are the faster.

    Returns
    -------
    values, indices : array
        Of the library and device of x, in its shape but for the axis, which has k elements. Of segments a row of k for
        each, and indices count from the beginning of a segment. What a segment of fewer elements lacks is filled: with
        the element that comes last of all, and with indices of ones in all bits (-1).

    Raises
    ------
    TypeError, ValueError, bitune.Error
        As `sort`.

    Notes
    -----
    Always the same result: of equal elements those with the lowest index are given, in their order. All NaNs are equal
    and larger than all numbers; -0 is smaller than +0. Copies are made where `sort` makes them.

    Examples
    --------
    >>> import bitune, numpy as np
    >>> values, indices = bitune.top_k(np.array([10, 30, 20, 30], dtype="i4"), 3, device="emulated")
    >>> values.tolist(), indices.tolist()
    ([30, 30, 20], [1, 3, 2])
    >>> values, indices = bitune.top_k(np.array([10, 30, 20, 5], dtype="u4"), 2, offsets=[0, 3, 4], device="emulated")
    >>> values.tolist(), indices.tolist()
    ([[30, 20], [5, 0]], [[1, 2], [0, -1]])
    """
    if offsets is None and is_jagged(x):
        values, offsets, ends = jagged_parts(x)
        return top_k(
            values, k, offsets=offsets, ends=ends, largest=largest, index_dtype=index_dtype, stream=stream, device=device
        )
    if offsets is not None:
        if device_memory is not None:
            raise TypeError("device_memory: segments are done at once")
        if bitune._goes_through_torch(x):
            raise ValueError("x: the first elements of segments have no gradient, and are not compiled; pass x.detach()")
        return first_keys_of_segments(x, k, offsets, ends, largest, index_dtype, stream, device)
    if ends is not None:
        raise TypeError("ends: they are given with offsets")
    device = limited(device, device_memory)
    if device_memory is None and stream is None and bitune._goes_through_torch(x):
        name = name_of_dtype(index_dtype)
        found = bitune._torch_ops().top_k(x, k, axis, largest, name, bitune._name_of(device))
        return found[0], found[1]
    return first_keys(x, k, axis, largest, index_dtype, stream, device)
