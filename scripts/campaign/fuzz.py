#!/usr/bin/env python3
"""Runs the fuzzers for long, and adds what they did to the record that docs/reliability.md is made from.

    cmake --preset fuzz && cmake --build --preset fuzz --target fuzz
    scripts/campaign/fuzz.py [--executions N] [--seconds S] [--jobs J] [TARGET...]

Each job runs one target for a while, on from what all have found (build/campaign/corpus); next is the target whose rest would take longest. So until
each has run N inputs, counting those that the record knows, or until S seconds are over, or until SIGTERM. A fault stops its target, leaves its
input under build/campaign/faults, and is counted; the other targets go on. On another machine, which has none of our packages:
pack_fuzzers.sh says how.
"""

import argparse
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
CORPUS = ROOT / "tests/fuzz/corpus"
RECORD = ROOT / "docs/reliability.json"
INTERRUPTED = 72  # what libFuzzer exits with after SIGINT
EXECUTED = re.compile(r"^stat::number_of_executed_units:\s*(\d+)", re.MULTILINE)


def memory_folder(otherwise: pathlib.Path) -> pathlib.Path:
    """Where the databases go that are made and thrown away: memory, where there is such a folder."""
    shared = pathlib.Path("/dev/shm")
    return shared if os.access(shared, os.W_OK) else otherwise


class Target:
    """A fuzzer: what it has done, here and as the record knows it, and how fast it is."""

    def __init__(self, name: str, known: int, executions: int):
        self.name, self.left, self.per_second = name, executions - known, 5000.0
        self.executed = self.faults = self.running = 0

    def seconds_left(self) -> float:
        """Until it is done, if one more job ran it."""
        return 0 if self.faults else self.left / self.per_second / (self.running + 1)

    def start(self, options: argparse.Namespace, seconds: int, seed: int) -> subprocess.Popen:
        found, faults = options.work / "corpus" / self.name, options.work / "faults"
        for folder in (found, faults):
            folder.mkdir(parents=True, exist_ok=True)
        command = [
            str(options.program), f"-runs={self.left}", f"-max_total_time={seconds}", f"-seed={seed}", "-max_len=4096", "-rss_limit_mb=4096",
            "-timeout=60", "-print_final_stats=1", "-verbosity=0", f"-artifact_prefix={faults}/{self.name}-", str(found), str(CORPUS / self.name),
        ]
        # Where memory came from is not kept, and what is freed only for some inputs: a fault's input tells the former when it is read again.
        environment = dict(os.environ, BITUNE_FUZZ_TARGET=self.name, ASAN_OPTIONS="protect_shadow_gap=0:malloc_context_size=0:quarantine_size_mb=8",
                           TMPDIR=str(memory_folder(options.work)))
        self.running += 1
        with open(options.work / f"{self.name}-{seed}.log", "wb") as log:
            job = subprocess.Popen(command, env=environment, stdout=log, stderr=log)
        job.target, job.log, job.began = self, pathlib.Path(log.name), time.monotonic()
        return job

    def ended(self, job: subprocess.Popen) -> None:
        told = EXECUTED.search(job.log.read_text(errors="replace"))
        executed = int(told.group(1)) if told else 0
        self.running -= 1
        self.executed += executed
        self.left -= executed
        self.per_second = max(1.0, executed / (time.monotonic() - job.began))
        if job.returncode not in (0, INTERRUPTED):
            self.faults += 1
        else:
            job.log.unlink()


def run(targets: list, options: argparse.Namespace, tell) -> None:
    """Runs the targets, `options.jobs` at a time; `tell` is called with each that did something."""
    deadline = time.monotonic() + options.seconds if options.seconds else float("inf")
    jobs, seed = [], options.seed
    while True:
        slice_s = int(min(60, deadline - time.monotonic()))
        while len(jobs) < options.jobs and slice_s > 0:
            target = max(targets, key=Target.seconds_left)
            if target.left <= 0 or target.faults:
                break
            jobs.append(target.start(options, slice_s, seed))
            seed += 1
        if not jobs:
            return
        time.sleep(0.1)
        for job in [job for job in jobs if job.poll() is not None]:
            jobs.remove(job)
            job.target.ended(job)
            tell(job.target)
        if options.stopped:
            deadline = 0
            for job in jobs:
                job.send_signal(signal.SIGINT)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("targets", nargs="*", metavar="TARGET", help="all that have a corpus, unless named")
    parser.add_argument("--program", type=pathlib.Path, default=ROOT / "build/fuzz/bin/fuzz")
    parser.add_argument("--executions", type=int, default=10_000_000)
    parser.add_argument("--seconds", type=int, default=0, help="0: as long as it takes")
    parser.add_argument("--seed", type=int, default=int(time.time()), help="of the first job; the time, unless said")
    parser.add_argument("--jobs", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--work", type=pathlib.Path, default=ROOT / "build/campaign", help="where inputs, faults and logs are kept")
    parser.add_argument("--known", type=pathlib.Path, default=RECORD, help="the record of what was run before")
    parser.add_argument("--record", type=pathlib.Path, default=RECORD, help="what this run is added to")
    options = parser.parse_args()
    names = sorted(path.name for path in CORPUS.iterdir())
    unknown = sorted(set(options.targets) - set(names))
    if unknown:
        parser.error(f"there is no target {', '.join(unknown)}; there are: {', '.join(names)}")
    options.stopped = False
    signal.signal(signal.SIGTERM, lambda *_: setattr(options, "stopped", True))

    known = json.loads(options.known.read_text())["fuzzers"] if options.known.exists() else {}
    record = json.loads(options.record.read_text()) if options.record.exists() else {}
    before = record.get("fuzzers", {})
    targets = [Target(name, known.get(name, {}).get("executions", 0), options.executions) for name in options.targets or names]

    def tell(target: Target) -> None:
        so_far = before.get(target.name, {"executions": 0, "faults": 0})
        told = {"executions": so_far["executions"] + target.executed, "faults": so_far["faults"] + target.faults}
        record["fuzzers"] = dict(sorted({**before, **record.get("fuzzers", {}), target.name: told}.items()))
        options.record.write_text(json.dumps(record, indent=2) + "\n")
        print(f"{target.name}: {target.executed} executions, {target.per_second:.0f} a second, {target.faults} faults", flush=True)

    run(targets, options, tell)
    return 1 if any(target.faults for target in targets) else 0


if __name__ == "__main__":
    sys.exit(main())
