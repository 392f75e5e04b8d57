#!/usr/bin/env python3
"""Sorts one array by a process for each of this host's GPUs, over the communicator of PyTorch's process group, and compares with torch.sort.

  scripts/gpu/nccl_ranks.py [--keys 2^26] OUT.json

At last a rank ends without a word: each of the others must get an Error. With `bitune` and PyTorch, of this host alone; no network is needed.
OUT gets a record for each rank: the microseconds of the call, median of five, and what the Error says. It ends with 1 where something is wrong.
"""

import argparse
import json
import os
import pathlib
import socket
import tempfile
import time

import torch
import torch.distributed
import torch.multiprocessing

import bitune


def rank_work(rank, count, port, keys, folder):
    """What a process does."""
    torch.cuda.set_device(rank)
    torch.distributed.init_process_group(
        "nccl", init_method=f"tcp://127.0.0.1:{port}", rank=rank, world_size=count, device_id=torch.device("cuda", rank)
    )
    torch.distributed.barrier()  # now there is a communicator
    backend = torch.distributed.group.WORLD._get_backend(torch.device("cuda"))
    sorter = bitune.MultiSorter([rank], communicator=backend._comm_ptr(), time_limit=10)
    x = torch.randn(keys // count, device="cuda", generator=torch.Generator("cuda").manual_seed(rank))
    times = []
    for _ in range(6):
        torch.cuda.synchronize()
        torch.distributed.barrier()
        torch.cuda.synchronize()
        begin = time.perf_counter()
        [part] = sorter.sort([x])
        times.append(1e6 * (time.perf_counter() - begin))
    whole = [torch.empty_like(x) for _ in range(count)]
    torch.distributed.all_gather(whole, x)
    expected = torch.sort(torch.cat(whole)).values
    record = {"rank": rank, "ranks": count, "keys": keys, "us": sorted(times[1:])[2]}
    record["right"] = torch.equal(part, expected[rank * part.numel() : (rank + 1) * part.numel()])
    record["died"] = rank == count - 1 and count > 1
    path = pathlib.Path(folder, f"{rank}.json")
    path.write_text(json.dumps(record))
    if record["died"]:
        os._exit(0)
    if count > 1:
        try:
            sorter.sort([x])
        except bitune.Error as error:
            record["error"] = str(error)
        path.write_text(json.dumps(record))
    os._exit(0)  # PyTorch would wait for the communicator


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("--keys", default="2^26")
    options = parser.parse_args()
    base, _, exponent = options.keys.partition("^")
    count = torch.cuda.device_count()
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    with tempfile.TemporaryDirectory() as folder:
        work = (count, port, int(base) ** int(exponent or 1), folder)
        torch.multiprocessing.spawn(rank_work, work, nprocs=count)
        records = [json.loads(path.read_text()) for path in sorted(pathlib.Path(folder).iterdir())]
    options.out.write_text(json.dumps(records, indent=1) + "\n")
    print(json.dumps(records), flush=True)
    right = len(records) == count and all(r["right"] and (r["died"] or count == 1 or "error" in r) for r in records)
    return 0 if right else 1


if __name__ == "__main__":
    raise SystemExit(main())
