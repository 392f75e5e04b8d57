#!/usr/bin/env python3
"""Times the start of bitune in fresh processes by the host's clock, and adds records to a JSON file.

  import       `import bitune` in a new Python
  first sort   of a process, beside CUDA's start. On a fresh machine, whose kernel cache is empty: an ascending sort, whose kernels the
               wheel may ship; and a descending one, whose kernels no wheel ships, with a stand-in, and waiting for the best. Then
               that one again in new processes, with its kernels in the cache

A process that sorts is forked from one that has imported PyTorch and touched no GPU: the start of PyTorch takes seconds, and is no
part of what is timed.
"""

import argparse
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

import torch

POWERS = (10, 14, 18, 22, 24)
SAMPLES = 3


def import_ms():
    script = "import time; a = time.perf_counter(); import bitune; print(1e3 * (time.perf_counter() - a))"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    return {"ms": float(done.stdout)}


def first_sort(n, descending=False):
    """The import and the first sort of n keys; CUDA is started before."""
    x = torch.randn(n, device="cuda")
    torch.cuda.synchronize()
    began = time.perf_counter()
    import bitune

    imported = time.perf_counter()
    y = bitune.sort(x, descending=descending)
    torch.cuda.synchronize()
    ended = time.perf_counter()
    assert torch.equal(y, torch.sort(x, descending=descending).values)
    times = {"ms": 1e3 * (ended - imported), "import_ms": 1e3 * (imported - began)}
    told = bitune.explain(x, descending=descending)
    found = {name: told[f"{name}_kernels"] for name in ("shipped", "cached", "compiled")}
    return times | found | {"configuration": told["configuration"], "awaited": told.get("awaited", "")}


def in_a_fork(function, *arguments, environment=None):
    """What the function returns in a process of its own."""
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        # Not to the handlers of the parent, whatever happens.
        try:
            os.environ.update(environment or {})
            os.write(write, json.dumps(function(*arguments)).encode())
        except BaseException as error:
            print(f"{type(error).__name__}: {error}", file=sys.stderr, flush=True)
            os._exit(1)
        os._exit(0)
    os.close(write)
    with os.fdopen(read) as pipe:
        text = pipe.read()
    if os.waitpid(child, 0)[1] != 0:
        sys.exit("a process failed")
    return json.loads(text)


def add_record(path, record):
    from python_bench import Records  # it imports bitune, which each process that is timed is to do itself

    Records(pathlib.Path(path)).add(record)


def told(what, found):
    """The record of some samples: their medians, and what the last one says of itself."""
    record = {"suite": "python start", "what": what} | found[-1]
    record |= {name: round(statistics.median(one[name] for one in found), 2) for name in record if name.endswith("ms")}
    print(f"{what}: {record['ms']:.1f} ms, {record.get('shipped', 0)} kernels shipped, {record.get('compiled', 0)} compiled", flush=True)
    return record


def first_sorts(n, cache, count, stand_ins, descending):
    """Of processes one after the other, with one kernel cache. A fork ends at once, whatever is compiled in the background."""
    environment = {"BITUNE_CACHE": cache, "BITUNE_STAND_INS": stand_ins}
    return [in_a_fork(first_sort, n, descending, environment=environment) for _ in range(count)]


def on_fresh_machines(n, stand_ins, descending):
    found = []
    for _ in range(SAMPLES):
        with tempfile.TemporaryDirectory() as cache:
            found += first_sorts(n, cache, 1, stand_ins, descending)
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=pathlib.Path, required=True, help="a JSON file; records are added")
    arguments = parser.parse_args()

    def record(what, found):
        in_a_fork(add_record, str(arguments.out), told(what, found))

    import_ms()  # which warms the files up
    record("import", [import_ms() for _ in range(SAMPLES)])
    on_fresh_machines(POWERS[0], "1", False)  # likewise
    for power in POWERS:
        record(f"first sort of 2^{power} keys on a fresh machine", on_fresh_machines(1 << power, "1", False))
    for power in POWERS:
        record(f"first descending sort of 2^{power} keys on a fresh machine", on_fresh_machines(1 << power, "1", True))
    for power in POWERS:
        with tempfile.TemporaryDirectory() as cache:
            what = f"first descending sort of 2^{power} keys"
            record(f"{what} on a fresh machine, waiting for the best", first_sorts(1 << power, cache, 1, "0", True))
            record(f"{what}, kernels in the cache", first_sorts(1 << power, cache, SAMPLES, "0", True))


if __name__ == "__main__":
    main()
