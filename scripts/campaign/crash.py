#!/usr/bin/env python3
"""Breaks commands that write files, and looks at what is left.

    scripts/campaign/crash.py [--every N] [--kills N --seed S] [OPERATION...]

At every call that changes a file (or every N-th of them), by a preloaded library: the process is killed there, the disk is full,
read-only or broken from there on. With --kills, N more kills at random moments. After each, an output or a database must be what it
was or what it should become, `db check` must find nothing, a command that failed must have said so in one sentence, and no file may
be left beside the others. Temporary files that a kill leaves, and the next run does not sweep, are counted by themselves. What was done is added to the record that
docs/reliability.md is made from, if --record names it. Build the targets 'bitune' and 'failing_io' first.
"""

import argparse
import collections
import dataclasses
import errno
import json
import os
import pathlib
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
import typing

ROOT = pathlib.Path(__file__).resolve().parents[2]
ENDS = {"kill": "kill", "disk full": str(errno.ENOSPC), "read-only": str(errno.EROFS), "broken disk": str(errno.EIO)}


def cache_of(blocks):
    """A cache of Kernel Tuner with a trial for each block size."""
    entry = {"items_per_thread": 4, "time": 1.5, "times": [1.5, 1.5], "compile_time": 1, "verification_time": 0, "benchmark_time": 1,
             "strategy_time": 0, "framework_time": 0, "timestamp": "2026-11-21 12:26:11.411558+00:00"}
    return json.dumps({
        "device_name": "a device", "kernel_name": "bitune_warp_u32_ascending", "problem_size": 1024,
        "tune_params_keys": ["block_size_x", "items_per_thread"], "tune_params": {"block_size_x": blocks, "items_per_thread": [4]},
        "objective": ["time"], "cache": {f"{block},4": {"block_size_x": block, **entry} for block in blocks}})


def trials_in(path):
    """What a database holds: the texts and samples of its trials. Reading it here ends a write that was under way, as any next reader does."""
    with sqlite3.connect(path) as db:
        rows = db.execute("SELECT c.text, t.status, t.samples FROM trials t JOIN configurations c ON c.id = t.configuration_id").fetchall()
    db.close()
    return sorted(rows)


@dataclasses.dataclass
class Operation:
    arguments: list[str]
    changes: str  # the file that it changes
    prepare: typing.Callable[[pathlib.Path, "Bench"], None]

    @property
    def is_database(self):
        return self.changes.endswith(".db")


def prepare_sort(folder, bench):
    (folder / "in.bin").write_bytes(bytes(range(255, -1, -1)) * 1200)
    (folder / "out.bin").write_bytes(b"what was there before")


def prepare_databases(folder, bench):
    for name, blocks in (("a", [32, 64]), ("b", [64, 128, 256])):
        (folder / f"{name}.json").write_text(cache_of(blocks))
        bench.run(folder, ["db", "import", f"{name}.json", "--db", f"{name}.db"], check=True)


OPERATIONS = {
    "sort -o": Operation(["sort", "in.bin", "--type", "u8", "-o", "out.bin", "--device", "emulated"], "out.bin", prepare_sort),
    "db import": Operation(["db", "import", "b.json", "--db", "a.db"], "a.db", prepare_databases),
    "db merge": Operation(["db", "merge", "b.db", "--db", "a.db"], "a.db", prepare_databases),
    "db prune": Operation(["db", "prune", "--status", "unverified", "--db", "a.db"], "a.db", prepare_databases),
}


class Bench:
    """Where commands are run: the executable, the library, and a home of their own."""

    def __init__(self, build, folder):
        self.program = build / "bin/bitune"
        self.library = build / "tests/libfailing_io.so"
        self.folder = folder
        self.environment = {**os.environ, "XDG_DATA_HOME": str(folder / "data"), "XDG_CACHE_HOME": str(folder / "cache"),
                            "ASAN_OPTIONS": "protect_shadow_gap=0:detect_leaks=0:verify_asan_link_order=0"}

    def start(self, folder, arguments, failing=None):
        environment = {**self.environment, "TMPDIR": str(folder), **(failing or {})}
        return subprocess.Popen([self.program, *arguments], cwd=folder, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                text=True, errors="replace")

    def run(self, folder, arguments, failing=None, check=False):
        process = self.start(folder, arguments, failing)
        _, printed = process.communicate()
        if check and process.returncode != 0:
            sys.exit(f"{arguments} cannot be run at all: {printed}")
        return process.returncode, printed

    def copy_of(self, model):
        folder = pathlib.Path(tempfile.mkdtemp(prefix="run-", dir=self.folder))
        shutil.copytree(model, folder, dirs_exist_ok=True)
        return folder

    def state(self, folder, operation):
        path = folder / operation.changes
        return trials_in(path) if operation.is_database else path.read_bytes()


@dataclasses.dataclass
class Model:
    """An operation's files before it, and what it changes before and after it."""

    folder: pathlib.Path
    before: object
    after: object
    files: set


def model_of(bench, operation):
    folder = pathlib.Path(tempfile.mkdtemp(prefix="model-", dir=bench.folder))
    operation.prepare(folder, bench)
    done = bench.copy_of(folder)
    bench.run(done, operation.arguments, check=True)  # and kernels are compiled
    model = Model(folder, bench.state(folder, operation), bench.state(done, operation), {path.name for path in folder.iterdir()})
    if model.before == model.after:
        sys.exit(f"{operation.arguments} changes nothing")
    shutil.rmtree(done)
    return model


