#!/usr/bin/env python3
"""Writes the tables of docs/performance.md and docs/tuning.md from bench/results/*/*.json and data/tunings.db; with --check only says
whether they agree."""

import argparse
import contextlib
import functools
import json
import math
import pathlib
import sqlite3
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent / "lib"))
import generated_page  # noqa: E402
import preset_report  # noqa: E402
import tuner_report  # noqa: E402
from generated_page import size_text  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parent.parent
TUNINGS = ROOT / "data" / "tunings.db"
SCRIPT = "scripts/report_performance.py"


def microseconds(value):
    if value is None:
        return "–"
    return f"{value:.2f}" if value < 100 else f"{value:.0f}"


def ratio_text(value):
    return "–" if value is None else f"{value:.2f}"


def geometric_mean(values):
    return math.exp(sum(map(math.log, values)) / len(values))


def methods_of(records):
    """Members of the records that hold the time of one of the peer's methods: radix sort first."""
    keys = {key for record in records for key in record}
    methods = [key for key in keys if key.startswith("peer_") and key.endswith("_us") and key != "peer_us"]
    return sorted(methods, key=lambda key: (key != "peer_radix_us", key))


def method_name(key):
    return key[len("peer_"):-len("_us")].replace("_", " ")


def table(records):
    methods = methods_of(records)
    with_graph = any("graph_us" in record for record in records)
    heads = ["n", "bitune", *["as graph node"] * with_graph, "Gkeys/s", *map(method_name, methods), "ratio", "found", "configuration"]
    yield "| " + " | ".join(heads) + " |"
    yield "|" + " ---: |" * (len(heads) - 2) + " --- | --- |"
    for record in sorted(records, key=lambda record: record["n"]):
        cells = [size_text(record["n"]), microseconds(record["bitune_us"])]
        cells += [microseconds(record.get("graph_us"))] * with_graph
        cells += [f"{record['gkeys_per_s']:.2f}"]
        cells += [microseconds(record.get(key)) for key in methods]
        cells += [ratio_text(record["ratio"]), found(record), f"`{record['configuration']}`"]
        yield "| " + " | ".join(cells) + " |"


def arranged_table(records, random_us):
    """Keys that are not random, beside the time that random ones take."""
    methods = methods_of(records)
    heads = ["n", "bitune", "of random", *map(method_name, methods), "ratio"]
    yield "| keys | " + " | ".join(heads) + " |"
    yield "| --- |" + " ---: |" * len(heads)
    for record in sorted(records, key=lambda record: (record["distribution"], record["n"])):
        random = random_us.get((record["key_type"], record["order"], record["n"], record["rows"]))
        cells = [record["distribution"].replace("_", " "), size_text(record["n"]), microseconds(record["bitune_us"])]
        cells += [ratio_text(random and record["bitune_us"] / random)]
        cells += [*(microseconds(record.get(key)) for key in methods), ratio_text(record["ratio"])]
        yield "| " + " | ".join(cells) + " |"


def gkeys(record, us):
    return "–" if us is None else f"{record['n'] * record['rows'] / us / 1000:.2f}"


def rows_table(records):
    """Rates rather than times, as the number of keys is about the same in all of them."""
    with_torch = any("torch_us" in record for record in records)
    methods = sorted(methods_of(records))
    names = [method_name(key) for key in methods]
    heads = ["row length", "rows", "bitune µs", "Gkeys/s", *(f"{name} Gkeys/s" for name in names), *["torch Gkeys/s"] * with_torch,
             "ratio", "form", "found", "configuration"]
    yield "| " + " | ".join(heads) + " |"
    yield "|" + " ---: |" * (len(heads) - 3) + " --- | --- | --- |"
    for record in sorted(records, key=lambda record: (record["n"], record["rows"])):
        cells = [size_text(record["n"]), size_text(record["rows"]), microseconds(record["bitune_us"]), gkeys(record, record["bitune_us"])]
        cells += [gkeys(record, record.get(key)) for key in methods]
        cells += [gkeys(record, record.get("torch_us"))] * with_torch
        cells += [ratio_text(record["ratio"]), record["form"], found(record), f"`{record['configuration']}`"]
        yield "| " + " | ".join(cells) + " |"


