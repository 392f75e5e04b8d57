"""The C library, opened by ctypes: its functions, structs as bytes, and texts.

ctypes was chosen by measurement (docs/python.md); what a warm call on tensors does is in the module _short_way. The structs of a sort are packed by `struct` and not made of
ctypes.Structure, which takes three times as long. ctypes releases the GIL for each call.
"""

from __future__ import annotations

import ctypes
import os
import struct
from typing import Any, Callable

from ._errors import Error, error_of
from ._paths import package_folder

ABI_VERSION = 0  # BITUNE_ABI_VERSION of the header that this file mirrors
UNCHECKED = 2**64 - 1

SORT, SORT_PAIRS, ARGSORT, TOP_K = 0, 1, 2, 3

KEY_CODES = {
    "uint8": 0, "int8": 1, "uint16": 2, "int16": 3, "float16": 4, "bfloat16": 5,
    "uint32": 6, "int32": 7, "float32": 8, "uint64": 9, "int64": 10, "float64": 11,
}  # fmt: skip

_PROBLEM = struct.Struct("=Q6I3Q2I")
_OPERANDS = struct.Struct("=28Q")


class SorterOptions(ctypes.Structure):
    _fields_ = [
        ("size", ctypes.c_size_t),
        ("device", ctypes.c_char_p),
        ("database", ctypes.c_char_p),
        ("kernel_cache", ctypes.c_char_p),
        ("stand_ins", ctypes.c_uint32),
        ("reserved", ctypes.c_uint32),
        ("device_memory", ctypes.c_uint64),
        ("scratch_folder", ctypes.c_char_p),
    ]


class MultiOptions(ctypes.Structure):
    _fields_ = [
        ("size", ctypes.c_size_t),
        ("devices", ctypes.c_char_p),
        ("database", ctypes.c_char_p),
        ("kernel_cache", ctypes.c_char_p),
        ("time_limit_ms", ctypes.c_uint64),
        ("communicator", ctypes.c_void_p),
    ]


class TuneOptions(ctypes.Structure):
    _fields_ = [
        ("size", ctypes.c_size_t),
        ("devices", ctypes.c_char_p),
        ("database", ctypes.c_char_p),
        ("kernel_cache", ctypes.c_char_p),
        ("worker", ctypes.c_char_p),
        ("variants", ctypes.c_char_p),
        ("strategy", ctypes.c_char_p),
        ("distribution", ctypes.c_char_p),
        ("seed", ctypes.c_uint64),
        ("budget_seconds", ctypes.c_double),
        ("budget_evaluations", ctypes.c_uint64),
        ("timeout_seconds", ctypes.c_double),
        ("precision", ctypes.c_double),
        ("samples", ctypes.c_uint32),
        ("inputs", ctypes.c_uint32),
        ("finalists", ctypes.c_uint32),
        ("resume", ctypes.c_uint32),
        ("warm_start", ctypes.c_uint32),
        ("cold_l2", ctypes.c_uint32),
        ("lengths", ctypes.c_char_p),
    ]


class TuneProgress(ctypes.Structure):
    _fields_ = [
        ("size", ctypes.c_size_t),
        ("problem", ctypes.c_void_p),
        ("best_configuration", ctypes.c_char_p),
        ("best_us", ctypes.c_double),
        ("device", ctypes.c_uint64),
        ("problem_index", ctypes.c_uint64),
        ("problem_count", ctypes.c_uint64),
        ("evaluated", ctypes.c_uint64),
        ("candidates", ctypes.c_uint64),
        ("elapsed_seconds", ctypes.c_double),
        ("remaining_seconds", ctypes.c_double),
    ]


TuneCallback = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(TuneProgress), ctypes.c_void_p)


def _library_path() -> str:
    named = os.environ.get("BITUNE_LIBRARY")
    if named:
        return named
    found = sorted((package_folder() / "lib").glob("libbitune.so*"))
    if not found:
        raise ImportError(
            f"libbitune.so is not in {package_folder() / 'lib'}: install the package with pip, or name the library by "
            "the environment variable BITUNE_LIBRARY"
        )
    return str(found[0])


