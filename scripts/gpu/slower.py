#!/usr/bin/env python3
"""Of records that `bitune bench --out` wrote: where is another one faster, and by how much?

usage: scripts/gpu/slower.py RECORDS.json
Others are CUB, and PyTorch where torch_sorts.py added its times.
"""

import json
import sys


def problem_of(record):
    carried = f" with values of {record['value_bytes']}" if record.get("value_bytes") else ""
    wanted = f", k {record['k']}" if record.get("k") else ""
    shape = f"{record['rows']} x {record['n']}" if record["rows"] > 1 else str(record["n"])
    return f"{record['operation']} {record['key_type']}{carried} {shape}{wanted}"


def fastest_other(record):
    others = {"CUB": record["peer_us"], "torch": record.get("torch_us")}
    return min(((us, name) for name, us in others.items() if us), default=(float("inf"), "nobody"))


def main():
    records = json.load(open(sys.argv[1], encoding="utf-8"))
    slower = []
    for record in records:
        us, name = fastest_other(record)
        if record["bitune_us"] > us:
            slower.append((record["bitune_us"] / us, record, name, us))
    compared = sum(bool(record["peer_us"]) for record in records)
    wrong = sum(not record["verified"] for record in records)
    print(f"{len(records)} problems, {compared} against CUB; slower than the faster of others: {len(slower)}; wrong: {wrong}")
    for ratio, record, name, us in sorted(slower, key=lambda entry: -entry[0]):
        variant = record["configuration"].split("(")[0]
        print(f"{problem_of(record)}: {record['bitune_us']:.1f} us, {name} {us:.1f}: {ratio:.2f} times as long, {record['match']}, {variant}")


main()
