"""Sorting Dask's arrays and frames, and tuning the GPUs of a cluster.

Chunks are sorted by bitune on the GPU of the worker that has them: those of CuPy where they are, and those of NumPy by way of the
GPU. A worker without a GPU sorts by NumPy, in the same order, and says so once in its log (the logger "bitune.dask"). Dask's own
scheduler does the rest: tasks, communication, and what a lost worker's part is done again for.

An array of one dimension and p chunks is sorted chunk by chunk; then the sorted chunks are cut exactly where the chunks of the result
begin, and each of these is sorted from its p pieces. So the chunks of the result are as long as those of the array, whatever the keys. Where
lengths are not known before, the result has p chunks of equal length. There are about p * p small tasks: some hundred chunks are fine.

An array of more dimensions is sorted along an axis that is one chunk first; Dask's `rechunk` does that where it is not.

Nothing is computed before the result is. All is stable, and NaN comes last (first in a descending sort), as in `bitune.sort`.
"""

from __future__ import annotations

import importlib
import operator
from typing import Any

from . import _dask_graph as graph
from ._arrays import INDEX_BYTES
from ._dask_frame import sort_partition, sort_values
from ._dask_local import first_of, order_of, sorted_keys, taken
from ._dask_tune import tune
from ._calls import refuse_dtype
from ._functions import index_bytes_of, name_of_dtype
from ._native import KEY_CODES

__all__ = ["argsort", "sort", "sort_by_key", "sort_partition", "sort_values", "top_k", "tune"]


def sort(x: Any, /, *, axis: int = -1, descending: bool = False, stable: bool = True, device: Any = None) -> Any:
    """Sort a dask array along an axis.

    Parameters
    ----------
    x : dask array
        Of chunks of NumPy or CuPy, of a type that `bitune.sort` takes. Lengths of chunks may be uneven, 0, or unknown.
    axis : int
        The axis that is sorted.
    descending : bool
        Largest first.
    stable : bool
        Has no effect here: all sorts of dask arrays are stable.
    device : int, str or None
        Of a worker, for chunks of NumPy, as in `bitune.sort`. None: its GPU, or NumPy where it has none.

    Returns
    -------
    dask array
        With the chunks of x; along an axis that was several chunks of an array of more than one dimension: one chunk.

    Raises
    ------
    TypeError, ValueError
        If an argument is wrong; the text begins with its name.

    Examples
    --------
    >>> import bitune.dask, numpy as np, dask.array as da
    >>> x = da.from_array(np.array([3.0, np.nan, -1.0, 2.0, 0.0]), chunks=2)
    >>> y = bitune.dask.sort(x)
    >>> y.chunks
    ((2, 2, 1),)
    >>> y.compute()
    array([-1.,  0.,  2.,  3., nan])
    """
    x, axis = _checked(x, axis)
    if x.ndim > 1:
        return _whole(x, axis).map_blocks(sorted_keys, axis, bool(descending), device, dtype=x.dtype, meta=x._meta)
    runs = [graph.task(graph.run_of_keys)(chunk, bool(descending), device) for chunk in graph.chunks_of(x)]
    parts = graph.sorted_parts(runs, graph.wanted_lengths(x), bool(descending), device)
    return graph.array_of(parts, 0, x._meta, x.chunks[0])


def argsort(
    x: Any, /, *, axis: int = -1, descending: bool = False, stable: bool = True, index_dtype: Any = "int64", device: Any = None
) -> Any:
    """Indices that sort a dask array along an axis.

    Parameters
    ----------
    x, axis, descending, stable, device
        As in `sort`. Equal keys keep their order, in a descending sort, too.
    index_dtype : str or dtype
        int32, uint32, int64 or uint64.

    Returns
    -------
    dask array
        Of indices in the whole of x, with the chunks that `sort` gives.

    Raises
    ------
    TypeError, ValueError
        As `sort`.

    Examples
    --------
    >>> import bitune.dask, numpy as np, dask.array as da
    >>> bitune.dask.argsort(da.from_array(np.array([30, 10, 20, 10]), chunks=2)).compute()
    array([1, 3, 2, 0])
    """
    x, axis = _checked(x, axis)
    name = _index_name(x, axis, index_dtype)
    if x.ndim > 1:
        return _whole(x, axis).map_blocks(
            order_of, axis, bool(descending), name, device, dtype=name, meta=x._meta.astype(name)
        )
    runs = [graph.task(graph.run_of_indices)(chunk, bool(descending), device) for chunk in graph.chunks_of(x)]
    parts = graph.sorted_parts(runs, graph.wanted_lengths(x), bool(descending), device, offset=True)
    return graph.array_of(parts, 1, x._meta.astype(name), x.chunks[0])


def sort_by_key(
    keys: Any, values: Any, /, *, axis: int = -1, descending: bool = False, stable: bool = True, device: Any = None
) -> tuple[Any, Any]:
    """Sort keys, and values with them.

    Parameters
    ----------
    keys : dask array
        As x of `sort`.
    values : dask array
        Of the shape of the keys and any type. Where lengths are not known, as many chunks as the keys have, of the same lengths.
    axis, descending, stable, device
        As in `argsort`.

    Returns
    -------
    keys, values : dask arrays
        With the chunks that `sort` gives.

    Raises
    ------
    TypeError, ValueError
        As `sort`; where lengths are not known before, ValueError when the result is computed.

    Examples
    --------
    >>> import bitune.dask, numpy as np, dask.array as da
    >>> keys = da.from_array(np.array([3, 1, 2]), chunks=2)
    >>> values = da.from_array(np.array([30.0, 10.0, 20.0]), chunks=2)
    >>> bitune.dask.sort_by_key(keys, values)[1].compute()
    array([10., 20., 30.])
    """
    keys, axis = _checked(keys, axis, "keys")
    values = _beside(keys, values)
    if keys.ndim > 1:
        keys, values = _whole(keys, axis), _whole(values, axis)
        order = argsort(keys, axis=axis, descending=descending, device=device)
        array: Any = importlib.import_module("dask.array")
        taken_keys, taken_values = (array.map_blocks(taken, x, order, axis, dtype=x.dtype, meta=x._meta) for x in (keys, values))
        return taken_keys, taken_values
    runs = [
        graph.task(graph.run_of_pairs)(chunk, with_it, bool(descending), device)
        for chunk, with_it in zip(graph.chunks_of(keys), graph.chunks_of(values))
    ]
    parts = graph.sorted_parts(runs, graph.wanted_lengths(keys), bool(descending), device)
    lengths = keys.chunks[0]
    return graph.array_of(parts, 0, keys._meta, lengths), graph.array_of(parts, 1, values._meta, lengths)


