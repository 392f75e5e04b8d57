"""Tuning, and what the tuning database has."""

from __future__ import annotations

import ctypes
import json
import os
import threading
from typing import Any, Callable, Dict, Iterable, List, Optional, cast

from . import _native
from ._errors import Error
from ._calls import refuse_dtype
from ._functions import index_bytes_of, name_of_dtype
from ._sorters import forget_sorters, selector_of

Shape = tuple[int, ...]


def devices() -> list[dict[str, Any]]:
    """The devices that can sort, as dictionaries.

    Returns
    -------
    list of dict
        Of each device its "selector" (what `device=` takes), "info" (facts of the hardware) and "software".

    Examples
    --------
    >>> import bitune
    >>> [device["selector"] for device in bitune.devices()][-1]
    'emulated'
    """
    listed = json.loads(_native.text_from(_native.library.bitune_devices))
    found: list[dict[str, Any]] = listed["devices"]
    return found


_LENGTHS = ("uniform", "zipf", "few_long", "equal", "mixed")


def problem_of_shape(
    shape: int | Shape,
    dtype: Any,
    operation: str = "sort",
    *,
    descending: bool = False,
    stable: bool = True,
    index_dtype: Any = "int64",
    value_bytes: int = 4,
    lengths: Any = None,
) -> bytes:
    """The library's problem for arrays of a shape, sorted along the last axis; or for segments."""
    axes = (shape,) if isinstance(shape, int) else tuple(shape)
    if not axes or any(length < 1 for length in axes):
        raise ValueError(f"shapes: lengths of at least 1, not {shape!r}")
    code = _native.KEY_CODES.get(name_of_dtype(dtype))
    if code is None:
        raise refuse_dtype("dtype", name_of_dtype(dtype))
    rows = 1
    for length in axes[:-1]:
        rows *= length
    n = axes[-1]
    ragged = int(lengths is not None)
    if lengths is not None:
        if len(axes) != 2:
            raise ValueError(f"shapes: of segments how many there are, and their mean length, not {shape!r}")
        if lengths in _LENGTHS:
            n *= rows
    if operation == "sort":
        return _native.problem_bytes(_native.SORT, code, 0, 0, descending, False, n, rows, 0, ragged)
    if operation == "argsort":
        size = index_bytes_of(name_of_dtype(index_dtype), n)
        return _native.problem_bytes(_native.ARGSORT, code, 0, size, descending, stable, n, rows, 0, ragged)
    if operation == "sort_by_key":
        return _native.problem_bytes(_native.SORT_PAIRS, code, value_bytes, 0, descending, stable, n, rows, 0, ragged)
    raise ValueError(f"operation: sort, argsort or sort_by_key, not {operation!r}")


def tune(
    shapes: int | Shape | Iterable[int | Shape],
    dtype: Any = "float32",
    operation: str = "sort",
    *,
    descending: bool = False,
    stable: bool = True,
    index_dtype: Any = "int64",
    value_bytes: int = 4,
    device: Any = None,
    database: str | os.PathLike[str] | None = None,
    budget_seconds: float = 80.0,
    budget_evaluations: int = 0,
    samples: int = 200,
    seed: int = 1,
    strategy: str | None = None,
    lengths: str | os.PathLike[str] | None = None,
    progress: Optional[Callable[[dict[str, Any]], Any]] = None,
) -> dict[str, Any]:
    """Search for the fastest way to sort arrays of some shapes, and store every trial in the tuning database.

    Parameters
    ----------
    shapes : int, tuple of int, or iterable of these
        Shapes of the arrays, which are sorted along their last axis. A tuple is one shape; a list is several.
    dtype : str or dtype
        Of the keys: "float32", "f4", `torch.bfloat16`, `numpy.uint64`, ...
    operation : {"sort", "argsort", "sort_by_key"}
    descending, stable, index_dtype
        As the calls will have them.
    value_bytes : int
        Of each value of sort_by_key: 1, 2, 4, 8 or 16.
    device : int, str or None
        As in `sort`; several devices with commas between them share the work. None means "auto": the current GPU.
    database : path, optional
        Where trials are stored; otherwise $BITUNE_DB, else the user's.
    budget_seconds : float
        For the whole session; 0 means no limit.
    budget_evaluations : int
        Most configurations for the whole session; 0 means no limit.
    samples : int
        Most samples of one configuration.
    seed : int
        Of the strategy.
    strategy : str, optional
        As `bitune tune --strategy` has them.
    lengths : str or path, optional
        Segments instead of rows: how long they are. "uniform" (0 to twice the mean), "zipf", "few_long", "equal", or
        "mixed" of the first three, as suits a tuning that is to serve any; and a shape (count, mean) each; or a text file with a length a line, and the shape (count, keys in all).
    progress : callable, optional
        Called with a dictionary after each evaluation. What it returns ends the session if it is true.

    Returns
    -------
    dict
        The report: the JSON of `bitune tune --json`.

    Raises
    ------
    ValueError, TypeError
        If an argument is wrong; the text begins with its name.
    bitune.Error
        If there is no such device, or all that was tried failed.

    Notes
    -----
    Sorts of this process that begin later use what was found. Do not sort on the device meanwhile: it spoils the
    measurements. Ctrl-C ends the session; what was measured is stored.
    """
    one = isinstance(shapes, int) or (isinstance(shapes, tuple) and all(isinstance(length, int) for length in shapes))
    wanted: list[Any] = [shapes] if one else list(shapes)  # type: ignore[arg-type]
    if not wanted:
        raise ValueError("shapes: at least one")
    problems = b"".join(
        problem_of_shape(
            shape, dtype, operation, descending=descending, stable=stable, index_dtype=index_dtype, value_bytes=value_bytes,
            lengths=lengths,
        )  # fmt: skip
        for shape in wanted
    )
    selector = selector_of(device)
    if selector == "auto" and all(entry["selector"] == "emulated" for entry in devices()):
        raise Error('device: there is no GPU to tune; device="emulated" tunes the emulated device, to try things out')
    options = _native.TuneOptions(
        ctypes.sizeof(_native.TuneOptions), selector.encode(), _native.encoded(database), None, None, None,
        _native.encoded(strategy), None, seed, budget_seconds, budget_evaluations, 30.0, 0.01, samples, 8, 4, 1, 1, 0,
        _native.encoded(lengths),
    )  # fmt: skip
    report = _session(options, problems, len(wanted), progress)
    forget_sorters()
    return report


