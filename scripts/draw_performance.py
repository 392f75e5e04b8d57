#!/usr/bin/env python3
"""Draws the charts of docs/performance.md and README.md from bench/results/<gpu>/*.json, as SVG beside the records.

What a chart shows is said in scripts/lib/performance_charts.py; scripts/report_performance.py --check tells which charts are out of date.
"""

import argparse
import math
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent / "lib"))
import performance_charts  # noqa: E402
from performance_records import RESULTS, gpus  # noqa: E402
from plot_presets import INK, NullLocator, by_length, deterministic, plt, time_text  # noqa: E402

STYLES = {
    "bitune": ("#3e7bfa", "-", "*"),
    "CUB radix sort": ("#e5484d", "-", "x"),
    "CUB merge sort": ("#d9730d", "--", "+"),
    "CUB": ("#e5484d", "-", "x"),
    "torch.sort": ("#b08800", "--", "s"),
    "torch.argsort": ("#b08800", "--", "s"),
    "u32": ("#3e7bfa", "-", "o"),
    "f32": ("#30a46c", "--", "^"),
    "u16": ("#d9730d", "-", "s"),
    "u64": ("#a06be0", "-", "D"),
}


def plot(axes, what, lines):
    for name, points in lines.items():
        color, style, marker = STYLES.get(name.split(" (")[0], (INK, "-.", "."))
        if what["kind"] == "time":  # so many points that their marks would be most of the file
            marker = ""
        axes.plot(*zip(*points), label=name, color=color, linestyle="" if what["kind"] == "rates" else style, marker=marker, markersize=8 if marker == "*" else 4.5,
                  linewidth=2 if name == "bitune" else 1.5, zorder=3 if name == "bitune" else 2)
    if what["kind"] == "ratio":
        axes.set_ylim(0, math.ceil(max(value for points in lines.values() for _, value in points) + 0.2))
        axes.axhline(1, color=INK, linewidth=1.8)
        axes.annotate("as fast as CUB", (1, 1), (-2, -4), xycoords=("axes fraction", "data"), textcoords="offset points", color=INK, ha="right",
                      va="top")
    else:
        axes.set_yscale("log")
        axes.yaxis.set_minor_locator(NullLocator())
        axes.yaxis.set_major_formatter(time_text if what["kind"] == "time" else "{x:g}")


def draw(what, path):
    panels = what["panels"]
    columns = 2 if len(panels) > 1 else 1
    lines = math.ceil(len(panels) / columns)
    figure, grid = plt.subplots(lines, columns, figsize=(9.2, 4.6 if columns == 1 else 1.2 + 3.1 * lines), layout="constrained",
                                sharex=True, sharey=True, squeeze=False)
    lengths = [n for panel in panels for points in panel["lines"].values() for n, _ in points]
    powers = range(math.ceil(math.log2(min(lengths))), math.floor(math.log2(max(lengths))) + 1)
    for axes, panel in zip(grid.flat, panels):
        plot(axes, what, panel["lines"])
        by_length(axes, [1 << power for power in powers if power % 2 == 0])
        axes.set_title(panel["title"], color=INK, loc="left", fontsize=12)
    for axes in grid.flat[len(panels):]:
        axes.set_axis_off()
    for axes in grid[-1]:
        axes.set_xlabel(what["x"], color=INK)
    for axes in grid[:, 0]:
        axes.set_ylabel(what["y"], color=INK)
    named = {name: handle for axes in grid.flat for handle, name in zip(*axes.get_legend_handles_labels())}
    legend = figure.legend(named.values(), named.keys(), loc="outside lower center", ncols=4, frameon=False, labelcolor=INK, fontsize=10.5,
                           title=what["note"], title_fontsize=9)
    legend.get_title().set_color(INK)
    figure.suptitle(what["title"], color=INK, x=0.01, ha="left", fontsize=13)
    figure.savefig(path, transparent=True, metadata={"Date": None, "Description": performance_charts.DIGEST + performance_charts.digest(what)})
    plt.close(figure)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--results", type=pathlib.Path, default=RESULTS)
    results = parser.parse_args().results
    deterministic()
    for gpu in gpus(results):
        for name, what in performance_charts.charts(results, gpu).items():
            draw(what, results / gpu / f"{name}.svg")


if __name__ == "__main__":
    main()