def top_k(
    x: Any, k: int, /, *, axis: int = -1, largest: bool = True, sorted: bool = True, index_dtype: Any = "int64", device: Any = None
) -> tuple[Any, Any]:
    """The k largest, or smallest, elements along an axis, and their indices.

    Parameters
    ----------
    x, axis, device
        As in `sort`.
    k : int
        How many, from 1 to the length of the axis.
    largest : bool
        Else the smallest.
    sorted : bool
        Has no effect here: elements always come in order, as in `bitune.top_k`.
    index_dtype : str or dtype
        int32, uint32, int64 or uint64.

    Returns
    -------
    values, indices : dask arrays
        With k elements along the axis, in one chunk. Of equal elements those with the lowest index are given.

    Raises
    ------
    TypeError, ValueError
        As `sort`; where lengths are not known before, ValueError for a k that is too large when the result is computed.

    Examples
    --------
    >>> import bitune.dask, numpy as np, dask.array as da
    >>> values, indices = bitune.dask.top_k(da.from_array(np.array([10, 30, 20, 30]), chunks=2), 3)
    >>> values.compute().tolist(), indices.compute().tolist()
    ([30, 30, 20], [1, 3, 2])
    """
    x, axis = _checked(x, axis)
    try:
        k = operator.index(k)
    except TypeError:
        raise TypeError(f"k: an integer, not {type(k).__name__}") from None
    length = x.shape[axis]
    if k < 1 or k > length:  # not where the length is NaN, unknown
        raise ValueError(f"k: from 1 to the {length} keys of the axis, not {k}")
    name = _index_name(x, axis, index_dtype)
    array: Any = importlib.import_module("dask.array")
    if x.ndim > 1:
        x = _whole(x, axis)
        chunks = (*x.chunks[:axis], (k,), *x.chunks[axis + 1 :])
        indices = x.map_blocks(first_of, k, axis, bool(largest), name, device, dtype=name, meta=x._meta.astype(name), chunks=chunks)
        return array.map_blocks(taken, x, indices, axis, dtype=x.dtype, meta=x._meta, chunks=chunks), indices
    first = graph.first_parts(x, k, bool(largest), device)
    return graph.array_of([first], 0, x._meta, (k,)), graph.array_of([first], 1, x._meta.astype(name), (k,))


def _checked(x: Any, axis: Any, argument: str = "x") -> tuple[Any, int]:
    array: Any = importlib.import_module("dask.array")
    if not isinstance(x, array.Array):
        raise TypeError(f"{argument}: a dask array, not {type(x).__name__}")
    if name_of_dtype(x.dtype) not in KEY_CODES:
        raise refuse_dtype(argument, x.dtype)
    if x.ndim == 0:
        raise ValueError(f"{argument}: an array without dimensions has no order; give one with at least one axis")
    try:
        place = operator.index(axis)
    except TypeError:
        raise TypeError(f"axis: an integer, not {type(axis).__name__}") from None
    if not -x.ndim <= place < x.ndim:
        raise ValueError(f"axis: {place} is none of an array with {x.ndim} dimension{'s' if x.ndim > 1 else ''}")
    if not x.dtype.isnative:
        x = x.astype(x.dtype.newbyteorder("="))
    return x, place % x.ndim


def _whole(x: Any, axis: int) -> Any:
    """The array with its axis in one chunk."""
    if x.numblocks[axis] == 1:
        return x
    if any(length != length for length in x.chunks[axis]):
        raise ValueError("axis: its chunks have unknown lengths, and must become one; call compute_chunk_sizes() on the array before")
    return x.rechunk({axis: -1})


def _index_name(x: Any, axis: int, index_dtype: Any) -> str:
    name = name_of_dtype(index_dtype)
    length = x.shape[axis]
    index_bytes_of(name, length if length == length else 0)
    assert name in INDEX_BYTES
    return name


def _beside(keys: Any, values: Any) -> Any:
    """Values in the chunks of the keys."""
    array: Any = importlib.import_module("dask.array")
    if not isinstance(values, array.Array):
        raise TypeError(f"values: a dask array, not {type(values).__name__}")
    if values.ndim != keys.ndim or any(a != b for a, b in zip(keys.shape, values.shape) if a == a and b == b):
        raise ValueError(f"values: their shape is {values.shape}, and that of the keys {keys.shape}")
    if values.chunks == keys.chunks:
        return values
    if all(length == length for x in (keys, values) for lengths in x.chunks for length in lengths):
        return values.rechunk(keys.chunks)
    if values.numblocks != keys.numblocks:
        raise ValueError(
            f"values: {values.numblocks} chunks, and the keys have {keys.numblocks}; lengths are not known, so that "
            "chunks must correspond, or call compute_chunk_sizes() on both before"
        )
    return values
