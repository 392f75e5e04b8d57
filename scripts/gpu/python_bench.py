#!/usr/bin/env python3
"""Times calls of bitune on tensors of PyTorch beside torch.sort, torch.argsort and cupy.sort, and adds records to a JSON file.

All contenders make new arrays for their results in each call. What is compared is alike:

  sort            keys alone: bitune.sort with cupy.sort; and with torch.sort, which makes indices too and has no form without
  argsort         indices alone, equal keys in order: bitune.argsort with torch.argsort(stable=True); beside it bitune.argsort
                  with int32 indices, and with these made int64 afterwards
  sort + indices  both, equal keys in order: bitune.argsort(return_keys=True) with torch.sort(stable=True)

`host_us`: until the call returns, of many calls in a row. `us`: between CUDA events around these calls, by each. Both are medians of
rounds in which the contenders take turns. Results are compared with PyTorch's before anything is timed.
"""

import argparse
import concurrent.futures
import contextlib
import datetime
import json
import os
import pathlib
import statistics
import sys
import time

import torch

import bitune
import bitune.torch  # noqa: F401

try:
    import cupy
except ImportError:
    cupy = None

ROUNDS = 9
BATCH_US = 3000  # of calls in a row
MOST_CALLS = 100  # far fewer than the driver queues before it makes the host wait


def random_keys(shape, dtype):
    generator = torch.Generator("cuda").manual_seed(1)
    if dtype.is_floating_point:
        return torch.randn(shape, generator=generator, device="cuda").to(dtype)
    bounds = torch.iinfo(dtype)
    return torch.randint(bounds.min, bounds.max, shape, generator=generator, device="cuda", dtype=dtype)


def contenders_of(operation, x):
    """By name: a call, and what it gives as (keys or None, indices or None)."""
    if operation == "sort":
        found = {
            "bitune": (lambda: bitune.sort(x), lambda r: (r, None)),
            "torch.sort": (lambda: torch.sort(x), lambda r: (r[0], None)),
        }
        if cupy is not None:
            with contextlib.suppress(Exception):  # a type that CuPy does not know
                array = cupy.from_dlpack(x)
                found["cupy.sort"] = (lambda: cupy.sort(array), lambda r: (torch.from_dlpack(r), None))
        return found
    if operation == "argsort":
        return {
            "bitune": (lambda: bitune.argsort(x), lambda r: (None, r)),
            "bitune.int32": (lambda: bitune.argsort(x, index_dtype=torch.int32), lambda r: (None, r.long())),
            "bitune.widened": (lambda: bitune.argsort(x, index_dtype=torch.int32).long(), lambda r: (None, r)),
            "torch.argsort": (lambda: torch.argsort(x, stable=True), lambda r: (None, r)),
        }
    return {
        "bitune": (lambda: bitune.argsort(x, return_keys=True), lambda r: (r[1], r[0])),
        "torch.sort": (lambda: torch.sort(x, stable=True), lambda r: (r[0], r[1])),
    }


def is_right(result, expected):
    keys, indices = result
    return (keys is None or torch.equal(keys, expected.values)) and (indices is None or torch.equal(indices, expected.indices))


def time_batch(call, count):
    """(host_us, us) of each call of a batch."""
    begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    torch.cuda.synchronize()
    begin.record()
    started = time.perf_counter()
    for _ in range(count):
        call()
    host = time.perf_counter() - started
    end.record()
    end.synchronize()
    return 1e6 * host / count, 1e3 * begin.elapsed_time(end) / count


