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

from . import _arrays, _functions
from ._errors import Error, UsageError
from ._functions import sort_indices, sort_keys, sort_pairs
from ._multi import MultiSorter, sort_over_devices
from ._native import library as _library
from ._preparing import explain, prepare
from ._segmented import segmented_argsort, segmented_sort, segmented_sort_by_key
from ._sorters import Limited, limited
from ._top_k import top_k
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
