"""Sorting on NVIDIA GPUs by kernels that are compiled and tuned for the very GPU, key type and size at hand.

Takes and gives arrays of NumPy, CuPy, PyTorch and JAX, and others that have `__dlpack__`. The words are those of the
array API standard. Functions may be called from several threads at once, and release the GIL while the library works.

Floating point sorts as in NumPy: NaN last whatever its sign. But -0 always comes before +0; NumPy takes the two for equal. A descending
sort is the exact reverse of an ascending one, so NaN comes first there.
"""

from __future__ import annotations

import importlib
import os
import sys
from typing import Any, TypeVar, cast

from . import _arrays, _functions, _segments
from ._errors import Error, UsageError
from ._functions import problem_of, sort_indices, sort_keys, sort_pairs
from ._multi import MultiSorter, sort_over_devices
from ._native import library as _library
from ._segmented import segmented_argsort, segmented_sort, segmented_sort_by_key
from ._sorters import Limited, limited
from ._top_k import first_keys, first_keys_of_segments
from ._tuning import Database, devices, tune

__all__ = [
    "Database",
    "Error",
    "MultiSorter",
    "UsageError",
    "argsort",
    "devices",
    "explain",
    "prepare",
    "segmented_argsort",
    "segmented_sort",
    "segmented_sort_by_key",
    "sort",
    "sort_by_key",
    "top_k",
    "tune",
]
__version__: str = _library.bitune_version().decode()

Array = TypeVar("Array")


def sort(
    x: Array,
    /,
    *,
    axis: int = -1,
    descending: bool = False,
    stable: bool = True,
    out: Array | None = None,
    stream: Any = None,
    device: Any = None,
    device_memory: int | None = None,
    scratch_folder: str | os.PathLike[str] | None = None,
    devices: Any = None,
) -> Array:
    """Sort an array along an axis.

    Parameters
    ----------
    x : array
        Of integers or floating point of 1 to 8 bytes, float16 or bfloat16, of at least one dimension.
    axis : int
        The axis that is sorted.
    descending : bool
        Largest first.
    stable : bool
        Has no effect here, since equal keys cannot be told apart; it is there for the array API.
    out : array, optional
        Where the result goes: of the library, shape, type and device of x. It may be x itself.
    stream : CUDA stream or int, optional
        For arrays of a GPU; otherwise the current stream of the library of x. The call does not wait for the GPU, but
        for arrays that come by DLPack, as those of JAX.
    device : int, str or None
        For arrays of the host, which are copied to this device and back: a GPU's number or UUID, "auto" (also None)
        for the current GPU, or "emulated". Without a GPU "auto" is an error. Arrays of a GPU are sorted where they are.
    device_memory : int, optional
        For arrays of the host: how many bytes of the device's memory may be taken; None: $BITUNE_DEVICE_MEMORY, else what is
        free. A larger array is sorted in parts, each element going to the device and back twice.
    scratch_folder : path, optional
        For arrays of the host: where what is sorted in parts keeps what does not lie in the result meanwhile, on the disk; None: in
        memory. Of keys alone that is little, with values or indices as much again. With arrays that NumPy maps from files, x may be
        larger than the host's memory.
    devices : sequence of int, or "all", optional
        For one array of the host: several GPUs, each of which sorts a part of it (`MultiSorter`), without the arguments
        before. All of it must fit their memory.

    Returns
    -------
    array
        Of the library, shape, type and device of x; `out` where it is given.

    Raises
    ------
    TypeError, ValueError
        If an argument is wrong; the text begins with its name.
    bitune.Error
        If there is no device or compiler, or the device failed.

    Notes
    -----
    The input is copied first if `axis` is not the last one, if the elements of a row do not lie side by side, if rows
    are not evenly apart, or if NumPy's byte order is not the machine's. The result is copied if `axis` is not the last
    one, or rows of `out` are not evenly apart. A tensor of PyTorch that wants a gradient goes through
    `torch.ops.bitune.sort`.

    Examples
    --------
    >>> import bitune, numpy as np
    >>> bitune.sort(np.array([3.0, 1.0, 2.0], dtype="f4"), device="emulated")
    array([1., 2., 3.], dtype=float32)
    >>> bitune.sort(np.array([[3, 1, 2], [6, 5, 4]]), descending=True, device="emulated")
    array([[3, 2, 1],
           [6, 5, 4]])
    """
    if stream is None and device is None and device_memory is None and scratch_folder is None and devices is None:
        if _short is not None and type(x) is _short.tensor:
            found = _short.sort(x, axis, descending, out)
            if found is not None:
                return cast(Array, found)
    elif devices is not None:
        if any(given is not None for given in (stream, device, device_memory, scratch_folder)):
            raise ValueError("devices: without stream, device, device_memory and scratch_folder")
        return cast(Array, sort_over_devices(x, axis, descending, out, devices))
    else:
        device = limited(device, device_memory, scratch_folder)
    if not isinstance(device, Limited) and out is None and stream is None and _goes_through_torch(x):
        return cast(Array, _torch_ops().sort(x, axis, descending, stable, _name_of(device)))
    return cast(Array, sort_keys(x, axis, descending, out, stream, device))


