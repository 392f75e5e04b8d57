#!/usr/bin/env python3
"""Puts new records of `bitune bench` in the place of the recorded ones of the same problem, and those that are new behind them.

  scripts/land_records.py NEW.json bench/results/nvidia-h200/pairs.json

Results that were not verified are refused. So are those without another sort beside them, where the recorded ones have one. A result with
another sort takes the place of one that stands alone. The pages are made anew by scripts/report_performance.py and scripts/draw_performance.py.
"""

import argparse
import json
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent / "lib"))
from performance_records import PLAIN  # noqa: E402

# What tells problems apart, with what a record means that says nothing.
KEY = PLAIN | {"suite": "", "preset": "", "peer": "", "key_type": "", "n": 0, "rows": 1, "device": ""}


def key_of(record):
    return tuple(record.get(member) or usual for member, usual in KEY.items())


def without_peer(record):
    return tuple(value for member, value in zip(KEY, key_of(record)) if member != "peer")


def landed(new, recorded):
    """All records, in the order of the recorded ones, and how many were replaced."""
    compared = {without_peer(record) for record in recorded if record.get("peer")}
    alone = sum(not record.get("peer") and without_peer(record) in compared for record in new)
    if alone:
        sys.exit(f"{alone} results stand alone, where the recorded ones have another sort beside them: bench again, with --against as there")
    now_compared = {without_peer(record): key_of(record) for record in new if record.get("peer")}

    def key_now(record):
        return key_of(record) if record.get("peer") else now_compared.get(without_peer(record), key_of(record))

    found = {key_now(record): record for record in recorded}
    if len({key_of(record) for record in recorded}) != len(recorded):
        sys.exit("some of the recorded results are there twice")
    replaced = sum(key_of(record) in found for record in new)
    found |= {key_of(record): record for record in new}
    return list(found.values()), replaced


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("new", type=pathlib.Path)
    parser.add_argument("recorded", type=pathlib.Path)
    arguments = parser.parse_args()
    new = json.loads(arguments.new.read_text())
    wrong = sum(not record["verified"] for record in new)
    if wrong:
        sys.exit(f"{arguments.new}: {wrong} results are not verified; none was landed")
    recorded = json.loads(arguments.recorded.read_text()) if arguments.recorded.exists() else []
    records, replaced = landed(new, recorded)
    lines = ",\n".join(json.dumps(record, separators=(",", ":"), ensure_ascii=False) for record in records)
    arguments.recorded.write_text(f"[\n{lines}\n]\n")
    print(f"{arguments.recorded}: {replaced} replaced, {len(new) - replaced} added")


if __name__ == "__main__":
    main()
