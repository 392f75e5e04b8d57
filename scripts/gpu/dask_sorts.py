#!/usr/bin/env python3
"""Sorts dask arrays on a cluster of this host's GPUs, a worker each, and compares what comes back with NumPy's result.

  scripts/gpu/dask_sorts.py [--keys 2^26] [--chunks 8] OUT.json

Chunks are of NumPy, and of CuPy where it is installed. With `bitune[dask]`; it takes a minute. OUT gets a record for each operation, as in
bench/results/<gpu>/multi-dask.json: the seconds of the whole by the host's clock, the first of a cluster, which loads kernels, and the next one. A
sort during which a worker is killed follows. It ends with 1 where a result is wrong.

No network is needed: where Dask is not installed, wheels that were carried there may be on PYTHONPATH, unpacked (`pip download "dask[array]"
distributed`, for the Python there, 5 MB without NumPy; `pip install --no-index --target FOLDER *.whl`).
"""

import argparse
import contextlib
import datetime
import importlib.util
import json
import os
import pathlib
import signal
import time

import dask.array as da
import distributed
import numpy as np

import bitune
import bitune.dask


@contextlib.contextmanager
def workers_of(selectors):
    """A cluster of a process for each GPU, which sees no other one."""
    scheduler = {"cls": distributed.Scheduler, "options": {"port": 0, "dashboard": False}}
    workers = {
        number: {"cls": distributed.Nanny, "options": {"nthreads": 1, "memory_limit": 0, "env": {"CUDA_VISIBLE_DEVICES": selector}}}
        for number, selector in enumerate(selectors)
    }
    with distributed.SpecCluster(workers, scheduler) as cluster, distributed.Client(cluster) as client:
        yield client


def sorted_without(client, x):
    """The sorted keys, where a worker is killed that has some of them."""
    done = client.persist(bitune.dask.sort(x))
    worker = next(iter(client.scheduler_info()["workers"]))
    os.kill(client.run(os.getpid, workers=[worker])[worker], signal.SIGKILL)
    return done.compute()


def on_host(array):
    return array.get() if hasattr(array, "get") else array


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("--keys", type=number_of, default=1 << 26)
    parser.add_argument("--chunks", type=int, default=8)
    options = parser.parse_args()
    gpus = [device["selector"] for device in bitune.devices() if device["selector"] != "emulated"]
    if not gpus:
        parser.error("there is no GPU")
    keys = np.random.default_rng(1).standard_normal(options.keys, dtype="f4")
    expected = {"sort": np.sort(keys), "argsort": np.argsort(keys, kind="stable")}
    expected["top_k"] = keys[expected["argsort"][:100]]
    records = []

    def record(found, expected, **facts):
        """What was measured, and whether the result is right."""
        first = bitune.devices()[0]
        records.append({"device": first["info"]["name"], "driver": first["software"]["driver"], "date": f"{datetime.date.today()}", "gpus": len(gpus),
                        "keys": options.keys, "chunks": options.chunks, **facts, "verified": bool(np.array_equal(found, expected))})  # fmt: skip
        print(records[-1], flush=True)

    with workers_of(gpus) as client:
        for library in ("numpy", "cupy"):
            if importlib.util.find_spec(library) is None:
                continue
            x = da.from_array(keys, chunks=-(-options.keys // options.chunks))
            if library == "cupy":
                import cupy

                x = x.map_blocks(cupy.asarray, meta=cupy.empty(0, keys.dtype))
            x = client.persist(x)
            distributed.wait(x)
            asked = {
                "sort": lambda x=x: bitune.dask.sort(x),
                "argsort": lambda x=x: bitune.dask.argsort(x),
                "top_k": lambda x=x: bitune.dask.top_k(x, 100, largest=False)[0],
            }
            for operation, call in asked.items():
                seconds = []
                for _ in range(2):
                    begin = time.perf_counter()
                    done = client.persist(call())
                    distributed.wait(done)
                    seconds.append(time.perf_counter() - begin)
                    found = on_host(done.compute())
                    del done
                record(found, expected[operation], operation=operation, chunks_of=library, first_seconds=seconds[0], seconds=seconds[1])
            found = on_host(sorted_without(client, x))
            record(found, expected["sort"], operation="sort, a worker killed", chunks_of=library)
    options.out.write_text(json.dumps(records, indent=1) + "\n")
    return 0 if all(record["verified"] for record in records) else 1


def number_of(text):
    """A number, or a power as in 2^26."""
    base, _, exponent = text.partition("^")
    return int(base) ** int(exponent or 1)


if __name__ == "__main__":
    raise SystemExit(main())