def group_of(record, largest):
    """Records that are told in one table: single arrays by number of rows; rows by whether they fill the device."""
    if record["suite"] != "rows":
        return f"{record['rows']} rows" if record["rows"] != 1 else ""
    many = 2 * record["n"] * record["rows"] > largest
    return f"rows of about {size_text(largest)} keys in all" if many else "small batches"


def keys_of(record):
    """Nothing for random keys, which is what is told where nothing is said."""
    return "" if record.get("distribution", "random") == "random" else "keys that are not random"


def query(sql, *arguments):
    with contextlib.closing(sqlite3.connect(f"{TUNINGS.as_uri()}?mode=ro&immutable=1", uri=True)) as database:
        return database.execute(sql, arguments).fetchall()


@functools.cache
def kernels_of_today():
    """The version of each variant's kernels that the shipped tunings are of: a test holds them to the sources."""
    return dict(query("SELECT DISTINCT series.variant, digest FROM series JOIN kernels ON kernels.id = kernel_id"))


def found(record):
    """The rung of the selection ladder, and whether the kernels are no longer today's."""
    today = kernels_of_today().get(record["configuration"].split("(")[0])
    return record["match"] + ("" if record.get("kernel") == today else " (earlier kernels)")


def tuned_rows(device, largest):
    """What `bitune tune` measured for rows that fill the device: there is nothing beside it, but it is of today's kernels."""
    tuned = query("""
        SELECT key_type, n, max(n * rows / median_us / 1000) FROM trials
        JOIN series ON series.id = series_id JOIN problems ON problems.id = problem_id JOIN devices ON devices.id = series.device_id
        WHERE devices.name = ? AND status = 'ok' AND finalist AND rows > 1 AND key_order = 'ascending' AND 2 * n * rows > ?
        GROUP BY key_type, n ORDER BY n""", device, largest)
    if not tuned:
        return
    keys = sorted({key for key, _, _ in tuned}, key=lambda key: (key != "u32", key != "f32", key))
    rates = {(key, n): rate for key, n, rate in tuned}
    yield f"### As tuned, ascending, rows of about {size_text(largest)} keys in all"
    yield ""
    yield "Medians of the finalists of `bitune tune` in `data/tunings.db`: random keys, in place, verified; Gkeys/s. No peer ran beside."
    yield ""
    yield "| row length | " + " | ".join(keys) + " |"
    yield "|" + " ---: |" * (1 + len(keys))
    for n in sorted({n for _, n, _ in tuned}):
        cells = [f"{rates[key, n]:.1f}" if (key, n) in rates else "–" for key in keys]
        yield f"| {size_text(n)} | " + " | ".join(cells) + " |"
    yield ""


def milliseconds(us):
    return f"{us / 1000:.2f}" if us < 100000 else f"{us / 1000:.0f}"


def start_table(records):
    """What `bitune bench start` measured: first sorts, whatever the key type, in one table."""
    yield "### The first sort of a process"
    yield ""
    yield (f"Milliseconds on the host's clock, medians of {values(records, 'samples')} processes, from a warm kernel cache: CUDA's own start, "
           "then the first sort with all that bitune opens, reads and loads for it, and the same sort again (`bitune bench start`).")
    yield ""
    yield "| key | n | CUDA's start | first sort | second sort | first less second | found |"
    yield "| --- |" + " ---: |" * 5 + " --- |"
    for record in sorted(records, key=lambda record: (record["key_type"], record["order"], record["n"])):
        key = record["key_type"] + ("" if record["order"] == "ascending" else f", {record['order']}")
        times = [record[member] for member in ("cuda_start_us", "first_us", "second_us")]
        cells = [key, size_text(record["n"]), *map(milliseconds, [*times, record["first_us"] - record["second_us"]]), found(record)]
        yield "| " + " | ".join(cells) + " |"
    yield ""


