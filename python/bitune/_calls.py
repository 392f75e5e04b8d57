"""One call: the array that was asked for, where its result goes, and how it reaches the library."""

from __future__ import annotations

import contextlib
import operator
from typing import Any, ContextManager, NamedTuple

from . import _native
from ._arrays import Kind, Rows, kind_of
from ._carried import carried
from ._errors import Error
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
            check_out(asked, dtype, out, argument)
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


def check_out(asked: Asked, dtype: Any, out: Any, argument: str) -> None:
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
