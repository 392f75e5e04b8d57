#!/usr/bin/env python3
"""Draws the figures of docs/background.md as SVG into docs/images. Transparent, in colours that stand out from white and black."""

import argparse
import itertools
import pathlib
import random
import sys

from plot_presets import INK, matplotlib, plt
from matplotlib.patches import Patch, Rectangle  # noqa: E402 (the backend is chosen first)

ROOT = pathlib.Path(__file__).resolve().parent.parent
STEP_COLORS = ["#e5484d", "#0c97c7", "#30a46c"]  # of index bits 0, 1, 2
FLIP = "#d9730d"


def network(n, flips):
    """Rounds of comparators (lower index, higher index, ascending), a list a step, in the order of the network."""
    stages = n.bit_length() - 1
    for stage in range(1, stages + 1):
        for bit in range(stage - 1, -1, -1):
            flip = flips and bit == stage - 1
            mask = (2 << bit) - 1 if flip else 1 << bit
            yield stage, bit, flip, [(i, i ^ mask, flips or not i >> stage & 1) for i in range(n) if i < i ^ mask]


def apply(keys, pairs):
    keys = list(keys)
    for low, high, ascending in pairs:
        if (keys[high] < keys[low]) == ascending:
            keys[low], keys[high] = keys[high], keys[low]
    return keys


def bare(axes):
    axes.set_axis_off()
    return axes


def save(figure, folder, name):
    figure.savefig(folder / f"{name}.svg", transparent=True, metadata={"Date": None})
    plt.close(figure)


def columns_of(pairs):
    """Comparators of one step in columns in which none crosses another."""
    columns = []
    for pair in sorted(pairs):
        for column in columns:
            if all(pair[0] > other[1] or pair[1] < other[0] for other in column):
                column.append(pair)
                break
        else:
            columns.append([pair])
    return columns


def draw_network(axes, n, flips, title):
    x = 0.6
    for stage, bit, flip, pairs in network(n, flips):
        begin = x
        for column in columns_of(pairs):
            for low, high, ascending in column:
                tip, tail = (high, low) if ascending else (low, high)
                color = FLIP if flip else STEP_COLORS[bit]
                axes.annotate("", (x, tip), (x, tail), arrowprops={"arrowstyle": "-|>", "color": color, "shrinkA": 0, "shrinkB": 0,
                                                                   "linewidth": 1.6})
                axes.plot(x, tail, "o", color=color, markersize=4)
            x += 0.32
        axes.text((begin + x - 0.32) / 2, n - 0.35, f"{stage}.{bit}", color=INK, ha="center", va="top", fontsize=9)
        x += 0.2 if bit > 0 else 0.5
    for i in range(n):
        axes.plot([0.2, x - 0.3], [i, i], color=INK, linewidth=0.9, zorder=0)
        axes.text(0.1, i, str(i), color=INK, ha="right", va="center", fontsize=10)
    axes.set_title(title, color=INK, loc="left", fontsize=11)
    axes.set_xlim(-0.1, x)
    axes.set_ylim(n + 0.1, -0.6)
    bare(axes)


def networks(folder):
    figure, both = plt.subplots(2, 1, figsize=(9, 6.4), layout="constrained")
    draw_network(both[0], 8, False, "alternating directions: the arrow points at where the larger key goes")
    draw_network(both[1], 8, True, "flips (orange) and steps: every arrow points the same way")
    for axes in both:
        axes.set_xlim(-0.1, max(other.get_xlim()[1] for other in both))
    handles = [Patch(color=FLIP, label="flip")] + [Patch(color=c, label=f"distance {1 << bit}") for bit, c in enumerate(STEP_COLORS)]
    figure.legend(handles=handles, loc="outside lower center", ncols=4, frameon=False, labelcolor=INK)
    save(figure, folder, "networks")


