"""What the package wants of an array, said once for each library of arrays.

A library of arrays is used where it has been imported already: nothing is imported for those who do not use it.
"""

from __future__ import annotations

import contextlib
import sys
from typing import Any, ContextManager, Optional, cast

from ._native import KEY_CODES

INDEX_BYTES = {"int32": 4, "uint32": 4, "int64": 8, "uint64": 8}

Rows = Optional[tuple[int, int]]
"""Where the first row begins, and the elements from one row to the next; None where rows are not evenly apart."""


def collapse(shape: tuple[int, ...], strides: tuple[int, ...]) -> int | None:
    """Elements from one row (the last axis) to the next, or None if the rows need a copy to be evenly apart.

    All lengths are at least 1, and strides are in elements.
    """
    if shape[-1] > 1 and strides[-1] != 1:
        return None
    stride = None
    reach = 0
    for length, step in zip(reversed(shape[:-1]), reversed(strides[:-1])):
        if length == 1:
            continue
        if stride is None:
            stride, reach = step, step * length
        elif step != reach:
            return None
        else:
            reach *= length
    if stride is None:
        return shape[-1]
    return stride if stride >= shape[-1] else None


class Kind:
    """Arrays of one library. Functions of the array API whose names differ between libraries."""

    key_codes: dict[Any, int]
    follows_arrays = True  # new arrays go to the GPU of another one, whichever GPU is current

    def code_of(self, dtype: Any) -> int:
        """The library's key type, or -1."""
        return self.key_codes.get(dtype, -1)

    def location(self, x: Any) -> int:
        """The number of the GPU, or -1 for the host's memory."""
        raise NotImplementedError

    def rows(self, x: Any) -> Rows: ...
    def contiguous(self, x: Any) -> Any: ...
    def empty(self, shape: tuple[int, ...], dtype: Any, like: Any) -> Any: ...
    def moved(self, x: Any, source: int, target: int) -> Any: ...

    def empty_like(self, x: Any, dtype: Any) -> Any:
        """Of the shape of x, its rows side by side."""
        return self.empty(tuple(x.shape), dtype, x)

    def copy_into(self, target: Any, source: Any) -> None: ...

    def set_all_bits(self, x: Any) -> None:
        """Of all elements: -1, or the largest of an unsigned type."""

    def index_dtype(self, name: str) -> Any: ...

    def item_bytes(self, x: Any) -> int:
        return int(x.dtype.itemsize)

    def accept(self, x: Any, argument: str) -> Any:
        """Keys: x itself, or the same numbers in the byte order of this machine."""
        return self.resolved(x, argument)

    def resolved(self, x: Any, argument: str) -> Any:
        """x itself, or a copy whose memory holds its elements as they are. Raises TypeError where they do not lie in rows."""
        return x

    def current_stream(self, gpu: int) -> int:
        raise NotImplementedError

    def on_stream(self, stream: Any, gpu: int) -> ContextManager[Any]:
        """While it is open, `stream` is the current one, for copies and new arrays as well."""
        return contextlib.nullcontext()

    def workspace(self, size: int, gpu: int) -> tuple[Any, int]:
        """Memory of the library's own allocator, and its address. It may be let go once work is enqueued."""
        raise NotImplementedError

    def is_capturing(self) -> bool:
        return False

    def wait(self, gpu: int) -> None:
        """Until all that was enqueued on the current stream is done."""


