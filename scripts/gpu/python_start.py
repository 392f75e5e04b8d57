#!/usr/bin/env python3
"""Times the start of bitune in fresh processes by the host's clock, and adds records to a JSON file.

  import              `import bitune` in a new Python, and in one that has imported PyTorch
  first sort          of a process, beside CUDA's start: with kernels in the cache, and with an empty one (a fresh machine); there
                      also a descending sort, whose kernels are not shipped, compiled before it sorts, and with stand-ins

A process that sorts is forked from one that has imported PyTorch and touched no GPU: the start of PyTorch takes seconds, and is no
part of what is timed.
"""

import argparse
import contextlib
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


@contextlib.contextmanager
def empty_cache():
    with tempfile.TemporaryDirectory() as folder:
        yield {"BITUNE_CACHE": folder}


def add_record(path, record):
    from python_bench import Records  # it imports bitune, which each process that is timed is to do itself

    Records(pathlib.Path(path)).add(record)


def measure(what, sample):
    """The medians of samples; the first one warms files and caches up."""
    sample()
    found = [sample() for _ in range(SAMPLES)]
    record = {"suite": "python start", "what": what}
    last = found[-1]
    record |= {k: v if isinstance(v, str) else round(statistics.median(one[k] for one in found), 2) for k, v in last.items()}
    print(f"{what}: {record['ms']:.1f} ms, {record.get('shipped', 0)} kernels shipped, {record.get('compiled', 0)} compiled", flush=True)
    return record


def on_a_fresh_machine(n, descending=False, stand_ins="0"):
    with empty_cache() as environment:
        return in_a_fork(first_sort, n, descending, environment=environment | {"BITUNE_STAND_INS": stand_ins})


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=pathlib.Path, required=True, help="a JSON file; records are added")
    arguments = parser.parse_args()

    def record(what, sample):
        in_a_fork(add_record, str(arguments.out), measure(what, sample))

    record("import", import_ms)
    # A fork ends at once: what is compiled in the background would never be in the cache.
    waits = {"BITUNE_STAND_INS": "0"}
    for power in POWERS:
        record(f"first sort of 2^{power} keys", lambda: in_a_fork(first_sort, 1 << power, environment=waits))
    for power in POWERS:
        record(f"first sort of 2^{power} keys, no kernel in the cache", lambda: on_a_fresh_machine(1 << power))
    for how, stand_ins in (("", "0"), (", with stand-ins", "1")):
        for power in POWERS:
            record(f"first descending sort of 2^{power} keys, no kernel in the cache{how}",
                   lambda: on_a_fresh_machine(1 << power, True, stand_ins))  # fmt: skip


if __name__ == "__main__":
    main()
