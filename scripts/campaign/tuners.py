#!/usr/bin/env python3
"""Kills tuning sessions on the emulated device, their measuring workers and their compilers at random moments, breaks the disk under
them, and lets eight share one file.

    scripts/campaign/tuners.py [--kills N] [--every N] [--crowds N] [--seed S] [WAY...]

After each kill every trial that another process had seen stored must be there, `db check` must find nothing, no process of the session
may go on, the next session must work, and no file may be left beside the database. The disk is full, read-only or broken from one call of
the session that changes a file on (every N-th of them): it must end with a sentence, or with all that it tells of stored. After eight sessions on
one file it must hold the trials of all of them. Takes some seconds each: run by hand. Build the targets 'bitune' and 'failing_io' first.
"""

import argparse
import collections
import contextlib
import os
import pathlib
import random
import re
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from crash import ENDS, ROOT, Bench, add_to_record, trials_in  # noqa: E402

TUNE = ["tune", "--device", "emulated", "--sizes", "256", "--keys", "u32", "--variants", "warp", "--budget", "4evals", "--db", "a.db"]


def seen_in(path):
    """Trials that are stored already; none where there is no database yet."""
    try:
        return trials_in(path) if path.exists() else []
    except sqlite3.OperationalError:  # it is being created
        return []


def children_of(process):
    """The processes that it started, and those that these did."""
    found = []
    for stat in pathlib.Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text().rsplit(")", 1)[1].split()
        except OSError:
            continue
        if int(fields[1]) == process:
            child = int(stat.parent.name)
            found += [child, *children_of(child)]
    return found


def lives(process):
    try:
        return pathlib.Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False


def missing_from(trials, seen):
    return collections.Counter(seen) - collections.Counter(trials)


def check_and_go_on(bench, folder):
    code, said = bench.run(folder, ["db", "check", "--db", "a.db"])
    if code != 0:
        yield f"db check: {said}"
    code, said = bench.run(folder, TUNE)
    if code != 0:
        yield f"the next session fails: {said}"


def is_compiler(child):
    return (pathlib.Path(f"/proc/{child}/comm").read_text().strip() in ("cc1plus", "c++", "g++", "clang++", "clang", "as", "ld", "collect2"))


def is_worker(child):
    return b"\0worker\0" in pathlib.Path(f"/proc/{child}/cmdline").read_bytes()


def first_of(process, is_wanted):
    """The first child of the session that is one; none if the session ends before there is one."""
    while process.poll() is None:
        for child in children_of(process.pid):
            with contextlib.suppress(OSError):  # it has ended
                if is_wanted(child):
                    return child
    return None


def kill_one(bench, folder, victim, moment):
    """Sentences about what is wrong after the kill."""
    # Nothing is compiled yet where a compiler is to be killed.
    process = bench.start(folder, TUNE, {"XDG_CACHE_HOME": str(folder / ".cache")} if victim == "compiler" else None)
    time.sleep(moment)
    if victim == "session":
        children = children_of(process.pid)
        seen = seen_in(folder / "a.db")
        process.kill()
    else:
        child = first_of(process, is_compiler if victim == "compiler" else is_worker)
        children = children_of(process.pid)
        seen = seen_in(folder / "a.db")
        if child:
            with contextlib.suppress(ProcessLookupError):  # it has ended by itself
                os.kill(child, signal.SIGKILL)
    _, said = process.communicate()  # which ends as soon as nobody holds its pipes: no child either
    if victim != "session" and process.returncode not in (0, 1):
        yield f"a session whose {victim} was killed ended with {process.returncode}: {said}"
    going_on = [child for child in children if lives(child)]
    if going_on:
        yield f"{len(going_on)} processes go on"
    if (folder / "a.db").exists() and missing_from(trials_in(folder / "a.db"), seen):
        yield "a trial that was stored is gone"
    if (folder / "a.db").exists():
        yield from check_and_go_on(bench, folder)


