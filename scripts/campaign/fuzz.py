#!/usr/bin/env python3
"""Runs the fuzzers for long, and adds what they did to the record that docs/reliability.md is made from.

    cmake --preset fuzz && cmake --build --preset fuzz --target fuzz
    scripts/campaign/fuzz.py [--executions N] [--seconds S] [--jobs J] [TARGET...]

Each target goes on from what earlier runs found (build/campaign/corpus), until it has run N inputs or S seconds. A fault
stops its target, leaves its input under build/campaign/faults, and is counted; the other targets go on. On another machine, which has
none of our packages: pack_fuzzers.sh says how.
"""

import argparse
import concurrent.futures
import json
import os
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
CORPUS = ROOT / "tests/fuzz/corpus"
RECORD = ROOT / "docs/reliability.json"
EXECUTED = re.compile(r"^stat::number_of_executed_units:\s*(\d+)", re.MULTILINE)


def memory_folder(otherwise: pathlib.Path) -> pathlib.Path:
    """Where the databases go that are made and thrown away: memory, where there is such a folder."""
    shared = pathlib.Path("/dev/shm")
    return shared if os.access(shared, os.W_OK) else otherwise


def run_target(program: pathlib.Path, target: str, options: argparse.Namespace) -> dict:
    found = options.work / "corpus" / target
    faults = options.work / "faults"
    for folder in (found, faults):
        folder.mkdir(parents=True, exist_ok=True)
    command = [
        str(program), f"-runs={options.executions}", f"-max_total_time={options.seconds}", f"-seed={options.seed}",
        "-max_len=4096", "-rss_limit_mb=4096", "-timeout=60", "-print_final_stats=1", "-verbosity=0",
        f"-artifact_prefix={faults}/{target}-", str(found), str(CORPUS / target),
    ]
    environment = dict(os.environ, BITUNE_FUZZ_TARGET=target, ASAN_OPTIONS="protect_shadow_gap=0", TMPDIR=str(memory_folder(options.work)))
    ended = subprocess.run(command, env=environment, capture_output=True, text=True, errors="replace", check=False)
    (options.work / f"{target}.log").write_text(ended.stdout + ended.stderr)
    executed = EXECUTED.search(ended.stderr)
    return {"target": target, "executions": int(executed.group(1)) if executed else 0, "faults": int(ended.returncode != 0)}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("targets", nargs="*", metavar="TARGET", help="all that have a corpus, unless named")
    parser.add_argument("--program", type=pathlib.Path, default=ROOT / "build/fuzz/bin/fuzz")
    parser.add_argument("--executions", type=int, default=10_000_000)
    parser.add_argument("--seconds", type=int, default=0, help="0: as long as it takes")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--work", type=pathlib.Path, default=ROOT / "build/campaign", help="where inputs, faults and logs are kept")
    parser.add_argument("--record", type=pathlib.Path, default=RECORD)
    options = parser.parse_args()
    known = sorted(path.name for path in CORPUS.iterdir())
    unknown = sorted(set(options.targets) - set(known))
    if unknown:
        parser.error(f"there is no target {', '.join(unknown)}; there are: {', '.join(known)}")

    record = json.loads(options.record.read_text()) if options.record.exists() else {}
    targets = record.setdefault("fuzzers", {})
    faults = 0
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        runs = [pool.submit(run_target, options.program, target, options) for target in options.targets or known]
        for run in concurrent.futures.as_completed(runs):
            result = run.result()
            so_far = targets.setdefault(result["target"], {"executions": 0, "faults": 0})
            so_far["executions"] += result["executions"]
            so_far["faults"] += result["faults"]
            faults += result["faults"]
            print(f"{result['target']}: {result['executions']} executions, {result['faults']} faults", flush=True)
            record["fuzzers"] = dict(sorted(targets.items()))
            options.record.write_text(json.dumps(record, indent=2) + "\n")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