def left_in(folder, model):
    """Files that were not there. SQLite's journal beside a database is a part of it, where it could not be written back."""
    return sorted({path.name for path in folder.iterdir() if not path.name.endswith((".db-wal", ".db-shm"))} - model.files)


def faults_of(bench, operation, model, folder, code, printed, killed):
    """What is wrong with what is left: sentences."""
    if killed:
        if code != -signal.SIGKILL and code != 0:
            yield f"ended with {code}, not by the kill: {printed}"
    elif code not in (0, 1):
        yield f"ended with {code}: {printed}"
    elif code == 1 and not printed.startswith("bitune: "):
        yield f"failed without a sentence: {printed!r}"
    try:
        state = bench.state(folder, operation)
        if state not in (model.before, model.after):
            yield f"'{operation.changes}' is neither what it was nor what it should become"
        elif code == 0 and state != model.after:
            yield "told of success, and nothing was changed"
    except (OSError, sqlite3.Error) as error:
        yield f"'{operation.changes}' cannot be read: {error}"
    if operation.is_database:
        code, found = bench.run(folder, ["db", "check", "--db", operation.changes])
        if code != 0:
            yield f"db check: {found}"
    if killed:
        code, found = bench.run(folder, operation.arguments)
        if code != 0:
            yield f"cannot be run again: {found}"
        elif bench.state(folder, operation) != model.after:
            yield "run again, it does not end as it should"
    left = left_in(folder, model)
    if left and not killed:
        yield f"left behind: {', '.join(left)}"


def break_at_calls(bench, operation, model, end, every, report):
    """Breaks the operation at one call after another, until it ends before the call comes."""
    call = 1
    while True:
        folder = bench.copy_of(model.folder)
        mark = bench.folder / "mark"
        failing = {"LD_PRELOAD": str(bench.library), "FAILING_IO_AT": str(call), "FAILING_IO_WITH": ENDS[end],
                   "FAILING_IO_MARK": str(mark), "FAILING_IO_IN": operation.arguments[0]}
        code, printed = bench.run(folder, operation.arguments, failing)
        came = mark.exists()
        mark.unlink(missing_ok=True)
        if came:
            faults = list(faults_of(bench, operation, model, folder, code, printed, end == "kill"))
            report(end, f"call {call}", faults, left_in(folder, model))
        shutil.rmtree(folder)
        if not came:
            return
        call += every


def kill_at_random(bench, operation, model, chance, longest, report):
    folder = bench.copy_of(model.folder)
    process = bench.start(folder, operation.arguments)
    moment = chance.uniform(0, longest)
    time.sleep(moment)
    process.kill()
    _, printed = process.communicate()
    faults = list(faults_of(bench, operation, model, folder, process.returncode, printed, True))
    report("kill at random", f"{moment:.4f} s", faults, left_in(folder, model))
    shutil.rmtree(folder)


def add_to_record(path, name, tallies):
    """Adds an operation's counts, so that what was done stays if the campaign is stopped."""
    record = json.loads(path.read_text()) if path.exists() else {}
    ends = record.setdefault("crashes", {}).setdefault(name, {})
    for end, tally in tallies.items():
        so_far = ends.setdefault(end, dict.fromkeys(tally, 0))
        ends[end] = {key: so_far[key] + count for key, count in tally.items()}
    path.write_text(json.dumps(record, indent=2) + "\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("operations", nargs="*", metavar="OPERATION", help=f"of {', '.join(OPERATIONS)} (default: all)")
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build/release", help="folder of the build")
    parser.add_argument("--every", type=int, default=1, help="only every N-th call")
    parser.add_argument("--kills", type=int, default=0, help="kills at random moments, of each operation")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--record", type=pathlib.Path, help="adds the counts to this file")
    options = parser.parse_args()
    unknown = sorted(set(options.operations) - set(OPERATIONS))
    if unknown:
        parser.error(f"there is no operation {unknown[0]!r}")

    times = faulty = 0
    with tempfile.TemporaryDirectory(prefix="bitune-crash-") as scratch:
        bench = Bench(options.build.resolve(), pathlib.Path(scratch))
        for name in options.operations or OPERATIONS:
            operation = OPERATIONS[name]
            model = model_of(bench, operation)

            tallies = collections.defaultdict(lambda: {"times": 0, "faults": 0, "left": 0})

            def report(end, where, faults, left, name=name, tallies=tallies):
                tallies[end]["times"] += 1
                tallies[end]["faults"] += bool(faults)
                tallies[end]["left"] += bool(left)
                for fault in [*faults, *(f"left behind: {file}" for file in left)]:
                    print(f"{name}, {end} at {where}: {fault}", flush=True)

            for end in ENDS:
                break_at_calls(bench, operation, model, end, options.every, report)
            if options.kills:
                began = time.monotonic()
                whole = bench.copy_of(model.folder)
                bench.run(whole, operation.arguments, check=True)
                chance, longest = random.Random(options.seed), time.monotonic() - began
                for _ in range(options.kills):
                    kill_at_random(bench, operation, model, chance, longest, report)

            for end, tally in tallies.items():
                print(f"{name}, {end}: {tally['times']} times, {tally['faults']} with a fault, {tally['left']} with files left", flush=True)
                times += tally["times"]
                faulty += tally["faults"]
            if options.record:
                add_to_record(options.record, name, tallies)

    print(f"{times} in all, {faulty} with a fault")
    return 1 if faulty or not times else 0


if __name__ == "__main__":
    sys.exit(main())