def argsort(
    x: Any,
    /,
    *,
    axis: int = -1,
    descending: bool = False,
    stable: bool = True,
    index_dtype: Any = "int64",
    return_keys: bool = False,
    out: Any = None,
    stream: Any = None,
    device: Any = None,
    device_memory: int | None = None,
    scratch_folder: str | os.PathLike[str] | None = None,
) -> Any:
    """Indices that sort an array along an axis.

    Parameters
    ----------
    x, axis, descending, stream, device, device_memory, scratch_folder
        As in `sort`.
    stable : bool
        Equal keys keep the order of the input, in a descending sort too. All NaNs are equal keys; -0 and +0 are two.
    index_dtype : str or dtype
        int32, uint32, int64 or uint64. 4 bytes are the faster.
    return_keys : bool
        Give the sorted keys, too, which costs less than a second sort.
    out : array, optional
        Where the indices go: of the library, shape and device of x, and of the index type.

    Returns
    -------
    indices : array
        Of the library, shape and device of x.
    keys : array
        The sorted keys, if `return_keys` is true.

    Raises
    ------
    TypeError, ValueError, bitune.Error
        As `sort`.

    Notes
    -----
    Copies are made where `sort` makes them. A tensor of PyTorch that wants a gradient goes through `torch.ops.bitune.argsort`, which
    has one for the sorted keys.

    Examples
    --------
    >>> import bitune, numpy as np
    >>> bitune.argsort(np.array([30, 10, 20, 10]), device="emulated")
    array([1, 3, 2, 0])
    >>> bitune.argsort(np.array([30, 10, 20, 10]), descending=True, index_dtype="int32", device="emulated")
    array([0, 2, 1, 3], dtype=int32)
    """
    if device_memory is not None or scratch_folder is not None:
        device = limited(device, device_memory, scratch_folder)
    if _short is not None and type(x) is _short.tensor and out is None and stream is None and device is None:
        found = _short.argsort(x, axis, descending, stable, index_dtype, return_keys)
        if found is not None:
            return found
    if not isinstance(device, Limited) and out is None and stream is None and _goes_through_torch(x):
        name = _functions.name_of_dtype(index_dtype)
        indices, keys = _torch_ops().argsort(x, axis, descending, stable, name, return_keys, _name_of(device))
        return (indices, keys) if return_keys else indices
    indices, keys = sort_indices(x, axis, descending, stable, index_dtype, return_keys, out, stream, device)
    return (indices, keys) if return_keys else indices


def sort_by_key(
    keys: Array,
    values: Any,
    /,
    *,
    axis: int = -1,
    descending: bool = False,
    stable: bool = True,
    stream: Any = None,
    device: Any = None,
    device_memory: int | None = None,
    scratch_folder: str | os.PathLike[str] | None = None,
) -> tuple[Array, Any]:
    """Sort keys, and values with them.

    Parameters
    ----------
    keys : array
        As x of `sort`.
    values : array
        Of the library, shape and device of the keys; elements of 1, 2, 4, 8 or 16 bytes, of any type.
    axis, descending, stable, stream, device, device_memory
        As in `argsort`.

    Returns
    -------
    keys, values : arrays

    Raises
    ------
    TypeError, ValueError, bitune.Error
        As `sort`.

    Notes
    -----
    Copies are made where `sort` makes them. For values of other sizes, use `argsort` and take them by the indices.

    Examples
    --------
    >>> import bitune, numpy as np
    >>> keys, values = bitune.sort_by_key(np.array([3, 1, 2]), np.array([30.0, 10.0, 20.0]), device="emulated")
    >>> values
    array([10., 20., 30.])
    """
    if device_memory is not None or scratch_folder is not None:
        device = limited(device, device_memory, scratch_folder)
    if _short is not None and type(keys) is _short.tensor and stream is None and device is None:
        found = _short.sort_by_key(keys, values, axis, descending, stable)
        if found is not None:
            return cast("tuple[Array, Any]", found)
    if not isinstance(device, Limited) and stream is None and _goes_through_torch(keys):
        found = _torch_ops().sort_by_key(keys, values, axis, descending, stable, _name_of(device))
    else:
        found = sort_pairs(keys, values, axis, descending, stable, stream, device)
    return cast("tuple[Array, Any]", tuple(found))


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
    if offsets is None and _segments.is_jagged(x):
        values, offsets, ends = _segments.jagged_parts(x)
        return top_k(
            values, k, offsets=offsets, ends=ends, largest=largest, index_dtype=index_dtype, stream=stream, device=device
        )
    if offsets is not None:
        if device_memory is not None:
            raise TypeError("device_memory: segments are done at once")
        if _goes_through_torch(x):
            raise ValueError("x: the first elements of segments have no gradient, and are not compiled; pass x.detach()")
        return first_keys_of_segments(x, k, offsets, ends, largest, index_dtype, stream, device)
    if ends is not None:
        raise TypeError("ends: they are given with offsets")
    device = limited(device, device_memory)
    if device_memory is None and stream is None and _goes_through_torch(x):
        name = _functions.name_of_dtype(index_dtype)
        found = _torch_ops().top_k(x, k, axis, largest, name, _name_of(device))
        return found[0], found[1]
    return first_keys(x, k, axis, largest, index_dtype, stream, device)


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


_torch: Any = None  # bitune.torch, once it is imported
_short: Any = None  # and the short way for its tensors


def _goes_through_torch(x: Any) -> bool:
    """Whether PyTorch must see an operator: it compiles, wants a gradient, or x is no plain tensor."""
    if _torch is None:
        return "torch" in sys.modules and _import_torch(x)
    return bool(_torch.wants_operator(x))


def _import_torch(x: Any) -> bool:
    kind = _arrays.kind_of(x)
    if not isinstance(kind, _arrays.PyTorch):
        return False
    from . import torch

    return torch.wants_operator(x)


def _torch_ops() -> Any:
    return _torch.operators


def _name_of(device: Any) -> str:
    return "auto" if device is None else str(device)


if hasattr(sys.modules.get("torch"), "library"):
    # Its operators are there for those who imported PyTorch before; others import bitune.torch, or sort a tensor.
    importlib.import_module(".torch", __name__)