def compare(operation, x):
    """The record of one problem, or None where bitune cannot sort it."""
    contenders = contenders_of(operation, x)
    expected = torch.sort(x, stable=True)
    for name, (call, parts) in contenders.items():
        if not is_right(parts(call()), expected):
            sys.exit(f"{name} sorted {operation} of {tuple(x.shape)} {x.dtype} wrongly")
    del expected
    counts = {}
    for name, (call, _) in contenders.items():
        call()
        counts[name] = int(min(MOST_CALLS, max(1, BATCH_US // max(1.0, *time_batch(call, 3)))))
    times = {name: [] for name in contenders}
    for _ in range(ROUNDS):
        for name, (call, _) in contenders.items():
            times[name].append(time_batch(call, counts[name]))
    record = {"suite": "python", "operation": operation, "key_type": str(x.dtype).rpartition(".")[2], "n": x.shape[-1]}
    record["rows"] = x.numel() // max(1, x.shape[-1])
    for name in contenders:
        host, device = (statistics.median(sample[i] for sample in times[name]) for i in (0, 1))
        prefix = name.replace(".", "_")
        record |= {f"{prefix}_host_us": round(host, 3), f"{prefix}_us": round(device, 3)}
    others = [v for k, v in record.items() if k.endswith("_us") and "host" not in k and "bitune" not in k]
    record["ratio"] = round(min(others) / record["bitune_us"], 3)
    record["verified"] = True
    told = bitune.explain(x, **words_of(operation))
    return record | {"match": told["match"], "configuration": told["configuration"]}


OPERATIONS = ("sort", "argsort", "sort + indices")


def words_of(operation):
    """As bitune.prepare and bitune.explain take them."""
    index_dtype = {"index_dtype": "int32"} if operation == "argsort of int32" else {}
    return {"operation": "sort" if operation == "sort" else "argsort", "return_keys": operation == "sort + indices"} | index_dtype


def prepare(problems):
    """Compiles on all processors what the calls to come need; says which of them cannot be sorted."""

    def one(problem):
        operation, shape, dtype = problem
        x = torch.empty(shape, dtype=dtype, device="cuda")
        try:
            bitune.prepare(x, **words_of(operation))
        except bitune.Error as error:
            if error.code != "unavailable":
                raise
            return f"{operation} of rows: {error}" if len(shape) > 1 else f"{operation}: {error}"
        return None

    began = time.perf_counter()
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        refusals = list(pool.map(one, problems))
    torch.cuda.synchronize()
    print(f"prepared {len(problems)} problems in {time.perf_counter() - began:.1f} s", flush=True)
    for refusal in dict.fromkeys(filter(None, refusals)):
        print(f"left out: {refusal}", flush=True)
    return [problem for problem, refusal in zip(problems, refusals) if refusal is None]


def problems_of(shapes, dtypes):
    return [(operation, shape, dtype) for dtype in dtypes for shape in shapes for operation in (*OPERATIONS, "argsort of int32")]


def warm_up():
    """Until the clocks of the GPU are up."""
    x, began = torch.randn(1 << 22, device="cuda"), time.perf_counter()
    while time.perf_counter() - began < 0.5:
        torch.sort(x)
        torch.cuda.synchronize()


def run_comparison(shapes, dtypes, records):
    problems = [problem for problem in prepare(problems_of(shapes, dtypes)) if problem[0] in OPERATIONS]
    warm_up()
    for operation, shape, dtype in problems:
        record = compare(operation, random_keys(shape, dtype))
        records.add(record)
        times = ", ".join(f"{k[:-3]} {v:.2f}" for k, v in record.items() if k.endswith("_us"))
        print(f"{record['key_type']} {operation} {record['rows']} x {record['n']}: ratio {record['ratio']:.2f}; us: {times}", flush=True)


def run_calls(dtypes, records):
    """What the host pays for a call on 1,024 keys, one after the other, and what an empty tensor alone costs."""
    x = random_keys((1024,), dtypes[0])
    values, out = torch.arange(1024, device="cuda"), torch.empty_like(x)
    for words in ({}, {"operation": "argsort"}, {"operation": "argsort", "return_keys": True}):
        bitune.prepare(x, **words)
    bitune.prepare(x, "sort_by_key", values=values)
    bitune.sort(x)
    from bitune import _tensors

    known, stream = list(bitune._short.calls.values())[-1], bitune._short.kind.current_stream
    calls = {
        "torch.empty_like": lambda: torch.empty_like(x),
        "bitune_run of sort": lambda: _tensors.launch(known, stream, x, out, None, None, None),  # the C library, called by Python
        "bitune.sort": lambda: bitune.sort(x),
        "bitune.sort(out=)": lambda: bitune.sort(x, out=out),
        "bitune.argsort": lambda: bitune.argsort(x),
        "bitune.argsort(return_keys=True)": lambda: bitune.argsort(x, return_keys=True),
        "bitune.sort_by_key": lambda: bitune.sort_by_key(x, values),
        "torch.sort": lambda: torch.sort(x),
        "torch.argsort(stable=True)": lambda: torch.argsort(x, stable=True),
    }
    if cupy is not None:
        array = cupy.from_dlpack(x)
        calls |= {"cupy.sort": lambda: cupy.sort(array), "bitune.sort of CuPy": lambda: bitune.sort(array)}
    warm_up()
    for name, call in calls.items():
        call()
        samples = [time_batch(call, MOST_CALLS)[0] for _ in range(60)]
        record = {"suite": "python calls", "call": name, "n": 1024, "host_us": round(statistics.median(samples), 3)}
        records.add(record | {"least_host_us": round(min(samples), 3)})
        print(f"{name}: {record['host_us']:.2f} us of the host, least {min(samples):.2f}", flush=True)


class Records:
    """A JSON file, to which records are added as they come: an object a line. Whoever is ended loses none."""

    def __init__(self, path):
        self.path = path
        gpus = [device for device in bitune.devices() if device["info"]["kind"] == "cuda"]
        self.facts = {
            "device": torch.cuda.get_device_name(),
            "driver": gpus[0]["software"]["driver"] if gpus else None,
            "python": sys.version.split()[0],
            "torch": torch.__version__,
            "cupy": None if cupy is None else cupy.__version__,
            "date": datetime.date.today().isoformat(),
        }

    def add(self, record):
        old = json.loads(self.path.read_text()) if self.path.exists() else []
        lines = [json.dumps(one) for one in [*old, record | self.facts]]
        beside = self.path.with_name(f"{self.path.name}.{os.getpid()}.tmp")
        beside.write_text("[\n" + ",\n".join(lines) + "\n]\n")
        beside.replace(self.path)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["compile", "calls", "sizes", "rows"], help="compile: what the others need, nothing is timed")
    parser.add_argument("--out", type=pathlib.Path, required=True, help="a JSON file; records are added")
    parser.add_argument("--keys", default="float32", help="types of PyTorch, with commas between them")
    parser.add_argument("--largest", type=int, default=28, help="arrays of 2^0 to this power of two keys")
    parser.add_argument("--total", type=int, default=24, help="rows of 2 to 2^17 keys; this power of two in all")
    arguments = parser.parse_args()
    if not torch.cuda.is_available():
        sys.exit("this PyTorch finds no GPU")
    dtypes = [getattr(torch, name) for name in arguments.keys.split(",")]
    sizes = [(1 << power,) for power in range(arguments.largest + 1)]
    rows = [(1 << max(0, arguments.total - power), 1 << power) for power in range(1, 18)]
    records = Records(arguments.out)
    if arguments.what == "compile":
        prepare(problems_of(sizes + rows, dtypes))
    elif arguments.what == "calls":
        run_calls(dtypes, records)
    else:
        run_comparison(sizes if arguments.what == "sizes" else rows, dtypes, records)


if __name__ == "__main__":
    main()
