"""Arrays of other libraries than NumPy, CuPy and PyTorch: taken without a copy where that is possible, and given back."""

from __future__ import annotations

import sys
from typing import Any, Callable

from ._arrays import Kind, kind_named
from ._errors import Error

_CPU, _CUDA = 1, 2  # of DLPack's device types


def carried(x: Any, argument: str) -> tuple[Any, Kind]:
    """An array of another library as one of NumPy, CuPy or PyTorch, without a copy where that is possible."""
    if hasattr(x, "__dlpack__") and hasattr(x, "__dlpack_device__"):
        where = int(x.__dlpack_device__()[0])
        if where == _CUDA:
            return _carried_on_gpu(x, argument, _from_dlpack)
        if where == _CPU:
            import numpy

            kind = kind_named("numpy")
            assert kind is not None
            # By __array__ where there is one: DLPack cannot hand bfloat16 to NumPy.
            return (numpy.asarray(x) if hasattr(x, "__array__") else numpy.from_dlpack(x)), kind
        raise TypeError(f"{argument}: memory of DLPack's device type {where} cannot be sorted; move it to the CPU or a CUDA device")
    if hasattr(x, "__cuda_array_interface__"):
        return _carried_on_gpu(x, argument, _from_interface)
    jax = sys.modules.get("jax")
    if jax is not None and isinstance(x, jax.core.Tracer):
        raise TypeError(
            f"{argument}: JAX is tracing it (jit, grad or vmap), so that there is nothing to sort yet; call bitune outside of "
            "traced functions, or jax.numpy in them"
        )
    raise TypeError(
        f"{argument}: an array of NumPy, CuPy, PyTorch or JAX, or of another library that has __dlpack__, not {type(x).__name__}"
    )


def _from_dlpack(module: Any, x: Any) -> Any:
    return module.from_dlpack(x)


def _from_interface(module: Any, x: Any) -> Any:
    return module.as_tensor(x) if hasattr(module, "as_tensor") else module.asarray(x)


def _carried_on_gpu(x: Any, argument: str, convert: Callable[[Any, Any], Any]) -> tuple[Any, Kind]:
    import importlib

    refused = ""
    for library in sorted(("cupy", "torch"), key=lambda name: name not in sys.modules):
        try:
            module = importlib.import_module(library)
        except ImportError:
            continue
        kind = kind_named(library)
        assert kind is not None
        try:
            return convert(module, x), kind
        except (BufferError, RuntimeError, TypeError, ValueError) as error:  # a type that this library does not know
            refused += f" ({library}: {error})"
    raise Error(
        f"{argument}: results for {type(x).__module__}.{type(x).__name__} on a GPU are made by CuPy or PyTorch, and handed "
        f"over by DLPack: install one of them that takes {getattr(x, 'dtype', 'such elements')}{refused}",
        "unavailable",
    )


def given_back(result: Any, x: Any) -> Any:
    """A result as an array of the library of x, where that library says how to make one."""
    namespace = getattr(x, "__array_namespace__", None)
    if namespace is None:
        return result
    library = namespace()
    if type(result).__module__.split(".")[0] in ("cupy", "torch"):
        return library.from_dlpack(result)
    return library.asarray(result)
