"""The short way for plain tensors that lie packed in a GPU's memory, sorted along their last axis.

What a call needs beside its addresses is found once for each problem and kept: a call then only looks it up, takes new
tensors, and launches. All other calls, and the first of each problem, go the long way (_calls.py), which checks.
What each call does is in the module _short_way, which is compiled (python/native), and here for where that is not.
"""

from __future__ import annotations

import ctypes
import functools
import struct
from typing import Any, Callable, NamedTuple

import torch
from torch import Tensor

from . import _calls, _functions, _native, _sorters
from ._arrays import kind_of
from ._native import ARGSORT, SORT, SORT_PAIRS

# Bound here: each name that is looked up in a call takes its time.
empty_like = torch.empty_like
is_compiling = torch.compiler.is_compiling

# As torch.compile makes tensors, in half of empty_like's time; on the current device.
_empty_strided = getattr(getattr(getattr(torch._C, "_dynamo", None), "guards", None), "_empty_strided_cuda", None)

_HEAD = struct.Struct("=4Q")
_run_address = ctypes.cast(_native.run, ctypes.c_void_p).value


class Call(NamedTuple):
    """What calls with tensors of one type, shape and device have in common. The module _short_way knows all but the last two."""

    packed: bytes  # the address of bitune_run, the sorter, elements and row stride of all operands, the problem
    gpu: int
    new_workspace: Callable[[], tuple[Any, int]] | None  # what holds it, its address
    workspace_bytes: int
    new_keys: Callable[[], Any]
    new_others: Callable[[], Any]  # values, or indices as the library writes them
    index_dtype: Any  # these are made wider if this is another


def is_plain(x: Any) -> bool:
    """Whether elements lie side by side as they are, and it wants no gradient."""
    try:
        # Of memory whose elements are the negated ones, is_neg.
        return x.is_contiguous() and not x.is_neg() and not x.requires_grad
    except RuntimeError:  # a sparse tensor
        return False


def key_of(x: Any, more: Any) -> Any:
    """By what of x and by what else a call is kept."""
    return x.dtype, x.shape, x.device, more


def find(calls: dict[Any, Call | None], x: Any, more: Any) -> Call | None:
    """The call for what x is, and `more`; None where the long way must be taken. KeyError where it was not met before."""
    call = calls[key_of(x, more)]
    return call if call is not None and is_plain(x) else None


def launch(call: Call, current_stream: Any, *tensors: Any) -> int:
    """The status. Tensors are keys, sorted keys, values, sorted values and indices, or None."""
    _, sorter, _, stride = _HEAD.unpack_from(call.packed)
    memory, address = call.new_workspace() if call.new_workspace is not None else (None, 0)
    pointers = []
    for tensor in tensors:
        pointers += [tensor.data_ptr() if tensor is not None else 0, stride]
    operands = _native.operands_bytes(*pointers, address, call.workspace_bytes)
    # PyTorch hands the workspace out again in the order of the stream: it may go when this returns.
    status = _native.run(sorter, call.packed[_HEAD.size :], operands, current_stream(call.gpu))
    del memory
    return int(status)


def sort(calls: dict[Any, Call | None], x: Any, more: Any, current_stream: Any) -> Any:
    """The sorted tensor, or the status if that is an error. None and KeyError as of `find`."""
    call = find(calls, x, more)
    if call is None:
        return None
    sorted_keys = call.new_keys()
    return launch(call, current_stream, x, sorted_keys, None, None, None) or sorted_keys


in_python = find, launch, sort
try:
    from ._short_way import find, key_of, launch, sort, use  # type: ignore[no-redef]

    # PyTorch's tables of C functions (DLPack 1.3), if it has them.
    use(getattr(Tensor, "__dlpack_c_exchange_api__", None))
except ImportError:  # a Python, or a build, without it
    pass


def _maker(x: Any, dtype: Any) -> Callable[[], Any]:
    """Makes tensors of the shape and device of x."""
    if _empty_strided is not None and x.is_cuda and torch.cuda.device_count() == 1:
        shape = tuple(x.shape)
        return functools.partial(_empty_strided, shape, torch.empty(shape, device="meta").stride(), dtype)
    like = x.new_empty(1).expand(x.shape)
    return functools.partial(empty_like, like, dtype=dtype, memory_format=torch.contiguous_format)


