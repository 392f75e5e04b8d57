#!/usr/bin/env python3
"""Times torch.sort(dim=-1) on the rows of a rows.json that `bitune bench --suite rows` wrote, and adds `torch_us` to its records.

torch.sort makes the sorted keys and their places (int64); it has no form without the places. Its unsigned types do not sort on a
GPU in all versions, so that u16, u32 and u64 are timed as int16, int32 and int64, which take the same work. Times are medians, by
events, the inputs prepared before."""

import argparse
import json
import os
import pathlib
import statistics
import sys

TYPES = {"u16": "int16", "i16": "int16", "u32": "int32", "i32": "int32", "f32": "float32", "u64": "int64", "i64": "int64",
         "f64": "float64", "f16": "float16", "bf16": "bfloat16"}


def random_rows(torch, record, dtype):
    generator = torch.Generator(device="cuda").manual_seed(1)
    shape = (record["rows"], record["n"])
    if dtype.is_floating_point:
        return torch.randn(shape, generator=generator, device="cuda", dtype=torch.float32).to(dtype)
    bounds = torch.iinfo(dtype)
    return torch.randint(bounds.min, bounds.max, shape, generator=generator, device="cuda", dtype=dtype)


def check(rows, values, descending, record):
    """Against Python's own sort, on rows from both ends and the middle."""
    for row in {0, record["rows"] // 2, record["rows"] - 1}:
        if values[row].tolist() != sorted(rows[row].tolist(), reverse=descending):
            sys.exit(f"torch sorted row {row} of {record['key_type']} n={record['n']} rows={record['rows']} wrongly")


def time_us(torch, rows, descending, samples, budget_ms):
    begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    times = []
    spent = 0.0
    for sample in range(-2, samples):  # the first two warm up
        if sample >= 3 and spent > budget_ms:
            break
        begin.record()
        torch.sort(rows, dim=-1, descending=descending)
        end.record()
        end.synchronize()
        spent += begin.elapsed_time(end)
        if sample >= 0:
            times.append(1000 * begin.elapsed_time(end))
    return statistics.median(times)


def store(path, records):
    """In the form in which bitune writes it: an object a line."""
    beside = path.with_name(f"{path.name}.{os.getpid()}.tmp")
    lines = ",\n".join(json.dumps(record, separators=(",", ":")) for record in records)
    beside.write_text(f"[\n{lines}\n]\n")
    beside.replace(path)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("results", type=pathlib.Path, help="rows.json; rewritten")
    parser.add_argument("--samples", type=int, default=15)
    parser.add_argument("--budget-ms", type=float, default=500, help="of one problem, after three samples")
    arguments = parser.parse_args()
    try:
        import torch
    except ImportError:
        sys.exit("this Python has no torch: give one that has, or leave this step out")
    if not torch.cuda.is_available():
        sys.exit("torch finds no GPU here")

    records = json.loads(arguments.results.read_text())
    for record in records:
        if record["suite"] != "rows" or record["key_type"] not in TYPES:
            continue
        dtype = getattr(torch, TYPES[record["key_type"]])
        descending = record["order"] == "descending"
        rows = random_rows(torch, record, dtype)
        check(rows, torch.sort(rows, dim=-1, descending=descending).values, descending, record)
        record["torch_us"] = time_us(torch, rows, descending, arguments.samples, arguments.budget_ms)
        record["torch_version"] = torch.__version__
        rate = record["n"] * record["rows"] / record["torch_us"] / 1000
        print(f"{record['key_type']} n={record['n']} rows={record['rows']}: {record['torch_us']:.1f} us, {rate:.2f} Gkeys/s; "
              f"bitune {record['gkeys_per_s']:.2f}", flush=True)
    store(arguments.results, records)


if __name__ == "__main__":
    main()
