"""Segments of any lengths, which lie one behind the other in an array: each is sorted on its own."""

from __future__ import annotations

from importlib import import_module
from typing import Any, NamedTuple, cast

from ._arrays import INDEX_BYTES, kind_of
from ._calls import Asked, Output, Pointers, ask, last_axis, on_stream, run, wait_for_carried
from ._carried import carried, given_back
from ._functions import index_bytes_of, name_of_dtype, values_for
from ._native import ARGSORT, SORT, SORT_PAIRS
from ._sorters import ProblemKey


class Bounds(NamedTuple):
    """Where segments lie."""

    segments: int
    addresses: tuple[int, int, int]  # of offsets and ends, and the bytes of each
    kept: tuple[Any, ...]  # the arrays that the addresses are of
    leave_gaps: bool  # there may be elements in no segment

    def key(self, asked: Asked, operation: int, value_bytes: int, index_bytes: int, descending: Any, stable: Any) -> ProblemKey:
        key = asked.key(operation, value_bytes, index_bytes, bool(descending), bool(stable))
        return (*key[:7], self.segments, 0, 1)


def _numbers(asked: Asked, given: Any, argument: str) -> tuple[Any, int, int]:
    """The array itself or a copy, how many there are, and the bytes of each."""
    kind = kind_of(given)
    if kind is None and asked.gpu < 0 and isinstance(given, (list, tuple)):
        import numpy

        given = numpy.asarray(cast(Any, given), dtype="int64")
        kind = kind_of(given)
    if kind is None:
        given, kind = carried(given, argument)
    if kind is not asked.kind and not (asked.gpu < 0 and kind.location(given) < 0):
        raise TypeError(f"{argument}: an array of the library of x, not {type(given).__name__}")
    if kind.location(given) != asked.gpu:
        raise ValueError(f"{argument}: they are not on the device of x")
    size = INDEX_BYTES.get(name_of_dtype(given.dtype))
    if size is None:
        raise TypeError(f"{argument}: int32, uint32, int64 or uint64, not {given.dtype}")
    if len(given.shape) != 1:
        raise ValueError(f"{argument}: a list of numbers, not an array with {len(given.shape)} dimensions")
    given = kind.contiguous(kind.accept(given, argument))
    return given, int(given.shape[0]), size


def _address(array: Any) -> int:
    kind = kind_of(array)
    assert kind is not None
    if array.shape[0] == 0:
        return 0
    rows = kind.rows(array)
    assert rows is not None
    return rows[0]


def ask_segments(x: Any, offsets: Any, ends: Any, stream: Any, device: Any, argument: str = "x") -> tuple[Asked, Bounds]:
    """Checks what all functions of segments have in common."""
    asked = ask(x, 0, device, stream, argument)
    if len(asked.array.shape) != 1:
        raise ValueError(f"{argument}: segments lie in an array of one dimension, not of {len(asked.array.shape)}")
    with on_stream(asked, stream):
        first, count, size = _numbers(asked, offsets, "offsets")
        if ends is None:
            if count == 0:
                raise ValueError("offsets: one more than there are segments, so at least one")
            return asked, Bounds(count - 1, (_address(first), 0, size), (first,), asked.gpu < 0)
        last, number, ends_size = _numbers(asked, ends, "ends")
        if number != count:
            raise ValueError(f"ends: {number}, and there are {count} offsets; each segment has one of each")
        if ends_size != size:
            raise TypeError(f"ends: elements of {ends_size} bytes, and the offsets have {size}; both are of one width")
        return asked, Bounds(count, (_address(first), _address(last), size), (first, last), True)


def _result(asked: Asked, bounds: Bounds, array: Any, out: Any = None) -> Output:
    """Where sorted elements go. What is in no segment stays there as it is in the array."""
    output = Output(asked, array.dtype, out)
    if (bounds.leave_gaps and out is None) or output.result is not out:
        asked.kind.copy_into(output.result, array if out is None else out)
    return output


