#!/usr/bin/env python3
"""Kills tuning sessions on the emulated device at random moments, and lets eight share one file.

    scripts/campaign/tuners.py [--kills N] [--crowds N] [--seed S]

After each kill every trial that another process had seen stored must be there, `db check` must find nothing, no process of the session
may go on, and the next session must work. After eight sessions on one file it must hold the trials of all of them. Takes some
seconds a kill: run by hand. Build the target 'bitune' first.
"""

import argparse
import collections
import contextlib
import json
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
from crash import ROOT, Bench, trials_in  # noqa: E402

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
    code, printed = bench.run(folder, ["db", "check", "--db", "a.db"])
    if code != 0:
        yield f"db check: {printed}"
    code, printed = bench.run(folder, TUNE)
    if code != 0:
        yield f"the next session fails: {printed}"


def kill_one(bench, folder, victim, moment):
    """Sentences about what is wrong after the kill."""
    process = bench.start(folder, TUNE)
    time.sleep(moment)
    children = children_of(process.pid)
    seen = seen_in(folder / "a.db")
    if victim == "session":
        process.kill()
    elif children:
        with contextlib.suppress(ProcessLookupError):  # it has ended by itself
            os.kill(children[0], signal.SIGKILL)
    _, printed = process.communicate()  # which ends as soon as nobody holds its pipes: no child either
    if victim == "worker" and process.returncode not in (0, 1):
        yield f"a session whose worker was killed ended with {process.returncode}: {printed}"
    going_on = [child for child in children if lives(child)]
    if going_on:
        yield f"{len(going_on)} processes go on"
    if (folder / "a.db").exists() and missing_from(trials_in(folder / "a.db"), seen):
        yield "a trial that was stored is gone"
    if (folder / "a.db").exists():
        yield from check_and_go_on(bench, folder)


def crowd(bench, folder):
    processes = [bench.start(folder, [*TUNE, "--seed", str(seed)]) for seed in range(1, 9)]
    told = 0
    for process in processes:
        printed, errors = process.communicate()
        if process.returncode != 0:
            yield f"one of eight ended with {process.returncode}: {errors}"
        told += sum(int(count) for count in re.findall(r"^(\d+) trials? in ", printed + errors, re.MULTILINE))
    stored = len(trials_in(folder / "a.db"))
    if told == 0 or stored < told:  # finalists are stored once more
        yield f"eight sessions told of {told} trials, and {stored} are stored"
    yield from check_and_go_on(bench, folder)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build/release")
    parser.add_argument("--kills", type=int, default=10, help="of each victim")
    parser.add_argument("--crowds", type=int, default=1, help="times that eight sessions share a file")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--record", type=pathlib.Path, help="adds the counts to this file")
    options = parser.parse_args()
    chance = random.Random(options.seed)
    ways = [("session killed", lambda bench, folder, longest: kill_one(bench, folder, "session", chance.uniform(0, longest)), options.kills),
            ("worker killed", lambda bench, folder, longest: kill_one(bench, folder, "worker", chance.uniform(0, longest)), options.kills),
            ("eight sessions on one file", lambda bench, folder, longest: crowd(bench, folder), options.crowds)]
    tuned = {}
    with tempfile.TemporaryDirectory(prefix="bitune-tuners-") as scratch:
        bench = Bench(options.build.resolve(), pathlib.Path(scratch))
        first = pathlib.Path(tempfile.mkdtemp(dir=scratch))
        began = time.monotonic()
        bench.run(first, TUNE, check=True)
        longest = time.monotonic() - began
        for name, way, times in ways:
            tuned[name] = {"times": 0, "faults": 0, "left": 0}
            for _ in range(times):
                folder = pathlib.Path(tempfile.mkdtemp(dir=scratch))
                faults = list(way(bench, folder, longest))
                left = [path.name for path in folder.iterdir() if not path.name.startswith("a.db")]
                tuned[name]["times"] += 1
                tuned[name]["faults"] += bool(faults)
                tuned[name]["left"] += bool(left)
                for fault in faults:
                    print(f"{name}: {fault}", flush=True)
                shutil.rmtree(folder)
            print(f"{name}: {tuned[name]}", flush=True)
    if options.record:
        record = json.loads(options.record.read_text()) if options.record.exists() else {}
        known = record.setdefault("crashes", {}).setdefault("tune", {})
        for name, counts in tuned.items():
            so_far = known.setdefault(name, dict.fromkeys(counts, 0))
            known[name] = {key: so_far[key] + count for key, count in counts.items()}
        options.record.write_text(json.dumps(record, indent=2) + "\n")
    return 1 if any(counts["faults"] for counts in tuned.values()) else 0


if __name__ == "__main__":
    sys.exit(main())