def values(records, member):
    return ", ".join(sorted({str(record[member]) for record in records if record.get(member)})) or "unknown"


def section(path):
    records = json.loads(path.read_text())
    if not records:
        return
    wrong = [record for record in records if not record["verified"]]
    if wrong:
        sys.exit(f"{path}: {len(wrong)} results are not verified; they are not to be published")
    starts = [record for record in records if record["suite"] == "start"]
    if len(starts) < len(records):  # they stand among single arrays, or in a file of their own
        records = [record for record in records if record["suite"] != "start"]
    yield f"## {values(records, 'device')}: {records[0]['suite']}"
    yield ""
    if records == starts:
        yield f"Driver {values(records, 'driver')}; measured {values(records, 'date')}. From `bench/results/{path.parent.name}/{path.name}`."
        yield ""
        yield from start_table(starts)
        return
    unit = "" if records[0]["suite"] == "presets" else ", in microseconds a sort"
    yield (f"Driver {values(records, 'driver')}; {values(records, 'peer')} {values(records, 'peer_version')}; measured "
           f"{values(records, 'date')}; medians of {values(records, 'samples')} samples{unit}; both sides "
           f"verified. From `bench/results/{path.parent.name}/{path.name}`.")
    yield ""
    if records[0]["suite"] == "presets":
        yield from preset_report.section(path, records)
        return
    random_us = {(record["key_type"], record["order"], record["n"], record["rows"]): record["bitune_us"]
                 for record in records if not keys_of(record)}
    groups = {}
    largest = max(record["n"] * record["rows"] for record in records)
    for record in records:
        groups.setdefault((record["key_type"], record["order"], keys_of(record), group_of(record, largest)), []).append(record)
    if records[0]["suite"] == "rows":
        yield from tuned_rows(values(records, "device"), largest)
    for (key, order, keys, kind), group in groups.items():
        ratios = [record["ratio"] for record in group if record["ratio"] is not None]
        yield ", ".join(filter(None, [f"### {key}", order, keys, kind]))
        yield ""
        if ratios:
            won = sum(ratio > 1 for ratio in ratios)
            yield (f"bitune is faster in {won} of {len(ratios)} sizes; ratio from {min(ratios):.2f} to {max(ratios):.2f}, "
                   f"geometric mean {geometric_mean(ratios):.2f}.")
            yield ""
        if keys:
            yield from arranged_table(group, random_us)
        else:
            yield from (rows_table if group[0]["suite"] == "rows" else table)(group)
        yield ""
    if starts:
        yield from start_table(starts)


def generated(results):
    # strategies.json is told in docs/tuning.md (scripts/compare_strategies.py).
    paths = sorted(path for path in results.glob("*/*.json") if path.name not in ("strategies.json", "tuner.json"))
    lines = [line for path in paths for line in section(path)]
    return "\n".join(lines).strip() if lines else "No results are recorded yet."


def generated_of_tuner(results):
    lines = [line for path in sorted(results.glob("*/tuner.json")) for line in tuner_report.section(path)]
    return "\n".join(lines).strip()


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="change nothing; exit code 1 if a page is out of date")
    parser.add_argument("--page", type=pathlib.Path, help="instead of docs/performance.md")
    parser.add_argument("--tuner-page", type=pathlib.Path, help="instead of docs/tuning.md; with --page alone there is none")
    parser.add_argument("--results", type=pathlib.Path, default=ROOT / "bench" / "results")
    arguments = parser.parse_args()

    tuner_page = arguments.tuner_page or (None if arguments.page else ROOT / "docs" / "tuning.md")
    pages = [(arguments.page or ROOT / "docs" / "performance.md", generated(arguments.results))]
    if tuner_page:
        pages.append((tuner_page, generated_of_tuner(arguments.results)))
    for page, told in pages:
        if not generated_page.update(page, SCRIPT, told, arguments.check):
            sys.exit(f"{page} does not say what the recorded results say: run {SCRIPT}")


if __name__ == "__main__":
    main()
