#!/usr/bin/env python3
"""Writes what scripts/gpu/seeds.sh left in a folder into the tuner's records (bench/results/<gpu>/tuner.json), in place of older ones of its kind:
a record for each session, and one for each length with what every selection took. What docs/tuning.md says of them is generated from there
(report_performance.py). --from-nothing: of sessions that began with nothing, on a GPU that nobody had tuned."""

import argparse
import collections
import json
import pathlib
import re
import statistics


def seconds_of(text):
    """"1 min 22 s" -> 82."""
    return sum(float(number) * {"h": 3600, "min": 60, "s": 1}[unit] for number, unit in re.findall(r"([\d.]+) (h|min|s)\b", text))


def session_of(log, cores, machine, beforehand):
    trials, duration = re.search(r"(\d+) trials in (.+?) on ", log.read_text().splitlines()[-1]).groups()
    seed = log.stem.removeprefix("tune-")
    return {"suite": "tuner", "kind": "session", "problems": "u32, f32; 2^10, 2^11, ..., 2^26; all variants", "gpus": 1, "cores": cores,
            "command": f"tune --seed {seed}", "trials": int(trials), "seconds": round(seconds_of(duration)), **machine,
            "beforehand": beforehand}


def measured(folder):
    """(key type, n) -> selection (s1, s2, shipped) -> its records, by round."""
    times = collections.defaultdict(lambda: collections.defaultdict(list))
    for path in sorted(folder.glob("seeds-*.json")):
        selection = path.stem.split("-")[2]
        for record in json.loads(path.read_text()):
            if not record["verified"]:
                raise SystemExit(f"{path}: the sort of {record['n']} {record['key_type']} keys was not verified")
            times[record["key_type"], record["n"]][selection].append(record)
    return times


def record_of(kind, key_type, n, selections, machine):
    def microseconds(records):
        return [round(record["bitune_us"], 2) for record in records]

    shipped = microseconds(selections["shipped"])
    return {"suite": "tuner", "kind": kind, "key_type": key_type, "n": n,
            "seeds": {name.removeprefix("s"): {"match": records[0]["match"], "us": microseconds(records)}
                      for name, records in sorted(selections.items()) if name != "shipped"},
            ("untuned_us" if kind == "from_nothing" else "longer_us"): statistics.median(shipped) if shipped else None, **machine}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=pathlib.Path, help="OUT of scripts/gpu/seeds.sh")
    parser.add_argument("records", type=pathlib.Path, help="bench/results/<gpu>/tuner.json")
    parser.add_argument("--cores", type=int, required=True, help="processors that each session had")
    parser.add_argument("--from-nothing", action="store_true", help="the sessions had no tunings to begin with")
    arguments = parser.parse_args()
    times = measured(arguments.folder)
    if not times:
        raise SystemExit(f"{arguments.folder}: there is no seeds-*.json: it is the folder that scripts/gpu/seeds.sh wrote to")
    any_record = next(iter(next(iter(times.values())).values()))[0]
    machine = {member: any_record[member] for member in ("device", "driver", "date")}
    kind, beforehand = ("from_nothing", "nothing") if arguments.from_nothing else ("seeds", "the shipped tunings")
    kept = [record for record in json.loads(arguments.records.read_text())
            if record["kind"] != kind and not (record.get("command", "").startswith("tune --seed") and record["beforehand"] == beforehand)]
    made = [session_of(log, arguments.cores, machine, beforehand) for log in sorted(arguments.folder.glob("tune-*.log"))]
    seeds = [record_of(kind, *problem, selections, machine) for problem, selections in sorted(times.items())]
    arguments.records.write_text("[\n" + ",\n".join(json.dumps(record) for record in made + kept + seeds) + "\n]\n")


if __name__ == "__main__":
    main()
