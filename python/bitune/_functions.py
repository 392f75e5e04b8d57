"""Sorting arrays: what the calls mean, and how they become problems and operands of the library."""

from __future__ import annotations

import contextlib
import operator
from typing import Any, ContextManager, NamedTuple

from . import _native
from ._arrays import INDEX_BYTES, Kind, Rows, carried, given_back, kind_of
from ._errors import Error
from ._native import ARGSORT, SORT, SORT_PAIRS, TOP_K
from ._sorters import ProblemKey, Sorter, class_of, sorter_for_gpu, sorter_for_host

_WHY_NOT = {
    "bool": "x: bool cannot be sorted; sort x as uint8 (x.view of that type costs nothing)",
    "complex": "x: complex numbers have no order; sort their real parts, or argsort what orders them",
}


def refuse_dtype(argument: str, dtype: Any) -> TypeError:
    name = str(dtype).rpartition(".")[2]
    for word, sentence in _WHY_NOT.items():
        if name.startswith(word):
            return TypeError(argument + sentence[1:])
    return TypeError(
        f"{argument}: elements of type {dtype} cannot be sorted; there are integers and floating point of 1 to 8 bytes, "
        "float16 and bfloat16"
    )


class Asked(NamedTuple):
    """An array as it was given, ready to be sorted along its last axis."""

    array: Any
    kind: Kind
    code: int
    axis: int
    length: int
    rows: int
    gpu: int
    sorter: Sorter

    def key(self, operation: int, value_bytes: int, index_bytes: int, descending: bool, stable: bool) -> ProblemKey:
        # Keys alone are stable anyway: equal ones cannot be told apart.
        stable = stable and (value_bytes != 0 or index_bytes != 0)
        return (operation, self.code, value_bytes, index_bytes, descending, stable, self.length, self.rows)


def ask(x: Any, axis: Any, device: Any, stream: Any, argument: str = "x") -> Asked:
    """Checks what all functions have in common. Raises TypeError and ValueError that name the argument."""
    kind = kind_of(x)
    if kind is None:
        x, kind = carried(x, argument)
    x = kind.accept(x, argument)
    code = kind.code_of(x.dtype)
    if code < 0:
        raise refuse_dtype(argument, x.dtype)
    shape = x.shape
    ndim = len(shape)
    if ndim == 0:
        raise ValueError(f"{argument}: an array without dimensions has no order; give one with at least one axis")
    try:
        place = operator.index(axis)
    except TypeError:
        raise TypeError(f"axis: an integer, not {type(axis).__name__}") from None
    if not -ndim <= place < ndim:
        raise ValueError(f"axis: {place} is none of an array with {ndim} dimension{'s' if ndim > 1 else ''}")
    place %= ndim
    gpu = kind.location(x)
    if gpu < 0:
        if stream is not None:
            raise ValueError(f"stream: {argument} is in the host's memory, and its sort is done when the call returns")
        sorter = sorter_for_host(device)
    else:
        sorter = sorter_for_gpu(gpu, device)
    length = shape[place]
    rows = 1
    for i, other in enumerate(shape):
        if i != place:
            rows *= other
    return Asked(x, kind, code, place, length, rows, gpu, sorter)


def on_stream(asked: Asked, stream: Any) -> ContextManager[Any]:
    """The given stream, and the GPU of the array, are current while this is open."""
    if asked.gpu < 0 or (stream is None and asked.kind.follows_arrays):
        return contextlib.nullcontext()
    return asked.kind.on_stream(stream, asked.gpu)


def rows_of(asked: Asked, array: Any) -> Rows:
    """Where rows begin, or None where the library wants a copy of the array."""
    rows = asked.kind.rows(array)
    if rows is not None and asked.gpu < 0 and asked.rows > 1 and rows[1] != asked.length:
        return None  # bitune_run_host takes rows for packed, whatever their stride
    return rows


def last_axis(asked: Asked, array: Any) -> tuple[Any, int, int]:
    """The array with the axis that is sorted last, its address, and its row stride; a copy where it must be one."""
    kind = asked.kind
    if asked.axis != len(array.shape) - 1:
        array = kind.moved(array, asked.axis, -1)
    rows = rows_of(asked, array)
    if rows is None:
        array = kind.contiguous(array)
        rows = kind.rows(array)
        assert rows is not None
    return array, rows[0], rows[1]


