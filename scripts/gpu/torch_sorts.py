#!/usr/bin/env python3
"""Times torch's sorts of what `bitune bench` recorded, and adds `torch_us` to the records: torch.sort(dim=-1) of rows of keys, and
torch.argsort of arrays and rows, torch.topk (largest or smallest, sorted) of both, with the most memory that it took besides the keys
(`torch_bytes`).

torch.sort makes the sorted keys and their places (int64); it has no form without the places, and torch.argsort is torch.sort, of
which the keys are dropped. Its unsigned types do not sort on a GPU in all versions, so that u16, u32 and u64 are timed as int16,
int32 and int64, which take the same work. Times are medians, by events, the inputs prepared before. Other records stay as they are."""

import argparse
import json
import os
import pathlib
import statistics
import sys

TYPES = {"u16": "int16", "i16": "int16", "u32": "int32", "i32": "int32", "f32": "float32", "u64": "int64", "i64": "int64",
         "f64": "float64", "f16": "float16", "bf16": "bfloat16"}


def wanted(record):
    """What torch has a call for: the places of keys, and rows of keys."""
    if record["key_type"] not in TYPES or record.get("ragged"):
        return False
    operation = record.get("operation", "sort")
    if operation == "top_k":
        return record["distribution"] == "random"  # what random_rows makes
    return operation == "argsort" or (operation == "sort" and record["suite"] == "rows")


def random_rows(torch, record, dtype):
    generator = torch.Generator(device="cuda").manual_seed(1)
    shape = (record["rows"], record["n"])
    if dtype.is_floating_point:
        return torch.randn(shape, generator=generator, device="cuda", dtype=torch.float32).to(dtype)
    bounds = torch.iinfo(dtype)
    return torch.randint(bounds.min, bounds.max, shape, generator=generator, device="cuda", dtype=dtype)


def sort_of(torch, record):
    """The call that is timed, and one that gives the sorted keys by its result."""
    if record.get("operation", "sort") == "top_k":
        options = {"dim": -1, "largest": record["order"] == "descending", "sorted": True}
        return (lambda rows: torch.topk(rows, record["k"], **options)), (lambda rows, result: result.values)
    options = {"dim": -1, "descending": record["order"] == "descending"}
    if record.get("operation", "sort") == "sort":
        return (lambda rows: torch.sort(rows, **options)), (lambda rows, result: result.values)
    options["stable"] = bool(record["stable"])
    return (lambda rows: torch.argsort(rows, **options)), (lambda rows, result: torch.gather(rows, -1, result))


def check(rows, keys, record):
    """Against Python's own sort, on rows from both ends and the middle, as far as they are not too long for it."""
    if record["n"] > 1 << 22:
        return
    for row in {0, record["rows"] // 2, record["rows"] - 1}:
        right = sorted(rows[row].tolist(), reverse=record["order"] == "descending")
        if keys[row].tolist() != right[: record.get("k") or record["n"]]:
            sys.exit(f"torch sorted row {row} of {record['key_type']} n={record['n']} rows={record['rows']} wrongly")


def peak_bytes(torch, sort, rows):
    """The most memory that the sort took at once, its result included."""
    torch.cuda.synchronize()
    torch.cuda.reset_peak_memory_stats()
    before = torch.cuda.memory_allocated()
    sort(rows)
    torch.cuda.synchronize()
    return torch.cuda.max_memory_allocated() - before


def time_us(torch, sort, rows, samples, budget_ms):
    begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    times = []
    spent = 0.0
    for sample in range(-2, samples):  # the first two warm up
        if sample >= 3 and spent > budget_ms:
            break
        begin.record()
        sort(rows)
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
    parser.add_argument("results", type=pathlib.Path, help="rows.json, pairs.json or topk.json; rewritten")
    parser.add_argument("--samples", type=int, default=15)
    parser.add_argument("--missing", action="store_true", help="leave what has torch's times already")
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
        if not wanted(record) or (arguments.missing and "torch_us" in record):
            continue
        dtype = getattr(torch, TYPES[record["key_type"]])
        sort, keys_by = sort_of(torch, record)
        rows = random_rows(torch, record, dtype)
        given = rows.reshape(-1) if record["rows"] == 1 else rows  # an array has one dimension
        check(rows, keys_by(given, sort(given)).reshape(record["rows"], -1), record)
        record["torch_us"] = time_us(torch, sort, given, arguments.samples, arguments.budget_ms)
        record["torch_bytes"] = peak_bytes(torch, sort, given)
        record["torch_version"] = torch.__version__
        rate = record["n"] * record["rows"] / record["torch_us"] / 1000
        print(f"{record.get('operation', 'sort')} {record['key_type']} n={record['n']} rows={record['rows']}: "
              f"{record['torch_us']:.1f} us, {rate:.2f} Gkeys/s; bitune {record['gkeys_per_s']:.2f}", flush=True)
    store(arguments.results, records)


if __name__ == "__main__":
    main()
