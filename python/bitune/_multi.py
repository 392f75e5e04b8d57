"""One array over several devices."""

from __future__ import annotations

import contextlib
import ctypes
import struct
import threading
import weakref
from typing import Any, ContextManager, Sequence

from . import _native
from ._arrays import Kind, kind_of
from ._calls import Output, ask, last_axis, refuse_dtype
from ._carried import given_back
from ._errors import Error
from ._functions import values_bytes
from ._native import ARGSORT, SORT, SORT_PAIRS
from ._sorters import gpu_selectors, selector_of

_PART = struct.Struct("=5Q")
_EMULATED = "emulated"


def selectors_of(devices: Any) -> list[str]:
    """The library's names of the devices: a rank each."""
    if isinstance(devices, str) and devices == "all":
        found = gpu_selectors()
        if not found:
            raise Error("devices: there is no GPU; `python -m bitune devices` says what is missing", "unavailable")
        return found
    if isinstance(devices, (str, int)) or not hasattr(devices, "__iter__"):
        raise TypeError(f'devices: a list such as [0, 1], or "all", not {devices!r}')
    selectors = [selector_of(device) for device in devices]
    if not selectors:
        raise ValueError("devices: name at least one")
    for selector in selectors:
        if selector != _EMULATED and not selector.isdecimal():
            raise ValueError(f"devices: numbers of GPUs, not '{selector}'")
    return selectors


def _destroy(handle: int) -> None:
    _native.library.bitune_multi_sorter_destroy(handle)


class _Part:
    """An array on a rank's device, whose elements lie side by side."""

    def __init__(self, x: Any, selector: str, argument: str) -> None:
        kind = kind_of(x)
        if kind is None:
            raise TypeError(f"{argument}: arrays of PyTorch or CuPy, not {type(x).__name__}")
        x = kind.accept(x, argument) if argument != "values" else kind.resolved(x, argument)
        if len(x.shape) != 1:
            raise ValueError(f"{argument}: arrays of one dimension, not {len(x.shape)}")
        self.kind: Kind = kind
        self.gpu = kind.location(x)
        if self.place() != selector:
            wanted = "the host's memory" if selector == _EMULATED else f"GPU {selector}"
            raise ValueError(f"{argument}: the part of this rank must lie in {wanted}")
        self.array = x
        self.length = int(x.shape[0])

    def place(self) -> str:
        return _EMULATED if self.gpu < 0 else str(self.gpu)

    def on_gpu(self) -> ContextManager[Any]:
        return contextlib.nullcontext() if self.gpu < 0 else self.kind.on_stream(None, self.gpu)

    def address(self) -> int:
        """Of the elements; they are copied first where they have gaps."""
        if not self.length:
            return 0
        rows = self.kind.rows(self.array)
        if rows is None:
            with self.on_gpu():
                self.array = self.kind.contiguous(self.array)
            rows = self.kind.rows(self.array)
            assert rows is not None
        return rows[0]

    def result(self, length: int, dtype: Any) -> tuple[Any, int]:
        """A new array beside this one, and its address."""
        with self.on_gpu():
            array = self.kind.empty((length,), dtype, self.array)
            rows = self.kind.rows(array) if length else None
        return array, rows[0] if rows is not None else 0

    def stream(self) -> int:
        return 0 if self.gpu < 0 else self.kind.current_stream(self.gpu)


