#!/usr/bin/env python3
"""Writes into docs/reliability.md, between marks, what docs/reliability.json tells of the campaigns. With --check it changes nothing, and
exits with 1 if the page says something else. --add takes what was counted elsewhere into the record
first."""

import argparse
import json
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent / "lib"))
import generated_page  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parents[1]
SCRIPT = "scripts/report_reliability.py"
TOOLS = ("memcheck", "initcheck", "racecheck", "synccheck")


def table(titles, rows):
    aligned = ["---"] + ["---:"] * (len(titles) - 1)
    return "\n".join("| " + " | ".join(map(str, row)) + " |" for row in [titles, aligned, *rows])


def told_of_gpu(steps):
    """Sentences and tables on what was tried on a GPU."""
    tools = [tool for tool in TOOLS if tool in steps]
    told = []
    if tools:
        variants = sorted({variant for tool in tools for variant in steps[tool]["told"]})
        rows = [[f"`{variant}`", *(cell_of(steps[tool]["told"].get(variant)) for tool in tools)] for variant in variants]
        told.append("Configurations that compute-sanitizer saw verified, and what it reported:\n\n" + table(["variant", *(f"`{tool}`" for tool in tools)], rows))
        known = [f"`{tool}` on `{variant}`" for tool in tools for variant, run in steps[tool]["told"].items() if run["known"] and run["reports"]]
        if known:
            told.append(f"What {', '.join(known)} reports is known to be no fault: [kernels.md](kernels.md).")
    rows = []
    for step, run in steps.items():
        if step in TOOLS:
            continue
        for device, told_there in run["told"].items():
            counts = {name.replace("_", " "): count for name, count in told_there.items() if isinstance(count, (int, float)) and count}
            rows.append([step, device, ", ".join(f"{round(count):,} {name}" for name, count in counts.items())])
    if rows:
        told.append(table(["what", "GPU", "counts"], rows).replace("---:", "---"))
    devices = sorted({device for run in steps.values() for device in run["devices"]})
    return f"On a GPU ({', '.join(devices)}), by `scripts/gpu/trust.sh`:\n\n" + "\n\n".join(told)


def cell_of(run):
    if run is None:
        return "not run"
    reports = "cut off" if run["reports"] is None else f"{run['reports']} reports" if run["reports"] else "none"
    return f"{run['verified']}, {reports}" + (f", {run['wrong']} wrong" if run["wrong"] else "")


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
    kills = sum(run["times"] for ends in crashes.values() for how, run in ends.items() if "kill" in how)
    told = f"The fuzzers read {inputs:,} inputs:\n\n{fuzzed}\n\nCommands were broken {times:,} times, {kills:,} of them by a kill:\n\n{broken}"
    return told + ("\n\n" + told_of_gpu(record["gpu"]) if record.get("gpu") else "")


def add(record, counted):
    """Takes what was counted elsewhere into the record: the steps of a run on a GPU, each instead of an older one; runs of
    fuzzers and of broken commands on top of what there is. Of a sanitizer each variant is told of which something was
    verified; of other steps each kind of GPU."""
    for step, told in counted.get("steps", {}).items():
        known = record.setdefault("gpu", {}).setdefault(step, {"devices": [], "told": {}})
        device = counted["device"]
        new = {variant: run for variant, run in told.items() if run["verified"]} if step in TOOLS else {device: told}
        known["devices"] = sorted({*known["devices"], device})
        known["told"] = dict(sorted({**known["told"], **new}.items()))
    for name, run in counted.get("fuzzers", {}).items():
        add_counts(record["fuzzers"].setdefault(name, {}), run)
    for name, ends in counted.get("crashes", {}).items():
        for how, run in ends.items():
            add_counts(record["crashes"].setdefault(name, {}).setdefault(how, {}), run)
    record["fuzzers"] = dict(sorted(record["fuzzers"].items()))


def add_counts(known, run):
    for what, count in run.items():
        known[what] = known.get(what, 0) + count


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="change nothing; exit code 1 if the page is out of date")
    parser.add_argument("--page", type=pathlib.Path, default=ROOT / "docs/reliability.md")
    parser.add_argument("--record", type=pathlib.Path, default=ROOT / "docs/reliability.json")
    parser.add_argument("--add", type=pathlib.Path, metavar="FILE", help="trust.json of scripts/gpu/trust.sh, or a record of scripts/campaign that began with nothing")
    arguments = parser.parse_args()
    record = json.loads(arguments.record.read_text())
    if arguments.add:
        add(record, json.loads(arguments.add.read_text()))
        arguments.record.write_text(json.dumps(record, indent=2) + "\n")
    told = told_of(record)
    if not generated_page.update(arguments.page, SCRIPT, told, arguments.check):
        sys.exit(f"{arguments.page} does not say what is recorded: run {SCRIPT}")


if __name__ == "__main__":
    main()
