"""One sorter for each device, made when it is first wanted, and what it knows of each problem."""

from __future__ import annotations

import ctypes
import functools
import json
import operator
import threading
import warnings
from typing import Any, Callable, NamedTuple

from . import _native
from ._errors import Error, UsageError

ProblemKey = tuple[int, ...]
"""Operation, key type, bytes of a value and of an index, descending, stable, n, rows; of a top_k its k; and of segments 0, 1."""

_MOST_PROBLEMS = 4096  # as many as the library keeps prepared


class Sorter:
    """A `bitune_sorter`. It lives as long as the process: sorts may be under way on any stream."""

    def __init__(self, selector: str, device_memory: int = 0, scratch_folder: bytes | None = None) -> None:
        stand_ins = 1  # nobody at a prompt waits for a compiler who need not; $BITUNE_STAND_INS says otherwise
        options = _native.SorterOptions(
            ctypes.sizeof(_native.SorterOptions), selector.encode(), None, None, stand_ins, 0, device_memory, scratch_folder
        )
        handle = ctypes.c_void_p()
        try:
            _native.check(_native.library.bitune_sorter_create(ctypes.byref(options), ctypes.byref(handle)))
        except UsageError as error:
            raise UsageError(f"device: {error}", error.code) from None
        assert handle.value is not None
        self.handle: int = handle.value
        self.workspaces: dict[ProblemKey, tuple[bytes, int]] = {}
        self.problems: dict[ProblemKey, bytes] = {}

    def problem(self, key: ProblemKey) -> bytes:
        """The problem as the library takes it."""
        known = self.problems.get(key)
        if known is None:
            known = _native.problem_bytes(*key)
            remember(self.problems, key, known)
        return known

    def prepared(self, key: ProblemKey) -> tuple[bytes, int]:
        """The problem, and how many bytes of workspace it takes. The first call for a problem prepares it."""
        known = self.workspaces.get(key)
        if known is None:
            problem = _native.problem_bytes(*key)
            size = ctypes.c_uint64()
            _native.check(_native.library.bitune_workspace_size(self.handle, problem, ctypes.byref(size)))
            known = (problem, size.value)
            remember(self.workspaces, key, known)
        return known

    def prepare(self, key: ProblemKey) -> None:
        _native.check(_native.library.bitune_prepare(self.handle, self.problem(key)))
        self.prepared(key)

    def explain(self, key: ProblemKey) -> dict[str, Any]:
        text = _native.text_from(_native.library.bitune_explain, self.handle, self.problem(key))
        explanation: dict[str, Any] = json.loads(text)
        return explanation

    def name(self) -> str:
        return _native.text_from(_native.library.bitune_device_name, self.handle)


def _rounded_up(number: int) -> int:
    return 1 << max(number - 1, 0).bit_length()