def _session(options: Any, problems: bytes, count: int, progress: Optional[Callable[[dict[str, Any]], Any]]) -> dict[str, Any]:
    """In a thread of its own, so that this one hears Ctrl-C."""
    stop = threading.Event()
    failures: list[BaseException] = []
    done: list[tuple[int, Error | None, str]] = []

    def told(pointer: Any, _user: Any) -> int:
        if progress is not None and not failures:
            try:
                if progress(_progress_of(pointer.contents)):
                    stop.set()
            except BaseException as failure:  # it must not cross the library, and is raised where tune was called
                failures.append(failure)
                stop.set()
        return int(stop.is_set())

    callback = _native.TuneCallback(told)

    def session() -> None:
        text = ctypes.c_void_p()
        status = _native.library.bitune_tune(ctypes.byref(options), problems, count, callback, None, ctypes.byref(text))
        # The error's text is of this thread.
        done.append((status, _native.last_error(status) if status else None, _native.taken(text)))

    thread = threading.Thread(target=session, name="bitune tune")
    thread.start()
    try:
        thread.join()
    except BaseException:
        stop.set()
        thread.join()
        raise
    if failures:
        raise failures[0]
    _, error, text = done[0]
    if error is not None and not (error.code == "cancelled" and text):
        raise error
    report: dict[str, Any] = json.loads(text)
    return report


def _progress_of(now: Any) -> dict[str, Any]:
    best = now.best_configuration
    return {
        "problem": now.problem_index,
        "problems": now.problem_count,
        "evaluated": now.evaluated,
        "candidates": now.candidates,
        "best_configuration": None if best is None else best.decode(),
        "best_us": None if now.best_us < 0 else now.best_us,
        "elapsed_seconds": now.elapsed_seconds,
        "remaining_seconds": None if now.remaining_seconds < 0 else now.remaining_seconds,
    }


Rows = List[Dict[str, Any]]
"""What a database lists. By this name, since `Database.list` hides the built-in one."""


class Database:
    """A tuning database, which is only read. No GPU is needed.

    Parameters
    ----------
    path : path, optional
        Otherwise $BITUNE_DB, else the user's.

    Notes
    -----
    Each function reads the file anew. Words that restrict what is listed: `device` (a part of its name, or the
    beginning of its digest), `key` ("f32"), `order` ("asc", "desc"), `n` and `rows` (numbers, or "2^20"); of trials
    also `variant`, `status` and `limit`. Each raises `bitune.Error` if there is no such database, and `ValueError`
    for words that do not exist.
    """

    def __init__(self, path: str | os.PathLike[str] | None = None) -> None:
        self.path = None if path is None else os.fspath(path)

    def __repr__(self) -> str:
        return f"bitune.Database({self.path!r})"

    def list(self, **restrictions: Any) -> Rows:
        """What was tuned: each device and problem, how many trials there are, and the best of them."""
        return self._read("problems", restrictions)

    def best(self, **restrictions: Any) -> Rows:
        """The best configuration of each problem."""
        return self._read("best", restrictions)

    def trials(self, **restrictions: Any) -> Rows:
        """All that was measured, the newest first."""
        return self._read("trials", restrictions)

    def devices(self) -> Rows:
        """The devices that were tuned."""
        return self._read("devices", {})

    def frame(self, what: str = "best", **restrictions: Any) -> Any:
        """One of these ("list", "best", "trials", "devices") as a pandas frame. pandas must be installed."""
        import importlib

        pandas: Any = importlib.import_module("pandas")  # its types are no part of the package
        return pandas.json_normalize(self._read("problems" if what == "list" else what, restrictions))

    def _read(self, what: str, restrictions: dict[str, Any]) -> Rows:
        wanted = json.dumps(restrictions).encode() if restrictions else None
        text = _native.text_from(
            _native.library.bitune_database_json, _native.encoded(self.path), what.encode(), wanted
        )
        return _rows(json.loads(text))


def _rows(document: Any) -> Rows:
    """The list of a document that is one, or holds one beside the database's path."""
    if isinstance(document, dict):
        whole = cast("dict[str, Any]", document)
        lists = [cast("Rows", value) for value in whole.values() if isinstance(value, list)]
        return lists[0] if len(lists) == 1 else [whole]
    return cast("Rows", document)