def _has_work(asked: Asked, bounds: Bounds) -> bool:
    return asked.length > 0 and bounds.segments > 0


def sort_segments(x: Any, offsets: Any, ends: Any, descending: Any, out: Any, stream: Any, device: Any) -> Any:
    asked, bounds = ask_segments(x, offsets, ends, stream, device)
    with on_stream(asked, stream):
        output = _result(asked, bounds, asked.array, out)
        if _has_work(asked, bounds):
            _kept, address, stride = last_axis(asked, asked.array)
            pointers = Pointers(address, stride, output.address, output.stride)
            run(asked, bounds.key(asked, SORT, 0, 0, descending, False), pointers, stream, bounds.addresses)
        result = output.take()
        wait_for_carried(asked, x)
    return result if kind_of(x) is not None else given_back(result, x)


def argsort_segments(
    x: Any, offsets: Any, ends: Any, descending: Any, stable: Any, index_dtype: Any, stream: Any, device: Any
) -> Any:
    asked, bounds = ask_segments(x, offsets, ends, stream, device)
    name = name_of_dtype(index_dtype)
    size = index_bytes_of(name, asked.length)
    with on_stream(asked, stream):
        indices = Output(asked, asked.kind.index_dtype(name), None)
        if bounds.leave_gaps:
            asked.kind.set_all_bits(indices.result)
        if _has_work(asked, bounds):
            _kept, address, stride = last_axis(asked, asked.array)
            pointers = Pointers(address, stride, indices=indices.address, indices_stride=indices.stride)
            run(asked, bounds.key(asked, ARGSORT, 0, size, descending, stable), pointers, stream, bounds.addresses)
        result = indices.take()
        wait_for_carried(asked, x)
    return result if kind_of(x) is not None else given_back(result, x)


def sort_segment_pairs(
    keys: Any, values: Any, offsets: Any, ends: Any, descending: Any, stable: Any, stream: Any, device: Any
) -> tuple[Any, Any]:
    asked, bounds = ask_segments(keys, offsets, ends, stream, device, "keys")
    carried_values, size = values_for(asked, values)
    with on_stream(asked, stream):
        sorted_keys = _result(asked, bounds, asked.array)
        sorted_values = _result(asked, bounds, carried_values)
        if _has_work(asked, bounds):
            _kept, address, stride = last_axis(asked, asked.array)
            _kept_too, value_address, value_stride = last_axis(asked, carried_values)
            pointers = Pointers(
                address, stride, sorted_keys.address, sorted_keys.stride,
                value_address, value_stride, sorted_values.address, sorted_values.stride,
            )  # fmt: skip
            run(asked, bounds.key(asked, SORT_PAIRS, size, 0, descending, stable), pointers, stream, bounds.addresses)
        found = sorted_keys.take(), sorted_values.take()
        wait_for_carried(asked, keys)
    if kind_of(keys) is not None:
        return found
    return given_back(found[0], keys), given_back(found[1], values)


def is_jagged(x: Any) -> bool:
    """Whether x is a nested tensor of PyTorch, of the jagged layout."""
    return bool(getattr(x, "is_nested", False)) and str(getattr(x, "layout", "")) == "torch.jagged"


def jagged_parts(x: Any, argument: str = "x") -> tuple[Any, Any, Any]:
    """The elements of a nested tensor, and offsets and ends (or None) of its rows."""
    if x.dim() != 2:
        raise ValueError(f"{argument}: a nested tensor of rows of elements has 2 dimensions, not {x.dim()}")
    offsets, lengths = x.offsets(), x.lengths()
    if lengths is None:
        return x.values(), offsets, None
    begins = offsets[: lengths.shape[0]]
    return x.values(), begins, begins + lengths


def jagged_like(values: Any, x: Any) -> Any:
    """A nested tensor with the rows of x, and other elements."""
    torch: Any = import_module("torch")
    return torch.nested.nested_tensor_from_jagged(values, x.offsets(), x.lengths())
