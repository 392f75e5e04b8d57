#!/usr/bin/env python3
"""Draws the time of bitune.sort over n beside torch.sort's, for tensors on the current GPU.

  pip install bitune[plot] torch
  python time_against_torch.py times.svg

torch.sort makes indices, too. With --indices bitune.argsort(return_keys=True) is timed, which does the same. The time of a call is
the median of several batches of calls, between CUDA events.
"""

import argparse
import statistics

import matplotlib

matplotlib.use("Agg")  # no window: a file
import matplotlib.pyplot as plt
import torch

import bitune


def microseconds(call, calls=20, batches=7):
    call()
    times = []
    for _ in range(batches):
        begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        begin.record()
        for _ in range(calls):
            call()
        end.record()
        end.synchronize()
        times.append(1000 * begin.elapsed_time(end) / calls)
    return statistics.median(times)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("picture", help="a file that Matplotlib can write: times.svg, times.png, ...")
    parser.add_argument("--dtype", default="float32", help="of the keys, as PyTorch names it")
    parser.add_argument("--largest", type=int, default=26, help="sort 2^8 to this power of two keys")
    parser.add_argument("--indices", action="store_true", help="time what makes indices, too")
    arguments = parser.parse_args()
    if not torch.cuda.is_available():
        parser.error("PyTorch finds no GPU here")

    sizes = [1 << power for power in range(8, arguments.largest + 1)]
    times = {"bitune": [], "torch.sort": []}
    for n in sizes:
        x = torch.randint(0, 1 << 30, (n,), device="cuda").to(getattr(torch, arguments.dtype))
        ours = (lambda: bitune.argsort(x, return_keys=True)) if arguments.indices else (lambda: bitune.sort(x))
        times["bitune"].append(microseconds(ours))
        times["torch.sort"].append(microseconds(lambda: torch.sort(x, stable=arguments.indices)))
        print(f"{n}: " + ", ".join(f"{name} {found[-1]:.1f} us" for name, found in times.items()))

    figure, axes = plt.subplots(figsize=(7, 4.5), layout="constrained")
    for name, found in times.items():
        axes.plot(sizes, found, marker=".", label=name)
    axes.set_xscale("log", base=2)
    axes.set_yscale("log")
    axes.set(xlabel="keys", ylabel="microseconds a call", title=f"{arguments.dtype}, {torch.cuda.get_device_name()}")
    axes.grid(alpha=0.3)
    axes.legend()
    figure.savefig(arguments.picture)


if __name__ == "__main__":
    main()