def _open() -> ctypes.CDLL:
    library = ctypes.CDLL(_library_path())
    pointer, text, status = ctypes.c_void_p, ctypes.c_char_p, ctypes.c_int32
    out_pointer = ctypes.POINTER(ctypes.c_void_p)
    signatures: dict[str, tuple[Any, list[Any]]] = {
        "bitune_abi_version": (ctypes.c_uint32, []),
        "bitune_version": (text, []),
        "bitune_status_name": (text, [status]),
        "bitune_last_error": (text, []),
        "bitune_free": (None, [pointer]),
        "bitune_sorter_create": (status, [ctypes.POINTER(SorterOptions), out_pointer]),
        "bitune_run": (status, [pointer, text, text, pointer]),
        "bitune_run_host": (status, [pointer, text, text, pointer]),
        "bitune_check_segments": (status, [pointer, text, text, pointer]),
        "bitune_prepare": (status, [pointer, text]),
        "bitune_workspace_size": (status, [pointer, text, ctypes.POINTER(ctypes.c_uint64)]),
        "bitune_explain": (status, [pointer, text, out_pointer]),
        "bitune_device_name": (status, [pointer, out_pointer]),
        "bitune_devices": (status, [out_pointer]),
        "bitune_multi_sorter_create": (status, [ctypes.POINTER(MultiOptions), out_pointer]),
        "bitune_multi_sorter_destroy": (None, [pointer]),
        "bitune_multi_ranks": (status, [pointer, ctypes.POINTER(ctypes.c_size_t)]),
        "bitune_multi_first_rank": (status, [pointer, ctypes.POINTER(ctypes.c_size_t)]),
        "bitune_multi_sum": (status, [pointer, ctypes.c_uint64, ctypes.POINTER(ctypes.c_uint64)]),
        "bitune_multi_run": (status, [pointer, text, text, ctypes.c_size_t, pointer]),
        "bitune_multi_run_host": (status, [pointer, text, text, pointer]),
        "bitune_tune": (status, [ctypes.POINTER(TuneOptions), text, ctypes.c_size_t, TuneCallback, pointer, out_pointer]),
        "bitune_database_json": (status, [text, text, text, out_pointer]),
    }
    for name, (result, arguments) in signatures.items():
        function = getattr(library, name)
        function.restype = result
        function.argtypes = arguments
    found = library.bitune_abi_version()
    if found != ABI_VERSION:
        raise ImportError(f"{library._name} has version {found} of the C interface, and this package wants {ABI_VERSION}")
    return library


library = _open()
run = library.bitune_run
run_host = library.bitune_run_host


def problem_bytes(
    operation: int, key: int, value_bytes: int, index_bytes: int, descending: int, stable: int, n: int, rows: int,
    k: int = 0, ragged: int = 0,
) -> bytes:  # fmt: skip
    """A `bitune_problem`. Truth values are 0 and 1, as in a key of a sorter's problems."""
    return _PROBLEM.pack(
        _PROBLEM.size, operation, key, value_bytes, index_bytes, descending, stable, k, n, rows, ragged, 0
    )


def operands_bytes(
    keys_in: int, keys_in_stride: int, keys_out: int, keys_out_stride: int,
    values_in: int, values_in_stride: int, values_out: int, values_out_stride: int,
    indices: int, indices_stride: int, workspace: int, workspace_bytes: int,
    offsets: int = 0, ends: int = 0, offset_bytes: int = 0,
) -> bytes:  # fmt: skip
    """A `bitune_operands`. Arrays were checked where they were taken, so that their lengths are not said again."""
    return _OPERANDS.pack(
        _OPERANDS.size,
        keys_in, UNCHECKED, keys_in_stride,
        keys_out, UNCHECKED, keys_out_stride,
        values_in, UNCHECKED, values_in_stride,
        values_out, UNCHECKED, values_out_stride,
        indices, UNCHECKED, indices_stride,
        offsets, UNCHECKED, offset_bytes,
        0, 0, 0,
        workspace, workspace_bytes, 0,
        ends, UNCHECKED, offset_bytes,
    )  # fmt: skip


def last_error(status: int) -> Error:
    """Of this thread's last call, which failed with `status`."""
    name = library.bitune_status_name(status)
    sentence = library.bitune_last_error()
    return error_of(name.decode(), sentence.decode("utf-8", "replace"))


def check(status: int) -> None:
    if status != 0:
        raise last_error(status)


def taken(text: ctypes.c_void_p) -> str:
    """A text that the library gave out, which is freed."""
    if not text.value:
        return ""
    try:
        return ctypes.string_at(text.value).decode("utf-8", "replace")
    finally:
        library.bitune_free(text)


def text_from(function: Callable[..., int], *arguments: Any) -> str:
    """The text that a function writes to its last argument."""
    text = ctypes.c_void_p()
    check(function(*arguments, ctypes.byref(text)))
    return taken(text)


def encoded(text: str | os.PathLike[str] | None) -> bytes | None:
    return None if text is None else os.fsencode(text)