def class_of(key: ProblemKey) -> ProblemKey:
    """The problem of segments that stands for all which are prepared as one: numbers and mean lengths by octaves."""
    n, rows = key[6:8]
    segments = _rounded_up(rows)
    return (*key[:6], _rounded_up(-(-n // max(rows, 1))) * segments, segments, *key[8:])


def remember(known: dict[Any, Any], key: Any, value: Any) -> None:
    """Keeps a value, of a number of keys that does not grow without end."""
    if len(known) >= _MOST_PROBLEMS:
        known.clear()
    known[key] = value


class Limited(NamedTuple):
    """A device as the caller names it, of whose memory arrays of the host may take so many bytes (0: what is free), and the
    folder for what is kept on the disk meanwhile."""

    device: Any
    memory: int
    folder: bytes | None = None


def limited(device: Any, memory: Any, folder: Any = None) -> Any:
    """The device, and the limit and the folder if there are such."""
    if memory is None and folder is None:
        return device
    scratch = _native.encoded(folder)
    if memory is None:
        return Limited(device, 0, scratch)
    try:
        size = operator.index(memory)
    except TypeError:
        raise TypeError(f"device_memory: bytes, an integer, not {type(memory).__name__}") from None
    if size < 1:
        raise ValueError(f"device_memory: at least 1 byte, not {size}")
    return Limited(device, size, scratch)


_sorters: dict[tuple[str, int, bytes | None], Sorter] = {}
_lock = threading.Lock()
_of_gpu: dict[int, Sorter] = {}
forget_too: list[Callable[[], None]] = []
"""Called with `forget_sorters`, by those who keep what they know of sorters."""


def sorter_named(selector: str, device_memory: int = 0, scratch_folder: bytes | None = None) -> Sorter:
    """The process's sorter for one of the library's selectors, a limit (0: none), and a folder. Thread-safe."""
    named = (selector, device_memory, scratch_folder)
    found = _sorters.get(named)
    if found is None:
        with _lock:
            found = _sorters.get(named)
            if found is None:
                found = Sorter(*named)
                _sorters[named] = found
                if selector == "emulated":
                    _tell_of_emulation()
    return found


def sorter_of_gpu(ordinal: int) -> Sorter:
    """For arrays that lie in this GPU's memory."""
    found = _of_gpu.get(ordinal)
    if found is None:
        found = _of_gpu[ordinal] = sorter_named(str(ordinal))
    return found


def forget_sorters() -> None:
    """Later sorts read the database anew. Sorters are not destroyed: other threads may use them."""
    with _lock:
        _sorters.clear()
        _of_gpu.clear()
    for forget in forget_too:
        forget()
    has_gpu.cache_clear()


def selector_of(device: Any) -> str:
    """The library's selector for the argument `device`: "auto", a GPU's number or UUID, or "emulated"."""
    if device is None:
        return "auto"
    if isinstance(device, bool):
        raise TypeError('device: a GPU\'s number or UUID, "auto" or "emulated", not a bool')
    if isinstance(device, int):
        return str(device)
    text = str(device)  # torch.device says "cuda:0"
    if text == "cuda":
        return "auto"
    return text[len("cuda:") :] if text.startswith("cuda:") else text


def sorter_for_host(device: Any) -> Sorter:
    """For arrays in the host's memory. No GPU is an error here: the emulated device is taken only by its name."""
    device, memory, folder = device if isinstance(device, Limited) else (device, 0, None)
    selector = selector_of(device)
    if selector == "auto" and not has_gpu():
        raise Error(
            "device: there is no GPU that bitune can use. Install NVIDIA's driver (`python -m bitune devices` says what "
            'is missing), or pass device="emulated", which sorts on the CPU, very slowly, to try things out',
            "unavailable",
        )
    return sorter_named(selector, memory, folder)


def sorter_for_gpu(ordinal: int, device: Any) -> Sorter:
    """For arrays in a GPU's memory, which are sorted there."""
    if isinstance(device, Limited):
        argument = "device_memory" if device.memory else "scratch_folder"
        raise ValueError(f"{argument}: x lies in a GPU's memory already; it is for arrays of the host")
    if device is not None:
        selector = selector_of(device)
        if selector not in ("auto", str(ordinal)):
            raise ValueError(f"device: x lies on GPU {ordinal}, and is sorted there, not on '{selector}'")
    return sorter_of_gpu(ordinal)


@functools.lru_cache(maxsize=1)
def has_gpu() -> bool:
    return bool(gpu_selectors())


def gpu_selectors() -> list[str]:
    """The library's names of all GPUs."""
    listed = json.loads(_native.text_from(_native.library.bitune_devices))
    return [str(entry["selector"]) for entry in listed["devices"] if entry["info"]["kind"] == "cuda"]


def _tell_of_emulation() -> None:
    warnings.warn(
        "bitune's emulated device runs the GPU's kernels thread by thread on the CPU. It is there to try and to test; "
        "numpy.sort is a hundred times as fast, or more",
        RuntimeWarning,
        stacklevel=2,
    )