def break_disk(bench, folder, end, call):
    """Sentences about what is wrong after the disk broke at this call; whether the call came."""
    mark = folder.parent / "mark"
    failing = {"LD_PRELOAD": str(bench.library), "FAILING_IO_AT": str(call), "FAILING_IO_WITH": ENDS[end], "FAILING_IO_MARK": str(mark),
               "FAILING_IO_IN": "tune"}
    process = bench.start(folder, TUNE, failing)
    out, said = process.communicate()
    came = mark.exists()
    mark.unlink(missing_ok=True)
    faults = []
    if process.returncode not in (0, 1):
        faults.append(f"ended with {process.returncode}: {said}")
    if process.returncode == 1 and "bitune: " not in said:
        faults.append(f"failed without a sentence: {said!r}")
    told = sum(int(count) for count in re.findall(r"^(\d+) trials? in ", out + said, re.MULTILINE))
    stored = len(trials_in(folder / "a.db")) if (folder / "a.db").exists() and (folder / "a.db").stat().st_size else 0
    if process.returncode == 0 and stored < told:
        faults.append(f"told of {told} trials, and {stored} are stored")
    return came, [*faults, *check_and_go_on(bench, folder)] if stored else faults


def crowd(bench, folder):
    processes = [bench.start(folder, [*TUNE, "--seed", str(seed)]) for seed in range(1, 9)]
    told = 0
    for process in processes:
        said, errors = process.communicate()
        if process.returncode != 0:
            yield f"one of eight ended with {process.returncode}: {errors}"
        told += sum(int(count) for count in re.findall(r"^(\d+) trials? in ", said + errors, re.MULTILINE))
    stored = len(trials_in(folder / "a.db"))
    if told == 0 or stored < told:  # finalists are stored once more
        yield f"eight sessions told of {told} trials, and {stored} are stored"
    yield from check_and_go_on(bench, folder)


def left_in(folder):
    """Files that are neither the database nor what SQLite keeps beside it."""
    return [path.name for path in folder.iterdir() if path.name not in ("a.db", "a.db-wal", "a.db-shm", ".cache")]


class Tally:
    """What was done, and how it went."""

    def __init__(self, record):
        self.record = record
        self.ways = {}

    def add(self, name, folder, faults):
        counts = self.ways.setdefault(name, {"times": 0, "faults": 0, "left": 0})
        left = left_in(folder)
        counts["times"] += 1
        counts["faults"] += bool(faults)
        counts["left"] += bool(left)
        for fault in [*faults, *(f"left behind: {file}" for file in left)]:
            print(f"{name}: {fault}", flush=True)
        shutil.rmtree(folder)

    def store(self, name):
        """Adds the counts of a way, so that they stay if the campaign is stopped."""
        counts = self.ways.pop(name, None)
        if counts is None:
            return False
        print(f"{name}: {counts}", flush=True)
        if self.record:
            add_to_record(self.record, "tune", {name: counts})
        return counts["faults"] > 0


def main():
    victims = {"session killed": "session", "worker killed": "worker", "compiler killed": "compiler"}
    disks = [end for end in ENDS if end != "kill"]
    ways = [*victims, *disks, "eight sessions on one file"]
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("ways", nargs="*", metavar="WAY", help=f"of {', '.join(ways)} (default: all)")
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build/release")
    parser.add_argument("--kills", type=int, default=10, help="of each victim")
    parser.add_argument("--every", type=int, default=1, help="only every N-th call")
    parser.add_argument("--crowds", type=int, default=1, help="times that eight sessions share a file")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--record", type=pathlib.Path, help="adds the counts to this file")
    options = parser.parse_args()
    unknown = sorted(set(options.ways) - set(ways))
    if unknown:
        parser.error(f"there is no way {unknown[0]!r}")
    chance = random.Random(options.seed)
    tally = Tally(options.record)
    faulty = False
    with tempfile.TemporaryDirectory(prefix="bitune-tuners-") as scratch:
        bench = Bench(options.build.resolve(), pathlib.Path(scratch))

        def folder():
            return pathlib.Path(tempfile.mkdtemp(dir=scratch))

        first = folder()
        began = time.monotonic()
        bench.run(first, TUNE, check=True)
        longest = time.monotonic() - began
        for name in options.ways or ways:
            if name in victims:
                for _ in range(options.kills):
                    own = folder()
                    tally.add(name, own, list(kill_one(bench, own, victims[name], chance.uniform(0, longest))))
            elif name in disks:
                call, came = 1, True
                while came:
                    own = folder()
                    came, faults = break_disk(bench, own, name, call)
                    if came:
                        tally.add(name, own, faults)
                    call += options.every
            else:
                for _ in range(options.crowds):
                    own = folder()
                    tally.add(name, own, list(crowd(bench, own)))
            faulty |= tally.store(name)
    return 1 if faulty else 0


if __name__ == "__main__":
    sys.exit(main())