class _NumPyLike(Kind):
    """What NumPy and CuPy spell alike."""

    def __init__(self, module: Any) -> None:
        self.module = module
        self.key_codes = {}

    def code_of(self, dtype: Any) -> int:
        code = self.key_codes.get(dtype)
        if code is None:
            # By name: bfloat16 is a dtype of the package ml_dtypes.
            code = self.key_codes[dtype] = KEY_CODES.get(dtype.name, -1)
        return code

    def contiguous(self, x: Any) -> Any:
        return self.module.ascontiguousarray(x)

    def empty(self, shape: tuple[int, ...], dtype: Any, like: Any) -> Any:
        return self.module.empty(shape, dtype)

    def moved(self, x: Any, source: int, target: int) -> Any:
        return self.module.moveaxis(x, source, target)

    def copy_into(self, target: Any, source: Any) -> None:
        target[...] = source

    def set_all_bits(self, x: Any) -> None:
        x.view("uint8")[...] = 255

    def index_dtype(self, name: str) -> Any:
        return self.module.dtype(name)

    def accept(self, x: Any, argument: str) -> Any:
        return x if x.dtype.isnative else x.astype(x.dtype.newbyteorder("="))

    def pointer(self, x: Any) -> int:
        raise NotImplementedError

    def rows(self, x: Any) -> Rows:
        if x.flags.c_contiguous:
            return self.pointer(x), x.shape[-1]
        size = x.dtype.itemsize
        if any(step % size for step in x.strides):
            return None
        stride = collapse(x.shape, tuple(step // size for step in x.strides))
        return None if stride is None else (self.pointer(x), stride)


class NumPy(_NumPyLike):

    def location(self, x: Any) -> int:
        return -1

    def pointer(self, x: Any) -> int:
        return int(x.ctypes.data)

    def rows(self, x: Any) -> Rows:
        return super().rows(x) if x.flags.aligned else None

    def contiguous(self, x: Any) -> Any:
        return self.module.require(x, requirements=("C", "A"))


class CuPy(_NumPyLike):
    follows_arrays = False

    def __init__(self, module: Any) -> None:
        super().__init__(module)

    def location(self, x: Any) -> int:
        return int(x.device.id)

    def pointer(self, x: Any) -> int:
        return int(x.data.ptr)

    def current_stream(self, gpu: int) -> int:
        return int(self.module.cuda.get_current_stream(gpu).ptr)

    @contextlib.contextmanager
    def on_stream(self, stream: Any, gpu: int) -> Any:
        with self.module.cuda.Device(gpu):
            if stream is None:
                yield
            else:
                with self.module.cuda.ExternalStream(stream_pointer(stream), gpu):
                    yield

    def workspace(self, size: int, gpu: int) -> tuple[Any, int]:
        memory = self.module.empty((size,), "uint8")
        return memory, int(memory.data.ptr)

    def is_capturing(self) -> bool:
        return bool(self.module.cuda.get_current_stream().is_capturing())

    def wait(self, gpu: int) -> None:
        self.module.cuda.get_current_stream(gpu).synchronize()


class PyTorch(Kind):
    def __init__(self, module: Any) -> None:
        self.module = module
        names = {name: getattr(module, name, None) for name in KEY_CODES}
        self.key_codes = {dtype: KEY_CODES[name] for name, dtype in names.items() if dtype is not None}
        self._empty = module.empty
        self._empty_like = module.empty_like
        self._contiguous = module.contiguous_format
        raw_stream = getattr(module._C, "_cuda_getCurrentRawStream", None)
        if raw_stream is not None:
            self.current_stream = raw_stream  # type: ignore[method-assign]

    def location(self, x: Any) -> int:
        if x.is_cuda:
            return int(x.get_device())
        if x.device.type != "cpu":
            raise TypeError(f"x: a tensor on '{x.device}' cannot be sorted; move it to the CPU or a CUDA device")
        return -1

    def rows(self, x: Any) -> Rows:
        if x.is_contiguous():
            return x.data_ptr(), x.shape[-1]
        stride = collapse(tuple(x.shape), x.stride())
        return None if stride is None else (x.data_ptr(), stride)

    def contiguous(self, x: Any) -> Any:
        return x.contiguous()

    def empty(self, shape: tuple[int, ...], dtype: Any, like: Any) -> Any:
        return self._empty(shape, dtype=dtype, device=like.device)

    def empty_like(self, x: Any, dtype: Any) -> Any:
        # Half of the time that `empty` takes.
        return self._empty_like(x, dtype=dtype, memory_format=self._contiguous)

    def moved(self, x: Any, source: int, target: int) -> Any:
        return x.movedim(source, target)

    def copy_into(self, target: Any, source: Any) -> None:
        target.copy_(source)

    def set_all_bits(self, x: Any) -> None:
        x.view(self.module.uint8).fill_(255)

    def index_dtype(self, name: str) -> Any:
        return getattr(self.module, name)

    def resolved(self, x: Any, argument: str) -> Any:
        if x.layout is not self.module.strided:
            raise TypeError(f"{argument}: a sparse tensor cannot be sorted; make it dense by to_dense()")
        return x.resolve_conj().resolve_neg() if x.is_neg() or x.is_conj() else x

    def current_stream(self, gpu: int) -> int:
        return int(self.module.cuda.current_stream(gpu).cuda_stream)

    @contextlib.contextmanager
    def on_stream(self, stream: Any, gpu: int) -> Any:
        cuda = self.module.cuda
        with cuda.device(gpu):
            if stream is None:
                yield
            elif isinstance(stream, cuda.Stream):
                with cuda.stream(stream):
                    yield
            else:
                with cuda.stream(cuda.ExternalStream(stream_pointer(stream), device=gpu)):
                    yield

    def workspace(self, size: int, gpu: int) -> tuple[Any, int]:
        memory = self._empty((size,), dtype=self.module.uint8, device=gpu)
        return memory, memory.data_ptr()

    def is_capturing(self) -> bool:
        return bool(self.module.cuda.is_current_stream_capturing())

    def wait(self, gpu: int) -> None:
        self.module.cuda.current_stream(gpu).synchronize()


def stream_pointer(stream: Any) -> int:
    """The address of a stream of PyTorch, CuPy, Numba or cuda.core, or of one given as a number."""
    if isinstance(stream, int) and not isinstance(stream, bool):
        return stream
    protocol = getattr(stream, "__cuda_stream__", None)
    if protocol is not None:
        told: Any = protocol() if callable(protocol) else protocol
        return int(told[1])
    for name in ("cuda_stream", "ptr"):
        pointer = getattr(stream, name, None)
        if isinstance(pointer, int):
            return pointer
    raise TypeError(f"stream: a CUDA stream or its address, not {type(stream).__name__}")


_kinds: dict[type, Kind] = {}
_made: dict[str, Kind] = {}
_classes = {"numpy": ("ndarray", NumPy), "torch": ("Tensor", PyTorch), "cupy": ("ndarray", CuPy)}


def kind_named(library: str) -> Kind | None:
    """The kind of a library that has been imported; None where it has not."""
    made = _made.get(library)
    if made is None and library in sys.modules:
        made = _made[library] = _classes[library][1](sys.modules[library])
    return made


def kind_of(x: Any) -> Kind | None:
    """The kind of an array of NumPy, PyTorch or CuPy; None for all others."""
    known = _kinds.get(cast("type[object]", type(x)))
    if known is not None:
        return known
    for library, (name, _) in _classes.items():
        module = sys.modules.get(library)
        if module is not None and isinstance(x, getattr(module, name)):
            known = kind_named(library)
            assert known is not None
            _kinds[type(x)] = known
            return known
    return None