class MultiSorter:
    """Sorts one array that lies in parts on several GPUs.

    Parameters
    ----------
    devices : sequence of int, or "all"
        GPUs, a rank for each: rank 0 has the beginning of the result, and so on. "emulated" several times tries it out
        without a GPU, with arrays of NumPy.
    communicator : int, optional
        The address that an ``ncclComm_t`` is: then ``devices`` names one GPU, that of this process's rank, and every
        process calls the same with one part. Nobody else uses the communicator meanwhile.
    time_limit : float, optional
        Seconds that a rank waits for the others before the call fails; five minutes. A communicator is aborted then.

    Notes
    -----
    Calls wait until all is done, one at a time. Parts may have any lengths, 0 included. Results are new arrays on the same
    GPUs, as long as each other but for one element, whatever the keys are. The sorter keeps memory of about the size of
    the largest array that it has sorted on each GPU; `close` gives it back.

    Examples
    --------
    >>> import bitune, numpy as np
    >>> sorter = bitune.MultiSorter(["emulated", "emulated"])
    >>> parts = [np.array([5, 1, 4], dtype="i4"), np.array([3], dtype="i4")]
    >>> [part.tolist() for part in sorter.sort(parts)]
    [[1, 3], [4, 5]]
    >>> [part.tolist() for part in sorter.argsort(parts)]
    [[1, 3], [2, 0]]
    """

    def __init__(self, devices: Any, *, communicator: int | None = None, time_limit: float | None = None) -> None:
        self._selectors = selectors_of(devices)
        names = ",".join(self._selectors).encode()
        limit_ms = 0 if time_limit is None else max(round(1000 * time_limit), 1)
        options = _native.MultiOptions(ctypes.sizeof(_native.MultiOptions), names, None, None, limit_ms, communicator)
        handle = ctypes.c_void_p()
        _native.check(_native.library.bitune_multi_sorter_create(ctypes.byref(options), ctypes.byref(handle)))
        assert handle.value is not None
        self._handle: int = handle.value
        self._lock = threading.Lock()  # so that nobody closes it during a call
        self._end = weakref.finalize(self, _destroy, self._handle)
        self._end.atexit = False  # the driver may be gone by then
        self._ranks = self._number(_native.library.bitune_multi_ranks)
        self._first_rank = self._number(_native.library.bitune_multi_first_rank)

    def _number(self, function: Any) -> int:
        number = ctypes.c_size_t()
        _native.check(function(self._handle, ctypes.byref(number)))
        return number.value

    @property
    def ranks(self) -> int:
        """How many there are, in all processes."""
        return self._ranks

    def close(self) -> None:
        """Gives back what it keeps. It sorts no more."""
        with self._lock:
            self._end()

    def sort(self, parts: Sequence[Any], *, descending: bool = False) -> list[Any]:
        """The sorted array, in equal parts.

        Parameters
        ----------
        parts : sequence of array
            One for each rank, on its GPU: of PyTorch or CuPy, of one dimension and type.
        descending : bool
            Largest first.
        """
        return self._run(SORT, parts, None, descending, False)[0]

    def argsort(self, parts: Sequence[Any], *, descending: bool = False, stable: bool = True) -> list[Any]:
        """Where the sorted elements stood: indices (int64) over all parts, in the order of the ranks.

        Parameters
        ----------
        parts, descending
            As in `sort`.
        stable : bool
            Equal keys keep their order.
        """
        return self._run(ARGSORT, parts, None, descending, stable)[1]

    def sort_by_key(
        self, keys: Sequence[Any], values: Sequence[Any], *, descending: bool = False, stable: bool = True
    ) -> tuple[list[Any], list[Any]]:
        """Sorted keys, and the values that travel with them.

        Parameters
        ----------
        keys, descending, stable
            As in `argsort`.
        values : sequence of array
            For each key one of 1, 2, 4, 8 or 16 bytes, beside it.
        """
        return self._run(SORT_PAIRS, keys, values, descending, stable)

    def _parts(self, arrays: Sequence[Any], argument: str) -> list[_Part]:
        if len(arrays) != len(self._selectors):
            raise ValueError(f"{argument}: {len(arrays)} arrays were given for {len(self._selectors)} ranks")
        parts = [_Part(x, selector, argument) for x, selector in zip(arrays, self._selectors)]
        for part in parts:
            if part.kind is not parts[0].kind or part.array.dtype != parts[0].array.dtype:
                raise TypeError(f"{argument}: all parts are of one library and type")
        return parts

    def _run(
        self, operation: int, keys: Sequence[Any], values: Sequence[Any] | None, descending: bool, stable: bool
    ) -> tuple[list[Any], list[Any]]:
        """Keys, and what goes with them."""
        parts = self._parts(keys, "keys" if values is not None else "parts")
        dtype = parts[0].array.dtype
        code = parts[0].kind.code_of(dtype)
        if code < 0:
            raise refuse_dtype("x", dtype)
        travelling = self._parts(values, "values") if values is not None else None
        size = 0
        if travelling is not None:
            size = values_bytes(travelling[0].kind, travelling[0].array)
            if [part.length for part in travelling] != [part.length for part in parts]:
                raise ValueError("values: as many as keys, on each rank")
        total = self._sum(sum(part.length for part in parts))
        found: tuple[list[Any], list[Any]] = ([], [])
        operands: list[ctypes.Array[ctypes.c_char]] = []  # kept until the call is done
        described = b""
        for rank, part in enumerate(parts):
            length = total // self._ranks + (self._first_rank + rank < total % self._ranks)
            sorted_keys = sorted_values = indices = values_in = 0
            if operation != ARGSORT:
                array, sorted_keys = part.result(length, dtype)
                found[0].append(array)
            else:
                array, indices = part.result(length, part.kind.index_dtype("int64"))
                found[1].append(array)
            if travelling is not None:
                values_in = travelling[rank].address()
                array, sorted_values = travelling[rank].result(length, travelling[rank].array.dtype)
                found[1].append(array)
            packed = _native.operands_bytes(
                part.address(), 0, sorted_keys, 0, values_in, 0, sorted_values, 0, indices, 0, 0, 0
            )
            operands.append(ctypes.create_string_buffer(packed, len(packed)))
            described += _PART.pack(_PART.size, ctypes.addressof(operands[-1]), part.length, length, part.stream())
        index_bytes = 8 if operation == ARGSORT else 0
        problem = _native.problem_bytes(operation, code, size, index_bytes, bool(descending), bool(stable), total, 1)
        with self._lock:
            self._check_open()
            _native.check(_native.library.bitune_multi_run(self._handle, problem, described, len(parts), None))
        return found

    def _sum(self, number: int) -> int:
        """Of what all processes pass."""
        found = ctypes.c_uint64()
        with self._lock:
            self._check_open()
            _native.check(_native.library.bitune_multi_sum(self._handle, number, ctypes.byref(found)))
        return found.value

    def _run_host(self, problem: bytes, operands: bytes) -> None:
        with self._lock:
            self._check_open()
            _native.check(_native.library.bitune_multi_run_host(self._handle, problem, operands, None))

    def _check_open(self) -> None:
        if not self._end.alive:
            raise ValueError("this MultiSorter was closed")


def sort_over_devices(x: Any, axis: Any, descending: bool, out: Any, devices: Any) -> Any:
    """Sorts an array of the host."""
    selectors = selectors_of(devices)
    asked = ask(x, axis, selectors[0], None)
    if asked.gpu >= 0:
        raise ValueError("devices: x lies in a GPU's memory; MultiSorter sorts parts that lie on several GPUs")
    if asked.rows != 1:
        raise ValueError("devices: one array is sorted over them, and x has rows")
    output = Output(asked, asked.array.dtype, out)
    if asked.length:
        _kept, address, stride = last_axis(asked, asked.array)
        operands = _native.operands_bytes(address, stride, output.address, output.stride, 0, 0, 0, 0, 0, 0, 0, 0)
        problem = _native.problem_bytes(*asked.key(SORT, 0, 0, bool(descending), False))
        sorter = MultiSorter(selectors)
        try:
            sorter._run_host(problem, operands)
        finally:
            sorter.close()
    result = output.take()
    return result if kind_of(x) is not None else given_back(result, x)