def merge(folder):
    """One merge of 16 keys, as bars: two ascending runs, the flip, then the steps."""
    n = 16
    keys = random.Random(12).sample(range(1, n + 1), n)
    keys = sorted(keys[: n // 2]) + sorted(keys[n // 2:])
    panels = [("two ascending runs", keys)]
    for stage, bit, flip, pairs in network(n, True):
        if stage == n.bit_length() - 1:
            keys = apply(keys, pairs)
            panels.append(("after the flip" if flip else f"after distance {1 << bit}", keys))
    if keys != sorted(keys):
        sys.exit("the drawn merge does not sort")
    figure, all_axes = plt.subplots(1, len(panels), figsize=(9.5, 2.2), layout="constrained")
    for number, (axes, (title, values)) in enumerate(zip(all_axes, panels)):
        runs = [n // 2] if number == 0 else [n >> number]
        colors = [STEP_COLORS[1] if i // runs[0] % 2 == 0 else STEP_COLORS[2] for i in range(n)]
        if number == len(panels) - 1:
            colors = [STEP_COLORS[1]] * n
        axes.bar(range(n), values, color=colors, width=0.82)
        axes.set_title(title, color=INK, fontsize=10)
        bare(axes)
    save(figure, folder, "merge")


def cube_point(i):
    return (i & 1) * 2.0 + (i >> 2 & 1) * 1.3, (i >> 1 & 1) * 2.0 + (i >> 2 & 1) * 0.45


def draw_cube(axes, edges, title):
    for low, high, color, width in edges:
        (x0, y0), (x1, y1) = cube_point(low), cube_point(high)
        axes.plot([x0, x1], [y0, y1], color=color, linewidth=width, zorder=1)
    for i in range(8):
        x, y = cube_point(i)
        axes.plot(x, y, "o", color=INK, markersize=19, zorder=2)
        axes.text(x, y, f"{i:03b}", color="white", ha="center", va="center", fontsize=9, fontweight="bold", zorder=3)
    axes.set_title(title, color=INK, fontsize=11)
    axes.set_aspect("equal")
    axes.set_xlim(-0.5, 3.7)
    axes.set_ylim(-0.5, 2.9)
    bare(axes)


def hypercube(folder):
    figure, both = plt.subplots(1, 2, figsize=(9, 4), layout="constrained")
    plain = [(i, i ^ 1 << bit, STEP_COLORS[bit], 3.2) for bit in range(3) for i in range(8) if i < i ^ 1 << bit]
    faint = [(low, high, INK, 0.8) for low, high, _, _ in plain]
    draw_cube(both[0], plain, "a step on bit j: partners along dimension j")
    draw_cube(both[1], faint + [(i, i ^ 7, FLIP, 3.2) for i in range(4)], "the flip of stage 3: partners across the cube")
    handles = [Patch(color=c, label=f"bit {bit}: i XOR {1 << bit}") for bit, c in enumerate(STEP_COLORS)]
    figure.legend(handles=handles + [Patch(color=FLIP, label="flip: i XOR 7")], loc="outside lower center", ncols=4, frameon=False,
                  labelcolor=INK)
    save(figure, folder, "hypercube")


PLACES = {
    "a launch a step, in global memory": "#e5484d",
    "fused in one launch, in global memory": "#d9730d",
    "in shared memory": "#0c97c7",
    "in registers, by shuffles": "#30a46c",
}


def place(version, bit):
    launch, fused, shared, registers = PLACES
    tile = {"v0": 0, "v1": 11, "v2": 11, "v3": 11, "hybrid-16k": 14}[version]
    if bit >= tile:
        return launch
    if version == "v1":
        return fused
    return registers if version == "v3" and bit <= 5 else shared


def ladder(folder):
    """All steps of the sort of 2^20 keys, a row a stage, by where the version does them."""
    stages = 20
    versions = ["v0", "v1", "v2", "v3", "hybrid-16k"]
    figure, all_axes = plt.subplots(1, len(versions), figsize=(10.5, 2.9), layout="constrained")
    for axes, version in zip(all_axes, versions):
        for stage in range(1, stages + 1):
            for where, bits in itertools.groupby(range(stage), lambda bit: place(version, bit)):
                bits = list(bits)
                axes.add_patch(Rectangle((bits[0], stage + 0.08), len(bits), 0.84, color=PLACES[where], linewidth=0))
        axes.set_xlim(stages + 0.2, -0.2)
        axes.set_ylim(stages + 1.2, 0.8)
        axes.set_aspect("equal")
        axes.set_title(version, color=INK, fontsize=11)
        bare(axes)
    figure.supxlabel("step: from the largest distance on the left to distance 1 on the right", color=INK, fontsize=9)
    figure.supylabel("stage, downwards", color=INK, fontsize=9)
    figure.legend(handles=[Patch(color=color, label=label) for label, color in PLACES.items()], loc="outside upper center", ncols=4,
                  frameon=False, labelcolor=INK, fontsize=9)
    save(figure, folder, "ladder")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--folder", type=pathlib.Path, default=ROOT / "docs" / "images")
    folder = parser.parse_args().folder
    folder.mkdir(parents=True, exist_ok=True)
    matplotlib.rcParams.update({"svg.fonttype": "path", "svg.hashsalt": "bitune"})
    for draw in (networks, merge, hypercube, ladder):
        draw(folder)


if __name__ == "__main__":
    main()
