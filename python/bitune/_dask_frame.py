"""Sorting frames: Dask's own `sort_values`, with bitune as the sort of each partition."""

from __future__ import annotations

import importlib
from typing import Any, Sequence, Union

from ._dask_local import order_of
from ._functions import name_of_dtype
from ._native import KEY_CODES


def sort_values(
    frame: Any,
    by: Union[str, Sequence[str]],
    *,
    ascending: Union[bool, Sequence[bool]] = True,
    na_position: str = "last",
    device: Any = None,
    **options: Any,
) -> Any:
    """Sort a dask frame by a column, or several.

    Parameters
    ----------
    frame : dask frame
        Of partitions of pandas.
    by : str or sequence of str
        Columns, the first one first. Those of numbers, truth values and points in time are sorted by bitune; if one is of
        another kind, pandas sorts the partition.
    ascending : bool, or sequence of bool
        One for all columns, or one for each.
    na_position : {"last", "first"}
        Where missing values go, NaN among them; for descending columns, too.
    device
        As in `bitune.dask.sort`.
    **options
        Of Dask's own `sort_values`: `npartitions`, `shuffle_method`, `upsample`, `ignore_index`, ...

    Returns
    -------
    dask frame

    Notes
    -----
    This is `frame.sort_values(by, sort_function=bitune.dask.sort_partition)`: Dask finds quantiles of the first column by samples,
    shuffles rows to partitions by them, and each partition is sorted by itself. Dask does not promise that a shuffle keeps the order of
    rows; so the sort is stable within a partition, and rows that are equal in all columns may come in another order. Dask looks at
    the first column when this is called.

    Examples
    --------
    >>> import bitune.dask, pandas as pd, dask.dataframe as dd
    >>> frame = dd.from_pandas(pd.DataFrame({"price": [3.0, 1.0, 2.0], "name": ["c", "a", "b"]}), npartitions=2)
    >>> bitune.dask.sort_values(frame, "price")["name"].compute().tolist()
    ['a', 'b', 'c']
    """
    columns = [by] if isinstance(by, str) else list(by)
    direction = ascending if isinstance(ascending, bool) else list(ascending)
    return frame.sort_values(
        columns,
        ascending=direction,
        na_position=na_position,
        sort_function=sort_partition,
        sort_function_kwargs={"device": device},
        **options,
    )


def sort_partition(
    partition: Any,
    by: Union[str, Sequence[str]],
    ascending: Union[bool, Sequence[bool]] = True,
    na_position: str = "last",
    ignore_index: bool = False,
    device: Any = None,
) -> Any:
    """Sort a frame of pandas as `DataFrame.sort_values(kind="stable")` does, by bitune.

    Parameters
    ----------
    partition : pandas.DataFrame
    by, ascending, na_position, device
        As in `sort_values`.
    ignore_index : bool
        Number the rows anew.

    Returns
    -------
    pandas.DataFrame

    Examples
    --------
    >>> import bitune.dask, pandas as pd
    >>> bitune.dask.sort_partition(pd.DataFrame({"price": [3.0, 1.0, 2.0]}), "price").index.tolist()
    [1, 2, 0]
    """
    columns = [by] if isinstance(by, str) else list(by)
    directions = [ascending] * len(columns) if isinstance(ascending, bool) else list(ascending)
    keys = [_keys_of(partition[name]) for name in columns]
    if any(key is None for key in keys):
        return partition.sort_values(
            columns, ascending=directions, na_position=na_position, ignore_index=ignore_index, kind="stable"
        )
    numpy: Any = importlib.import_module("numpy")
    order = numpy.arange(len(partition))
    # The last column first: each sort is stable.
    for (values, missing), is_ascending in reversed(list(zip(keys, directions))):
        lacks = missing[order]
        there, absent = order[~lacks], order[lacks]
        there = there[order_of(values[there], 0, not is_ascending, "int64", device)]
        order = numpy.concatenate([there, absent] if na_position == "last" else [absent, there])
    found = partition.iloc[order]
    return found.reset_index(drop=True) if ignore_index else found


def _keys_of(column: Any) -> Any:
    """A column's elements as keys, and which of them are missing; None for what has no such keys."""
    numpy: Any = importlib.import_module("numpy")
    missing = column.isna().to_numpy()
    kind = getattr(column.dtype, "kind", "O")
    if isinstance(column.dtype, numpy.dtype):
        values = column.to_numpy()
        if kind in "mM":
            values = values.view("int64")
    elif kind in "biuf":  # such as Int64, whose missing elements are no numbers
        values = column.to_numpy(dtype=column.dtype.numpy_dtype, na_value=0)
    else:
        return None
    if kind == "b":
        values = values.view("uint8")
    elif kind == "f":
        values = values + values.dtype.type(0)  # pandas takes -0 and +0 for equal, and further columns decide
    return (values, missing) if name_of_dtype(values.dtype) in KEY_CODES else None
