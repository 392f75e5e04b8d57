#!/usr/bin/env python3
"""Reduces what scripts/gpu/trust.sh left in a folder to counts: prints a line for each part, and writes trust.json beside them.

    scripts/lib/trust_record.py OUT STEPS
"""

import argparse
import collections
import json
import pathlib
import re
import sqlite3
import sys

TOOLS = ("memcheck", "initcheck", "racecheck", "synccheck")
SUMMARY = re.compile(r"(?:ERROR|RACECHECK) SUMMARY: (\d+) (?:errors?|hazards?)")
# Trials with these ends say something about a kernel that ran; what did not fit or did not compile did not run.
WRONG = ("wrong_result", "launch_failed", "timed_out")
RACE = re.compile(r"Error: Race reported between .*? at (?:void )?(?:bitune::)?(\w+)(.*)")
# Kernels of which racecheck reports what is none, as parts of a block pass barriers of their own (docs/kernels.md): always, or if their
# blocks have more threads than a digit has values.
KNOWN = {"multiway_sort", "place_multiway_sort"}
THREADS_BEHIND_A_BOOL = re.compile(r"\(bool\)[01], \(int\)(\d+), \(int\)\d+, \(int\)8,")
KNOWN_OF_LARGE_BLOCKS = {
    "digit_row_sort": THREADS_BEHIND_A_BOOL,
    "digit_segments": THREADS_BEHIND_A_BOOL,
    "digit_rows": re.compile(r"PlacedForm\)\d+, \(int\)\d+, \(int\)\d+, \(int\)(\d+), \(int\)\d+, \(int\)\d+, \(int\)8,"),
}  # where the threads of a block stand


def is_known(race):
    """Whether what racecheck says of a kernel, its name and its template arguments, is known to be none."""
    name, arguments = race
    threads = KNOWN_OF_LARGE_BLOCKS[name].search(arguments) if name in KNOWN_OF_LARGE_BLOCKS else None
    return name in KNOWN or (threads is not None and int(threads[1]) > 256)


def trials_of(database, variant):
    """Configurations of the variant that were verified, those that went wrong, and the operations that it was verified for."""
    if not database.exists():
        return 0, 0, []
    with sqlite3.connect(database) as db:
        rows = db.execute("SELECT t.status, p.operation, c.text FROM trials t JOIN configurations c ON c.id = t.configuration_id "
                          "JOIN series s ON s.id = t.series_id JOIN problems p ON p.id = s.problem_id").fetchall()
    db.close()
    ends = collections.Counter(status for status, _, text in rows if text.partition("(")[0] == variant)
    wrong = sum(status in WRONG for status, _, _ in rows)  # of the incumbent, too
    done = {operation for status, operation, text in rows if status == "ok" and text.partition("(")[0] == variant}
    return ends["ok"], wrong, sorted(done)


def sanitized(folder, tool):
    """What a tool said of each variant."""
    told = {}
    for log in sorted(folder.glob(f"{tool}-*.log")):
        variant = log.stem.removeprefix(f"{tool}-")
        text = log.read_text(errors="replace")
        said = SUMMARY.findall(text)
        races = RACE.findall(text) if tool == "racecheck" else []
        verified, wrong, operations = trials_of(folder / f"{log.stem}.db", variant)
        told[variant] = {"verified": verified, "wrong": wrong, "operations": operations,
                         "reports": int(said[-1]) if said else None, "known": bool(races) and all(map(is_known, races))}
    return told


def tested(folder, step):
    """Tests of GoogleTest's JSON files, and what they recorded."""
    counts = collections.Counter(passed=0, failed=0, skipped=0)
    failures = []
    for file in sorted(folder.glob(f"{step}-*.json")):
        for suite in json.loads(file.read_text()).get("testsuites", []):
            for test in suite["testsuite"]:
                failed = bool(test.get("failures"))
                counts["failed" if failed else "skipped" if test["result"] == "SKIPPED" else "passed"] += 1
                if failed:
                    failures.append(f"{suite['name']}.{test['name']}")
                for name, value in test.items():
                    if name.startswith(("allocations_", "calls_", "links_")):
                        counts[name] += int(value)
    # A process that died wrote no file: what it ran has not ended.
    died = len(list(folder.glob(f"{step}-*.log"))) - len(list(folder.glob(f"{step}-*.json")))
    return {**counts, "processes_died": died, "failures": failures}


def soaked(folder):
    """What the soak counted; nothing if it left no counts."""
    counts = folder / "soak/soak.json"
    told = json.loads(counts.read_text()) if counts.exists() else {}
    return {name: told.get(name, 0) for name in ("right", "refused", "faults", "keys", "seconds")}


def is_right(step, told):
    if step == "soak":
        return told["faults"] == 0 and told["right"] > 0
    if step in TOOLS:
        return bool(told) and all(run["wrong"] == 0 and run["verified"] > 0 and (run["known"] or run["reports"] == 0) for run in told.values())
    return told["failed"] == 0 and told["processes_died"] == 0 and told["passed"] > 0


def line_of(step, told):
    if step in TOOLS:
        parts = [f"{len(told)} variants", f"{sum(run['verified'] for run in told.values())} configurations verified"]
        for variant, run in told.items():
            if run["reports"] is None:
                parts.append(f"{variant}: no summary")
            elif run["reports"]:
                parts.append(f"{variant}: {run['reports']} reports{', known to be none' if run['known'] else ''}")
            if run["wrong"] or not run["verified"]:
                parts.append(f"{variant}: {run['verified']} verified, {run['wrong']} wrong")
        return ", ".join(parts)
    return ", ".join(f"{name.replace('_', ' ')} {value if not isinstance(value, list) else ' '.join(value)}" for name, value in told.items() if value)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("steps")
    options = parser.parse_args()
    gpus = re.findall(r"^0\s+(.*)$", (options.out / "devices.txt").read_text(), re.MULTILINE) if (options.out / "devices.txt").exists() else []
    record = {"device": gpus[0].split("  ")[0] if gpus else "", "steps": {}}
    right = True
    for step in options.steps.split():
        told = soaked(options.out) if step == "soak" else sanitized(options.out, step) if step in TOOLS else tested(options.out, step)
        record["steps"][step] = told
        well = is_right(step, told)
        right &= well
        print(f"{step:10} {'right' if well else 'FAULTS'}: {line_of(step, told)}")
    (options.out / "trust.json").write_text(json.dumps(record, indent=2) + "\n")
    return 0 if right else 1


if __name__ == "__main__":
    sys.exit(main())
