"""What a call to come would do: made ready before it, or told."""

from __future__ import annotations

import operator
from typing import Any

from ._arrays import kind_of
from ._calls import ask
from ._functions import index_bytes_of, name_of_dtype, sorted_index_bytes
from ._native import ARGSORT, SORT, SORT_PAIRS, TOP_K
from ._sorters import ProblemKey, Sorter, class_of
from ._top_k import checked_k, k_of_segments, key_of

_OPERATIONS = (
    "sort", "argsort", "sort_by_key", "top_k", "segmented_sort", "segmented_argsort", "segmented_sort_by_key",
)  # fmt: skip
_OF_SEGMENTS = "segmented_"


def prepare(
    x: Any,
    /,
    operation: str = "sort",
    *,
    values: Any = None,
    axis: int = -1,
    descending: bool = False,
    stable: bool = True,
    index_dtype: Any = "int64",
    return_keys: bool = False,
    k: int | None = None,
    segments: int | None = None,
    device: Any = None,
) -> None:
    """Compile and load the best for such an array now, so that the call only launches, and can be captured.

    Parameters
    ----------
    x : array
        Only its shape, type and device count.
    operation : {"sort", "argsort", "sort_by_key", "top_k", "segmented_sort", "segmented_argsort", "segmented_sort_by_key"}
    values : array, optional
        Of sort_by_key; only the size of its elements counts.
    k : int, optional
        Of top_k, where `descending` means the largest.
    segments : int, optional
        How many there are, of the segmented ones and of a top_k of segments. What is prepared serves other numbers and lengths of like size.
    axis, descending, stable, index_dtype, return_keys, device
        As in the call to come.

    Raises
    ------
    TypeError, ValueError, bitune.Error
        As `sort`.

    Examples
    --------
    >>> import bitune, numpy as np
    >>> bitune.prepare(np.empty(100, dtype="u4"), device="emulated")
    """
    sorter, key = problem_of(
        x, operation, axis, descending, stable, index_dtype, return_keys, values, device, k, segments
    )
    sorter.prepare(key)


def explain(
    x: Any,
    /,
    operation: str = "sort",
    *,
    values: Any = None,
    axis: int = -1,
    descending: bool = False,
    stable: bool = True,
    index_dtype: Any = "int64",
    return_keys: bool = False,
    k: int | None = None,
    segments: int | None = None,
    device: Any = None,
) -> dict[str, Any]:
    """How a call with such an array sorts, and why.

    Parameters
    ----------
    x, operation, values, k, segments, axis, descending, stable, index_dtype, return_keys, device
        As in `prepare`.

    Returns
    -------
    dict
        "configuration"; "match" (the rung of the selection ladder: exact, near size, near device, shipped, default);
        "reason" (a sentence); "expected_us" (a number or None); "launches"; "compiled_kernels" (when it was
        prepared), "shipped_kernels" and "cached_kernels": where its kernels came from; "awaited": the configuration
        that is being compiled in the background, and then takes the place of this one, or "".

    Raises
    ------
    TypeError, ValueError, bitune.Error
        As `sort`.

    Examples
    --------
    >>> import bitune, numpy as np
    >>> bitune.explain(np.empty(100, dtype="u4"), device="emulated")["match"] in ("shipped", "default")
    True
    """
    sorter, key = problem_of(
        x, operation, axis, descending, stable, index_dtype, return_keys, values, device, k, segments
    )
    return sorter.explain(key)


def _count_of(segments: Any, x: Any) -> int:
    try:
        count = operator.index(segments)
    except TypeError:
        raise TypeError(f"segments: how many there are, an integer, not {type(segments).__name__}") from None
    if count < 1 or len(x.shape) != 1:
        raise ValueError("segments: 1 or more, in an array of one dimension")
    return count


def problem_of(
    x: Any, operation: str, axis: Any, descending: bool, stable: bool, index_dtype: Any, return_keys: bool, values: Any,
    device: Any, k: Any = None, segments: Any = None,
) -> tuple[Sorter, ProblemKey]:  # fmt: skip
    """What a call of this operation with these arrays would ask of which sorter."""
    if operation in _OPERATIONS and operation.startswith(_OF_SEGMENTS):
        sorter, key = problem_of(
            x, operation[len(_OF_SEGMENTS) :], 0, descending, stable, index_dtype, False, values, device
        )
        count = _count_of(segments, x)
        if operation == "segmented_argsort":
            key = (*key[:3], index_bytes_of(name_of_dtype(index_dtype), key[6]), *key[4:])
        return sorter, class_of((*key[:7], count, 0, 1))
    asked = ask(x, axis, device, None)
    if operation == "sort":
        return asked.sorter, asked.key(SORT, 0, 0, bool(descending), False)
    if operation == "argsort":
        size = index_bytes_of(name_of_dtype(index_dtype), asked.length)
        size = sorted_index_bytes(size, asked.length, asked.rows)
        return asked.sorter, asked.key(SORT if return_keys else ARGSORT, 0, size, bool(descending), bool(stable))
    if operation == "sort_by_key":
        kind = kind_of(values)
        if kind is None:
            raise TypeError('values: the array that travels with the keys, for operation="sort_by_key"')
        return asked.sorter, asked.key(SORT_PAIRS, kind.item_bytes(values), 0, bool(descending), bool(stable))
    if operation == "top_k":
        if segments is not None:
            count = _count_of(segments, x)
            size = index_bytes_of(name_of_dtype(index_dtype), asked.length)
            key = asked.key(TOP_K, 0, size, bool(descending), False)
            return asked.sorter, class_of((*key[:7], count, k_of_segments(k), 1))
        size = index_bytes_of(name_of_dtype(index_dtype), asked.length)
        return asked.sorter, key_of(asked, checked_k(k, asked.length), size, bool(descending))
    raise ValueError(f"operation: one of {', '.join(_OPERATIONS)}, not {operation!r}")
