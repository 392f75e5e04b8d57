"""Tuning the GPUs of a cluster: one session on each kind, and what it found for all workers."""

from __future__ import annotations

import contextlib
import os
import pathlib
import sqlite3
import subprocess
import tempfile
from typing import Any, Iterable, Optional, Union

from ._command import command_path
from ._errors import Error
from ._sorters import forget_sorters, selector_of
from ._tuning import Shape, devices
from ._tuning import tune as tune_here

Path = Union[str, "os.PathLike[str]"]


def tune(
    client: Any,
    shapes: Union[int, Shape, Iterable[Union[int, Shape]]],
    dtype: Any = "float32",
    operation: str = "sort",
    *,
    device: Any = None,
    database: Optional[Path] = None,
    **options: Any,
) -> dict[str, Any]:
    """Tune each kind of GPU that the workers of a cluster have, once, and tell all workers what was found.

    Parameters
    ----------
    client : distributed.Client
        Of the cluster.
    shapes, dtype, operation
        As in `bitune.tune`: shapes of chunks, since these are what is sorted.
    device : int, str or None
        Which device of a worker, as in `bitune.sort`. None: its GPU; workers without one only take what was found.
        "emulated" tunes the emulated device, to try things out.
    database : path, optional
        Of every worker; otherwise $BITUNE_DB there, else the user's.
    **options
        Further ones of `bitune.tune`, but for `progress`.

    Returns
    -------
    dict
        "kinds": a list of a dictionary for each kind of device, with its "device" (the name), "digest", the "worker" that tuned, all
        "workers" that have such a device, and the "report" of `bitune.tune`; "told": the workers whose databases have all of it now.

    Raises
    ------
    ValueError, TypeError
        If an argument is wrong; the text begins with its name.
    bitune.Error
        If no worker has a GPU, or a session or a merge failed.

    Notes
    -----
    A session stores its trials in its worker's own database. Then the databases of these workers are merged into those of all workers that
    are there (`bitune db merge`; merging twice adds nothing). A worker that joins later has only what its own database has. Sorts on a GPU that
    tunes spoil the measurements: let the cluster do nothing else meanwhile.

    Examples
    --------
    >>> import bitune.dask, distributed
    >>> client = distributed.Client()  # doctest: +SKIP
    >>> bitune.dask.tune(client, [1 << 24, 1 << 26], "float32", budget_seconds=300)  # doctest: +SKIP
    """
    if "progress" in options:
        raise TypeError("progress: the sessions are other processes', so that it cannot be called")
    kinds = _kinds(client.run(device_here, device))
    if not kinds:
        raise Error('device: no worker has a GPU to tune; device="emulated" tunes the emulated device, to try things out')
    futures = [
        client.submit(
            tune_and_export, shapes, dtype, operation, device, None if database is None else os.fspath(database), options,
            workers=[kind["worker"]], allow_other_workers=False, pure=False,
        )
        for kind in kinds
    ]  # fmt: skip
    found = client.gather(futures)
    databases = [exported for _, exported in found]
    told = client.run(merge_here, databases, None if database is None else os.fspath(database))
    for kind, (report, _) in zip(kinds, found):
        kind["report"] = report
    return {"kinds": kinds, "told": sorted(told)}


def device_here(device: Any) -> Optional[dict[str, Any]]:
    """Of the worker: its device's digest and name; None where it has none."""
    selector = selector_of(device)
    for entry in devices():
        is_gpu = entry["info"]["kind"] == "cuda"
        uuid = entry.get("software", {}).get("uuid")
        if selector in (entry["selector"], uuid) or (selector == "auto" and is_gpu):
            return {"digest": entry["info"]["digest"], "device": entry["info"]["name"]}
    return None


def _kinds(found: dict[str, Optional[dict[str, Any]]]) -> list[dict[str, Any]]:
    """A dictionary for each kind of device, by what the workers say of theirs."""
    kinds: dict[str, dict[str, Any]] = {}
    for worker in sorted(found):
        told = found[worker]
        if told is not None:
            kind = kinds.setdefault(told["digest"], {**told, "worker": worker, "workers": []})
            kind["workers"].append(worker)
    return list(kinds.values())


def tune_and_export(
    shapes: Any, dtype: Any, operation: str, device: Any, database: Optional[str], options: dict[str, Any]
) -> tuple[dict[str, Any], bytes]:
    """The report of a session, and the worker's database as it is then."""
    report = tune_here(shapes, dtype, operation, device=device, database=database, **options)
    with tempfile.TemporaryDirectory() as folder:
        copy = pathlib.Path(folder) / "tuning.db"
        with contextlib.closing(sqlite3.connect(report["database"])) as source, contextlib.closing(sqlite3.connect(copy)) as target:
            source.backup(target)
        return report, copy.read_bytes()


def merge_here(databases: list[bytes], database: Optional[str]) -> None:
    """Adds the trials of these databases to the worker's own."""
    with tempfile.TemporaryDirectory() as folder:
        files = [pathlib.Path(folder) / f"tuning{number}.db" for number in range(len(databases))]
        for file, content in zip(files, databases):
            file.write_bytes(content)
        named = [] if database is None else ["--db", database]
        done = subprocess.run(
            [command_path(), "db", "merge", "--quiet", *map(str, files), *named], capture_output=True, text=True, check=False
        )
    if done.returncode != 0:
        raise Error(f"the worker's tuning database takes nothing: {done.stderr.strip()}", "database")
    forget_sorters()
