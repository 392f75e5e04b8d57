#!/usr/bin/env python3
"""Writes into docs/reliability.md, between marks, what docs/reliability.json tells of the campaigns. With --check it changes nothing, and
exits with 1 if the page says something else."""

import argparse
import json
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent / "lib"))
import generated_page  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parents[1]
SCRIPT = "scripts/report_reliability.py"


def table(titles, rows):
    aligned = ["---"] + ["---:"] * (len(titles) - 1)
    return "\n".join("| " + " | ".join(map(str, row)) + " |" for row in [titles, aligned, *rows])


def told_of(record):
    fuzzers = record["fuzzers"]
    fuzzed = table(["reader", "inputs", "faults found"],
                   [[f"`{name}`", f"{run['executions']:,}", run["faults"]] for name, run in fuzzers.items()])
    crashes = record["crashes"]
    broken = table(["command", "how", "times", "with a fault", "with a temporary file left"],
                   [[f"`{name}`", how, run["times"], run["faults"], run["left"]]
                    for name, ends in crashes.items() for how, run in ends.items()])
    inputs = sum(run["executions"] for run in fuzzers.values())
    times = sum(run["times"] for ends in crashes.values() for run in ends.values())
    return f"The fuzzers read {inputs:,} inputs:\n\n{fuzzed}\n\nCommands were broken {times:,} times:\n\n{broken}"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="change nothing; exit code 1 if the page is out of date")
    parser.add_argument("--page", type=pathlib.Path, default=ROOT / "docs/reliability.md")
    parser.add_argument("--record", type=pathlib.Path, default=ROOT / "docs/reliability.json")
    arguments = parser.parse_args()
    told = told_of(json.loads(arguments.record.read_text()))
    if not generated_page.update(arguments.page, SCRIPT, told, arguments.check):
        sys.exit(f"{arguments.page} does not say what is recorded: run {SCRIPT}")


if __name__ == "__main__":
    main()
