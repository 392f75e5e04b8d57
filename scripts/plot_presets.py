#!/usr/bin/env python3
"""Draws the results of 'bitune bench presets' as SVG: time by array length, a line for each preset, both axes logarithmic.

The background is transparent, and the colours stand out from white and from black: one file serves light and dark pages.
"""

import argparse
import json
import pathlib
import sys

try:
    import matplotlib
except ImportError:
    sys.exit(f"{sys.argv[0]}: Matplotlib is missing: {sys.executable} -m pip install matplotlib")

matplotlib.use("svg")
import matplotlib.pyplot as plt  # noqa: E402 (the backend is chosen first)
from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter, NullLocator  # noqa: E402

INK = "#7d848c"  # text and axes: at least 3.7 to 1 against both white and #0d1117
STYLES = {
    "v0": ("#e5484d", "-", "o"),
    "v0-half": ("#e5484d", "--", "s"),
    "v0-mirror": ("#e5484d", ":", "^"),
    "v1": ("#d9730d", "-", "o"),
    "v2": ("#b08800", "-", "o"),
    "v3": ("#30a46c", "-", "o"),
    "hybrid-16k": ("#0c97c7", "-", "D"),
    "local": ("#a06be0", "-", "v"),
    "nd-128": ("#a06be0", "--", "s"),
    "nd-256": ("#a06be0", ":", "^"),
    "bitune": ("#3e7bfa", "-", "*"),
    "CUB radix": (INK, "-", "x"),
    "std::sort": (INK, "--", "+"),
    "qsort": (INK, ":", "1"),
}


def size_text(n):
    power = int(n).bit_length() - 1
    return f"$2^{{{power}}}$" if n == 1 << power else f"{n:g}"


def time_text(us, _):
    for limit, unit, scale in ((1e3, "µs", 1), (1e6, "ms", 1e3), (float("inf"), "s", 1e6)):
        if us < limit:
            return f"{us / scale:g} {unit}"
    return ""


def by_length(axes, ticks):
    """What all charts over the length have in common: a logarithmic axis with these ticks, a light grid, no frame."""
    axes.set_xscale("log", base=2)
    axes.set_xticks(ticks, [size_text(n) for n in ticks])
    axes.xaxis.set_minor_locator(NullLocator())
    axes.tick_params(which="both", colors=INK)
    axes.grid(True, which="major", color=INK, alpha=0.3, linewidth=0.6)
    axes.set_axisbelow(True)
    for side, spine in axes.spines.items():
        spine.set_visible(side in ("left", "bottom"))
        spine.set_color(INK)


def deterministic():
    """The same records give the same file, whenever and wherever it is drawn."""
    matplotlib.rcParams.update({"svg.fonttype": "path", "svg.hashsalt": "bitune", "font.size": 11})


def series(records, member, peer_member, host):
    """Name of a line -> sorted points (n, microseconds)."""
    lines = {}
    for record in records:
        lines.setdefault(record["preset"], set()).add((record["n"], record[member]))
        others = {"CUB radix": record.get(peer_member)}
        if host:
            others |= {"std::sort": record.get("std_sort_us"), "qsort": record.get("qsort_us")}
        for name, us in others.items():
            if us is not None:
                lines.setdefault(name, set()).add((record["n"], us))
    return {name: sorted(points) for name, points in lines.items()}


def draw(lines, title, path):
    ordered = [name for name in STYLES if name in lines] + sorted(set(lines) - set(STYLES))
    figure, axes = plt.subplots(figsize=(9.2, 5.4), layout="constrained")
    for name in ordered:
        color, style, marker = STYLES.get(name, (INK, "-.", "."))
        size = 9 if marker == "*" else 5
        axes.plot(*zip(*lines[name]), label=name, color=color, linestyle=style, marker=marker, markersize=size,
                  linewidth=2.2 if name == "bitune" else 1.5, zorder=3 if name == "bitune" else 2)
    axes.set_yscale("log")
    axes.yaxis.set_major_locator(LogLocator(base=10, numticks=20))
    axes.yaxis.set_major_formatter(FuncFormatter(time_text))
    axes.yaxis.set_minor_formatter(NullFormatter())
    by_length(axes, sorted({n for points in lines.values() for n, _ in points}))
    axes.set_xlabel("keys in the array", color=INK)
    axes.set_title(title, color=INK, loc="left", fontsize=12)
    # The legend lists the lines as they end on the right, from the slowest to the fastest.
    order = sorted(ordered, key=lambda name: (-lines[name][-1][0], -lines[name][-1][1]))
    handles = dict(zip(axes.get_legend_handles_labels()[1], axes.get_legend_handles_labels()[0]))
    axes.legend([handles[name] for name in order], order, loc="center left", bbox_to_anchor=(1.01, 0.5), frameon=False,
                labelcolor=INK, fontsize=10)
    figure.savefig(path, transparent=True, metadata={"Date": None})
    plt.close(figure)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("records", type=pathlib.Path, help="what 'bitune bench presets --out' wrote")
    parser.add_argument("folder", type=pathlib.Path, help="where the SVG files go")
    parser.add_argument("--from", dest="least", type=int, default=0, metavar="N", help="leave out arrays below N keys")
    arguments = parser.parse_args()

    records = [record for record in json.loads(arguments.records.read_text()) if record["n"] >= arguments.least]
    if not records:
        sys.exit(f"{arguments.records} has no results to draw")
    if not all(record["verified"] for record in records):
        sys.exit(f"{arguments.records} has results that are not verified; they are not to be drawn")
    deterministic()
    arguments.folder.mkdir(parents=True, exist_ok=True)
    for key in sorted({record["key_type"] for record in records}):
        of_key = [record for record in records if record["key_type"] == key]
        device = of_key[0]["device"]
        draw(series(of_key, "total_us", "peer_us", True), f"{key} on {device}: host array to sorted host array",
             arguments.folder / f"presets-{key}-total.svg")
        draw(series(of_key, "sort_us", "peer_sort_us", False), f"{key} on {device}: kernels only, keys in device memory",
             arguments.folder / f"presets-{key}-kernels.svg")


if __name__ == "__main__":
    main()
