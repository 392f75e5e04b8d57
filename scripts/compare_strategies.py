#!/usr/bin/env python3
"""Compares search strategies over recorded spaces, without a device: bitune's, and Kernel Tuner's in its simulation mode.

Counts the evaluations until a configuration is within 1 % of the best on record, over many seeds, and writes them to
bench/results/<device>/strategies.json; the tables of docs/tuning.md are made of that file (--report), or compared with it
(--check). Needs kernel_tuner (scripts/lib/requirements-compare.txt) for its part; --tools bitune leaves it out.
"""

import argparse
import datetime
import json
import os
import pathlib
import statistics
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent / "lib"))
import kernel_tuner_runs  # noqa: E402
import strategy_report  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parent.parent
WITHIN = 0.01
AT_ONCE = 34  # what a session proposes on 16 cores before the first answer
# Of Kernel Tuner 1.5.0; others by --strategies. greedy_ils does not run on these spaces: it fails where a configuration has no
# neighbour on record.
KERNEL_TUNER = ["random_sample", "genetic_algorithm", "simulated_annealing", "mls", "greedy_mls", "diff_evo", "bayes_opt"]


def record(tool, version, strategy, space, configurations, most, runs):
    """`space`: set, key_type, n and rows; `runs`: evaluations by seed, None where the search ended, or was cut off after `most`,
    without getting there."""
    counted = [most if run is None else run for run in runs]
    return {"suite": "strategies", "tool": tool, "tool_version": version, "strategy": strategy, **space,
            "configurations": configurations, "within": WITHIN, "most_evaluations": most, "seeds": len(runs),
            "reached": sum(run is not None for run in runs), "mean_evaluations": round(statistics.fmean(counted), 2),
            "median_evaluations": statistics.median(counted), "date": datetime.date.today().isoformat()}


def set_of(files):
    """A set of spaces is a folder of caches, by its name."""
    return files[0].resolve().parent.name


def run_bitune(program, files, seeds, strategy="all", at_once=1):
    command = [program, "tune", "--simulate", ",".join(map(str, files)), "--strategy", strategy, "--seeds", str(seeds),
               "--at-once", str(at_once), "--budget", "none", "--json"]
    document = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    version = subprocess.run([program, "--version"], check=True, capture_output=True, text=True).stdout.split()[-1]
    for space in document["spaces"]:
        runs = [run["evaluations_to_within_1_percent"] for run in space["runs"]]
        # Halving measures a configuration up to three times.
        most = max(run["evaluated"] for run in space["runs"])
        name = space["strategy"] if at_once == 1 else f"{space['strategy']}, {at_once} at once"
        problem = space["problem"]
        place = {"set": set_of(files), "key_type": problem["key"], "n": problem["n"], "rows": problem["rows"]}
        yield record("bitune", version, name, place, space["configurations"], most, runs)


def run_kernel_tuner(files, seeds, most, strategies):
    import importlib.metadata

    version = importlib.metadata.version("kernel_tuner")
    for (key_type, n, rows), variants in kernel_tuner_runs.load_spaces(files).items():
        space = {"set": set_of(files), "key_type": key_type, "n": n, "rows": rows}
        runs = kernel_tuner_runs.Runs(variants)
        for strategy in strategies:
            limit = len(runs) if strategy == "random_sample" else min(most, len(runs))
            counts = [runs.evaluations(strategy, seed, limit, WITHIN) for seed in range(1, seeds + 1)]
            result = record("kernel_tuner", version, strategy, space, len(runs), limit, counts)
            print(f"{key_type} {n} x {rows} {strategy}: {result['mean_evaluations']} ({result['reached']}/{seeds})", file=sys.stderr, flush=True)
            yield result


def store(path, new):
    """New records take the place of older ones of the same strategy and space."""
    entries = {}
    for entry in (json.loads(path.read_text()) if path.exists() else []) + new:
        entries[entry["set"], entry["tool"], entry["strategy"], entry["key_type"], entry["n"], entry["rows"]] = entry
    entries = [entries[key] for key in sorted(entries)]
    partial = path.with_suffix(".partial")
    partial.write_text("[\n" + ",\n".join(json.dumps(entry) for entry in entries) + "\n]\n")
    os.replace(partial, path)


def compare(files, arguments):
    """All that was asked for on the spaces of one set."""
    if "bitune" in arguments.tools.split(","):
        store(arguments.results, list(run_bitune(arguments.bitune, files, arguments.seeds)))
        store(arguments.results, list(run_bitune(arguments.bitune, files, arguments.seeds, "bayesian", AT_ONCE)))
    if "kernel_tuner" in arguments.tools.split(","):
        for new in run_kernel_tuner(files, arguments.seeds, arguments.most, arguments.strategies.split(",")):
            store(arguments.results, [new])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="*", type=pathlib.Path, help="caches of one folder (default: each of tests/data/recorded)")
    parser.add_argument("--bitune", default=str(ROOT / "build" / "release" / "bin" / "bitune"), help="the command")
    parser.add_argument("--tools", default="bitune,kernel_tuner", help="whose strategies (default: %(default)s)")
    parser.add_argument("--seeds", type=int, default=100)
    parser.add_argument("--most", type=int, default=300, help="evaluations of a Kernel Tuner run (default: %(default)s)")
    parser.add_argument("--strategies", default=",".join(KERNEL_TUNER), help="of Kernel Tuner")
    parser.add_argument("--results", type=pathlib.Path, default=ROOT / "bench" / "results" / "nvidia-h200" / "strategies.json")
    parser.add_argument("--page", type=pathlib.Path, default=ROOT / "docs" / "tuning.md")
    parser.add_argument("--report", action="store_true", help="run nothing; write the tables of the page")
    parser.add_argument("--check", action="store_true", help="run nothing; exit code 1 if the page is out of date")
    arguments = parser.parse_args()

    if not arguments.report and not arguments.check:
        folders = sorted(path for path in (ROOT / "tests" / "data" / "recorded").iterdir() if path.is_dir())
        for files in [arguments.files] if arguments.files else [sorted(folder.glob("*.json.gz")) for folder in folders]:
            compare(files, arguments)
    if not strategy_report.update(arguments.page, json.loads(arguments.results.read_text()), arguments.check):
        sys.exit(f"{arguments.page} does not say what {arguments.results} says: run scripts/compare_strategies.py --report")


if __name__ == "__main__":
    main()