class ShortWay:
    """Its functions return None where the long way must be taken."""

    def __init__(self) -> None:
        self.tensor = torch.Tensor
        self.kind: Any = kind_of(torch.empty(0))
        # By all that decides how a call is made; None for what is not for this way.
        self.calls: dict[Any, Call | None] = {}
        _sorters.forget_too.append(self.calls.clear)

    def sort(self, x: Any, axis: Any, descending: Any, out: Any) -> Any:
        if is_compiling() or type(axis) is not int:
            return None
        more = (axis, not descending)
        try:
            if out is None:
                found = sort(self.calls, x, more, self.kind.current_stream)
                if type(found) is int:
                    raise _native.last_error(found)
                return found
            call = find(self.calls, x, more)
        except KeyError:
            if self.make(x, more, axis, SORT, 0, descending, False, None) is None:
                return None
            return self.sort(x, axis, descending, out)
        if call is None or not self.is_like(out, x):
            return None
        status = launch(call, self.kind.current_stream, x, out, None, None, None)
        if status:
            raise _native.last_error(status)
        return out

    def argsort(self, x: Any, axis: Any, descending: Any, stable: Any, index_dtype: Any, return_keys: Any) -> Any:
        """The indices and, if they are asked for, the sorted keys."""
        if is_compiling() or type(axis) is not int:
            return None
        more = (axis, not descending, not stable, index_dtype, not return_keys)
        try:
            call = find(self.calls, x, more)
        except KeyError:
            call = self.make(x, more, axis, SORT if return_keys else ARGSORT, 0, descending, stable, index_dtype)
        except TypeError:  # an index_dtype that is none
            return None
        if call is None:
            return None
        indices = call.new_others()
        keys = call.new_keys() if return_keys else None
        status = launch(call, self.kind.current_stream, x, keys, None, None, indices)
        if status:
            raise _native.last_error(status)
        if indices.dtype is not call.index_dtype:
            indices = indices.to(call.index_dtype)
        return indices if keys is None else (indices, keys)

    def sort_by_key(self, keys: Any, values: Any, axis: Any, descending: Any, stable: Any) -> Any:
        if is_compiling() or type(axis) is not int or type(values) is not Tensor:
            return None
        if values.shape != keys.shape or values.device != keys.device:
            return None
        more = (axis, not descending, not stable, values.dtype)
        try:
            call = find(self.calls, keys, more)
        except KeyError:
            size = values.dtype.itemsize
            if size not in (1, 2, 4, 8, 16):
                return None
            call = self.make(keys, more, axis, SORT_PAIRS, size, descending, stable, None, "keys", values.dtype)
        # Complex values may be conjugated when they are read; keys are real.
        if call is None or not is_plain(values) or values.is_conj():
            return None
        sorted_keys, sorted_values = call.new_keys(), call.new_others()
        status = launch(call, self.kind.current_stream, keys, sorted_keys, values, sorted_values, None)
        if status:
            raise _native.last_error(status)
        return sorted_keys, sorted_values

    def is_like(self, out: Any, x: Any) -> bool:
        """Whether the result can be written to `out`. The library sees whether it overlaps x."""
        if type(out) is not Tensor or out.dtype != x.dtype or out.shape != x.shape or out.device != x.device:
            return False
        return is_plain(out)

    def make(
        self, x: Any, more: Any, axis: int, operation: int, value_bytes: int, descending: Any, stable: Any,
        index_dtype: Any, argument: str = "x", other_dtype: Any = None,
    ) -> Call | None:  # fmt: skip
        """The call for what was not met before, which is prepared. It is kept."""
        asked = _calls.ask(x, axis, None, None, argument)
        call = None
        if asked.gpu >= 0 and asked.axis == x.dim() - 1 and asked.array is x and x.numel() > 0:
            index_bytes = 0
            if index_dtype is not None:
                name = _functions.name_of_dtype(index_dtype)
                wanted_bytes = _functions.index_bytes_of(name, asked.length)
                index_bytes = _functions.sorted_index_bytes(wanted_bytes, asked.length, asked.rows)
                index_dtype = self.kind.index_dtype(name)
                other_dtype = self.kind.index_dtype("int32") if index_bytes != wanted_bytes else index_dtype
            wanted = asked.key(operation, value_bytes, index_bytes, bool(descending), bool(stable))
            if wanted not in asked.sorter.workspaces and self.kind.is_capturing():
                return None  # the long way says what to do
            problem, size = asked.sorter.prepared(wanted)
            head = _HEAD.pack(_run_address, asked.sorter.handle, _native.UNCHECKED, asked.length)
            new_workspace = functools.partial(self.kind.workspace, size, asked.gpu) if size else None
            new_keys, new_others = (_maker(x, dtype) for dtype in (x.dtype, other_dtype or x.dtype))
            call = Call(head + problem, asked.gpu, new_workspace, size, new_keys, new_others, index_dtype)
        _sorters.remember(self.calls, key_of(x, more), call)
        return call if call is not None and is_plain(x) else None
