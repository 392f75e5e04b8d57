"""The short way for plain tensors that lie packed in a GPU's memory, sorted along their last axis.

What a call needs beside its addresses is found once for each problem and kept: a call then only looks it up, takes new
tensors, and launches. All other calls, and the first of each problem, go the long way (_functions.py), which checks.
"""

from __future__ import annotations

import struct
from typing import Any, NamedTuple

import torch
from torch import Tensor

from . import _functions, _native, _sorters
from ._arrays import kind_of
from ._native import ARGSORT, SORT, SORT_PAIRS

# A `bitune_operands`, with what stands between the addresses as one piece each.
_OPERANDS = struct.Struct("=Q" + "Q16s" * 5 + "48s3Q")
_NO_SEGMENTS = bytes(48)


# Bound here: each name that is looked up in a call takes its time.
empty_like = torch.empty_like
is_compiling = torch.compiler.is_compiling
is_grad_enabled = torch.is_grad_enabled


def is_plain(x: Any) -> bool:
    """Whether elements lie side by side as they are, and no gradient is wanted."""
    try:
        # Of memory whose elements are the negated ones, is_neg.
        return x.is_contiguous() and not x.is_neg() and not (x.requires_grad and is_grad_enabled())
    except RuntimeError:  # a sparse tensor
        return False


class Call(NamedTuple):
    """What calls with tensors of one type, shape and device have in common."""

    handle: int
    problem: bytes
    gpu: int
    extent: bytes  # elements and row stride, of every operand
    workspace_bytes: int
    index_dtype: Any
    sorted_dtype: Any  # of the indices that the library writes; made wider if it is another


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
        key = (x.dtype, x.shape, x.device, axis, not descending)
        try:
            call = self.calls[key]
        except KeyError:
            call = self.make(key, x, axis, SORT, 0, descending, False, None)
        if call is None or not is_plain(x):
            return None
        if out is None:
            out = empty_like(x)
        elif not self.is_like(out, x):
            return None
        self.run(call, x.data_ptr(), out.data_ptr(), 0, 0, 0)
        return out

    def argsort(self, x: Any, axis: Any, descending: Any, stable: Any, index_dtype: Any, return_keys: Any) -> Any:
        """The indices and, if they are asked for, the sorted keys."""
        if is_compiling() or type(axis) is not int:
            return None
        key = (x.dtype, x.shape, x.device, axis, not descending, not stable, index_dtype, not return_keys)
        try:
            call = self.calls[key]
        except KeyError:
            call = self.make(key, x, axis, SORT if return_keys else ARGSORT, 0, descending, stable, index_dtype)
        except TypeError:  # an index_dtype that is none
            return None
        if call is None or not is_plain(x):
            return None
        indices = empty_like(x, dtype=call.sorted_dtype)
        if return_keys:
            keys = empty_like(x)
            self.run(call, x.data_ptr(), keys.data_ptr(), 0, 0, indices.data_ptr())
        else:
            keys = None
            self.run(call, x.data_ptr(), 0, 0, 0, indices.data_ptr())
        if call.sorted_dtype is not call.index_dtype:
            indices = indices.to(call.index_dtype)
        return indices if keys is None else (indices, keys)

    def sort_by_key(self, keys: Any, values: Any, axis: Any, descending: Any, stable: Any) -> Any:
        if is_compiling() or type(axis) is not int or type(values) is not Tensor:
            return None
        if values.shape != keys.shape or values.device != keys.device:
            return None
        key = (keys.dtype, keys.shape, keys.device, axis, not descending, not stable, values.dtype)
        try:
            call = self.calls[key]
        except KeyError:
            size = values.dtype.itemsize
            if size not in (1, 2, 4, 8, 16):
                return None
            call = self.make(key, keys, axis, SORT_PAIRS, size, descending, stable, None, "keys")
        if call is None or not is_plain(keys) or not is_plain(values):
            return None
        if values.is_conj():  # as keys, which are real, cannot be
            return None
        sorted_keys = empty_like(keys)
        sorted_values = empty_like(values)
        self.run(
            call, keys.data_ptr(), sorted_keys.data_ptr(), values.data_ptr(), sorted_values.data_ptr(), 0
        )
        return sorted_keys, sorted_values

    def is_like(self, out: Any, x: Any) -> bool:
        """Whether the result can be written to `out`. The library sees whether it overlaps x."""
        if type(out) is not Tensor or out.dtype != x.dtype or out.shape != x.shape or out.device != x.device:
            return False
        return is_plain(out)

    def run(self, call: Call, keys: int, sorted_keys: int, values: int, sorted_values: int, indices: int) -> None:
        handle, problem, gpu, extent, size, _, _ = call
        memory, address = self.kind.workspace(size, gpu) if size else (None, 0)
        operands = _OPERANDS.pack(
            200, keys, extent, sorted_keys, extent, values, extent, sorted_values, extent, indices, extent,
            _NO_SEGMENTS, address, size, 0,
        )  # fmt: skip
        # PyTorch hands the workspace out again in the order of the stream: it may go when this returns.
        status = _native.run(handle, problem, operands, self.kind.current_stream(gpu))
        del memory
        if status:
            raise _native.last_error(status)

    def make(
        self, key: Any, x: Any, axis: int, operation: int, value_bytes: int, descending: Any, stable: Any,
        index_dtype: Any, argument: str = "x",
    ) -> Call | None:  # fmt: skip
        """The call for a key that was not met before, which is prepared. It is kept."""
        asked = _functions.ask(x, axis, None, None, argument)
        call = None
        if asked.gpu >= 0 and asked.axis == x.dim() - 1 and asked.array is x and x.numel() > 0:
            index_bytes = 0
            sorted_dtype = None
            if index_dtype is not None:
                name = _functions.name_of_dtype(index_dtype)
                wanted_bytes = _functions.index_bytes_of(name, asked.length)
                index_bytes = _functions.sorted_index_bytes(wanted_bytes, asked.length, asked.rows)
                sorted_dtype = index_dtype = self.kind.index_dtype(name)
                if index_bytes != wanted_bytes:
                    sorted_dtype = self.kind.index_dtype("int32")
            wanted = asked.key(operation, value_bytes, index_bytes, bool(descending), bool(stable))
            if wanted not in asked.sorter.workspaces and self.kind.is_capturing():
                return None  # the long way says what to do
            problem, size = asked.sorter.prepared(wanted)
            extent = struct.pack("=2Q", _native.UNCHECKED, asked.length)
            call = Call(asked.sorter.handle, problem, asked.gpu, extent, size, index_dtype, sorted_dtype)
        _sorters.remember(self.calls, key, call)
        return call