class Output:
    """Where a result goes: straight into `out`, or into memory of its own that is copied at the end."""

    def __init__(self, asked: Asked, dtype: Any, out: Any, argument: str = "out") -> None:
        self.asked = asked
        self.out = out
        array, kind = asked.array, asked.kind
        if out is not None:
            _check_out(asked, dtype, out, argument)
            if asked.axis == len(array.shape) - 1:
                rows = rows_of(asked, out)
                if rows is not None:
                    self.result = out
                    self.address, self.stride = rows
                    return
        axis = asked.axis
        if axis == len(array.shape) - 1:
            self.result = kind.empty_like(array, dtype)
        else:
            shape = tuple(array.shape)
            self.result = kind.empty(shape[:axis] + shape[axis + 1 :] + (shape[axis],), dtype, array)
        rows = kind.rows(self.result)
        assert rows is not None
        self.address, self.stride = rows

    def take(self) -> Any:
        """The result in the shape of the input, once the sort is enqueued."""
        if self.result is self.out:
            return self.out
        asked, result = self.asked, self.result
        is_last = asked.axis == len(asked.array.shape) - 1
        if not is_last:
            result = asked.kind.moved(result, -1, asked.axis)
        if self.out is not None:
            asked.kind.copy_into(self.out, result)
            return self.out
        return result if is_last else asked.kind.contiguous(result)


def _check_out(asked: Asked, dtype: Any, out: Any, argument: str) -> None:
    if kind_of(out) is not asked.kind:
        raise TypeError(f"{argument}: an array of the library of x, not {type(out).__name__}")
    if tuple(out.shape) != tuple(asked.array.shape):
        raise ValueError(f"{argument}: its shape is {tuple(out.shape)}, and {tuple(asked.array.shape)} is needed")
    if out.dtype != dtype:
        raise TypeError(f"{argument}: its elements are {out.dtype}, and {dtype} is needed")
    if asked.kind.location(out) != asked.gpu:
        raise ValueError(f"{argument}: it is not on the device of x")
    flags = getattr(out, "flags", None)
    if flags is not None and getattr(flags, "writeable", True) is False:
        raise ValueError(f"{argument}: it cannot be written")


class Pointers(NamedTuple):
    """Addresses and row strides of one call; 0 where there is none."""

    keys_in: int = 0
    keys_in_stride: int = 0
    keys_out: int = 0
    keys_out_stride: int = 0
    values_in: int = 0
    values_in_stride: int = 0
    values_out: int = 0
    values_out_stride: int = 0
    indices: int = 0
    indices_stride: int = 0


def run(asked: Asked, key: ProblemKey, pointers: Pointers, stream: Any, bounds: tuple[int, int, int] = (0, 0, 0)) -> None:
    """Sorts now (arrays of the host), or enqueues the sort on the stream, else the current one.

    `bounds`, of segments: addresses of offsets and ends (0: none), and bytes of each.
    """
    sorter = asked.sorter
    if asked.gpu < 0:
        operands = _native.operands_bytes(*pointers, 0, 0, *bounds)
        status = _native.run_host(sorter.handle, sorter.problem(key), operands, None)
    else:
        kind = asked.kind
        # Segments of one class are prepared together.
        known_by = class_of(key) if bounds[2] else key
        known = sorter.workspaces.get(known_by)
        if known is None:
            if kind.is_capturing():
                raise Error("the stream is being captured, and this problem was not prepared: call bitune.prepare before", "capture")
            known = sorter.prepared(known_by)
        problem, size = known
        if bounds[2]:
            problem = sorter.problem(key)
        memory, address = kind.workspace(size, asked.gpu) if size else (None, 0)
        operands = _native.operands_bytes(*pointers, address, size, *bounds)
        # The library's allocator hands this memory out again in the order of the stream: it may go when this returns.
        status = _native.run(sorter.handle, problem, operands, kind.current_stream(asked.gpu))
        del memory
    if status != 0:
        raise _native.last_error(status)


def wait_for_carried(asked: Asked, given: Any) -> None:
    """An array that came by DLPack is its library's again when the call returns, which may give its memory away at once."""
    if asked.gpu >= 0 and kind_of(given) is None:
        asked.kind.wait(asked.gpu)


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
                _check_out(asked, wide, out, "out")
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


_OPERATIONS = (
    "sort", "argsort", "sort_by_key", "top_k", "segmented_sort", "segmented_argsort", "segmented_sort_by_key",
)  # fmt: skip
_OF_SEGMENTS = "segmented_"


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
        from ._top_k import checked_k, k_of_segments, key_of

        if segments is not None:
            count = _count_of(segments, x)
            size = index_bytes_of(name_of_dtype(index_dtype), asked.length)
            key = asked.key(TOP_K, 0, size, bool(descending), False)
            return asked.sorter, class_of((*key[:7], count, k_of_segments(k), 1))
        size = index_bytes_of(name_of_dtype(index_dtype), asked.length)
        return asked.sorter, key_of(asked, checked_k(k, asked.length), size, bool(descending))
    raise ValueError(f"operation: one of {', '.join(_OPERATIONS)}, not {operation!r}")
