"""The functions for segments: arrays of any lengths, one behind the other."""

from __future__ import annotations

from typing import Any, TypeVar, cast

import bitune

from . import _segments

Array = TypeVar("Array")


def segmented_sort(
    x: Array,
    offsets: Any = None,
    /,
    *,
    ends: Any = None,
    descending: bool = False,
    stable: bool = True,
    out: Array | None = None,
    stream: Any = None,
    device: Any = None,
) -> Array:
    """Sort segments of any lengths, each on its own: the lists of a list of lists, one behind the other.

    Parameters
    ----------
    x : array
        Of one dimension, with elements as those of `sort`. Or a nested tensor of PyTorch of the jagged layout, which has
        its own offsets: each of its rows is sorted.
    offsets : array
        Where each segment begins, and behind these where the last one ends: one more than there are segments. Of
        int32, uint32, int64 or uint64, on the device of x; for arrays of the host a list will do.
    ends : array, optional
        Where each segment ends. Then there are as many offsets as segments. Segments may lie in any order, with gaps
        between them, but none may overlap another.
    descending, stable, stream, device
        As in `sort`.
    out : array, optional
        Where the result goes: of the library, shape, type and device of x. It may be x itself. What is in no segment
        stays as it is there.

    Returns
    -------
    array
        Of the library, shape, type and device of x; `out` where it is given. Without `out`, elements in no segment are
        those of x; but on a GPU without `ends` those before the first segment and behind the last one are undefined.

    Raises
    ------
    TypeError, ValueError
        If an argument is wrong; the text begins with its name.
    bitune.Error
        As `sort`. For arrays of the host also if a segment ends before it begins or behind the elements, or overlaps
        another. On a GPU offsets are read on the device alone, and nothing waits for the host: wrong ones touch no
        memory outside x, but what becomes of its elements is not said.

    Notes
    -----
    What is prepared for one call serves all whose number of segments and mean length round up to the same powers of
    two. So does a CUDA graph, for other offsets in the same memory. A tensor of PyTorch that wants a gradient goes
    through `torch.ops.bitune.segmented_sort`.

    Examples
    --------
    >>> import bitune, numpy as np
    >>> bitune.segmented_sort(np.array([3, 1, 2, 9, 8]), [0, 3, 3, 5], device="emulated")
    array([1, 2, 3, 8, 9])
    """
    def sort(values: Any, first: Any, last: Any) -> Any:
        if out is None and stream is None and bitune._goes_through_torch(values):
            return bitune._torch_ops().segmented_sort(values, first, last, descending, stable, bitune._name_of(device))
        return _segments.sort_segments(values, first, last, descending, out, stream, device)

    return cast(Array, _of_jagged(x, sort) if offsets is None else sort(x, offsets, ends))


def segmented_argsort(
    x: Any,
    offsets: Any = None,
    /,
    *,
    ends: Any = None,
    descending: bool = False,
    stable: bool = True,
    index_dtype: Any = "int64",
    stream: Any = None,
    device: Any = None,
) -> Any:
    """Indices that sort segments, each on its own.

    Parameters
    ----------
    x, offsets, ends, stream, device
        As in `segmented_sort`.
    descending, stable, index_dtype
        As in `argsort`.

    Returns
    -------
    array
        Of the library, shape and device of x. An index counts from the beginning of its segment. Elements in no segment
        have an index of ones in all bits (-1); but on a GPU without `ends` those before the first segment and behind the
        last one are undefined.

    Raises
    ------
    TypeError, ValueError, bitune.Error
        As `segmented_sort`.

    Examples
    --------
    >>> import bitune, numpy as np
    >>> bitune.segmented_argsort(np.array([3, 1, 2, 9, 8]), [0, 3, 5], device="emulated")
    array([1, 2, 0, 1, 0])
    """
    def sort(values: Any, first: Any, last: Any) -> Any:
        return _segments.argsort_segments(values, first, last, descending, stable, index_dtype, stream, device)

    return _of_jagged(x, sort) if offsets is None else sort(x, offsets, ends)


def segmented_sort_by_key(
    keys: Array,
    values: Any,
    offsets: Any,
    /,
    *,
    ends: Any = None,
    descending: bool = False,
    stable: bool = True,
    stream: Any = None,
    device: Any = None,
) -> tuple[Array, Any]:
    """Sort the keys of segments, each on its own, and values with them.

    Parameters
    ----------
    keys : array
        As x of `segmented_sort`.
    values : array
        Of the library, shape and device of the keys; elements of 1, 2, 4, 8 or 16 bytes, of any type.
    offsets, ends, descending, stable, stream, device
        As in `segmented_sort`. Equal keys keep the order of the input, unless `stable` is false.

    Returns
    -------
    keys, values : arrays

    Raises
    ------
    TypeError, ValueError, bitune.Error
        As `segmented_sort`.

    Examples
    --------
    The columns of each row of a sparse matrix (CSR, of SciPy or CuPy) in order, with their data:

    >>> import bitune, numpy as np
    >>> indptr, indices, data = np.array([0, 3, 5]), np.array([2, 0, 1, 4, 3]), np.array([0.2, 0.0, 0.1, 1.4, 1.3])
    >>> indices, data = bitune.segmented_sort_by_key(indices, data, indptr, device="emulated")
    >>> indices
    array([0, 1, 2, 3, 4])
    >>> data
    array([0. , 0.1, 0.2, 1.3, 1.4])
    """
    found = _segments.sort_segment_pairs(keys, values, offsets, ends, descending, stable, stream, device)
    return cast("tuple[Array, Any]", found)


def _of_jagged(x: Any, sort: Any) -> Any:
    """Sorts the rows of a nested tensor."""
    if not _segments.is_jagged(x):
        raise TypeError("offsets: where the segments of x begin and the last one ends; only nested tensors have their own")
    values, offsets, ends = _segments.jagged_parts(x)
    return _segments.jagged_like(sort(values, offsets, ends), x)
