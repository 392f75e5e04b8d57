"""The long tables of docs/performance-details.md: every record of bench/results/<gpu>/, with its configuration."""

import performance_pairs
import preset_report
from generated_page import size_text
from performance_records import (fills_device, files, geometric_mean, key_types, keys_of, methods_of, most_keys, of_earlier_kernels, plain, query,
                                 read, span, special, values)

METHODS = {"radix": "CUB radix", "merge": "CUB merge", "merge_copy": "CUB merge, copying", "segmented": "CUB segmented",
           "segmented_radix": "CUB segmented radix"}


def microseconds(value):
    if value is None:
        return "–"
    return f"{value:.2f}" if value < 100 else f"{value:.0f}"


def ratio_text(value):
    return "–" if value is None else f"{value:.2f}"


def method_name(key):
    name = key[len("peer_"):-len("_us")]
    return METHODS.get(name, name.replace("_", " "))


def found(record):
    """The rung of the selection ladder, and whether the kernels are no longer today's."""
    return record["match"] + (" (earlier kernels)" if of_earlier_kernels(record) else "")


def table(records):
    methods = methods_of(records)
    with_graph = any("graph_us" in record for record in records)
    with_between = any("between_us" in record for record in records)
    with_torch = any("torch_us" in record for record in records)
    heads = ["n", "bitune", *["as graph node"] * with_graph, *["between kernels"] * with_between, "Gkeys/s", *map(method_name, methods),
             *["torch"] * with_torch, "ratio", "found", "configuration"]
    yield "| " + " | ".join(heads) + " |"
    yield "|" + " ---: |" * (len(heads) - 2) + " --- | --- |"
    for record in sorted(records, key=lambda record: record["n"]):
        cells = [size_text(record["n"]), microseconds(record["bitune_us"])]
        cells += [microseconds(record.get("graph_us"))] * with_graph
        cells += [microseconds(record.get("between_us"))] * with_between
        cells += [f"{record['gkeys_per_s']:.2f}"]
        cells += [microseconds(record.get(key)) for key in methods]
        cells += [microseconds(record.get("torch_us"))] * with_torch
        cells += [ratio_text(record["ratio"]), found(record), f"`{record['configuration']}`"]
        yield "| " + " | ".join(cells) + " |"


def arranged_table(records, random_us):
    """Keys that are not random, beside the time that random ones take."""
    methods = methods_of(records)
    heads = ["n", "bitune", "of random", *map(method_name, methods), "ratio"]
    yield "| keys | " + " | ".join(heads) + " |"
    yield "| --- |" + " ---: |" * len(heads)
    for record in sorted(records, key=lambda record: (record["distribution"], record["n"])):
        random = random_us.get(problem_of(record))
        cells = [record["distribution"].replace("_", " "), size_text(record["n"]), microseconds(record["bitune_us"])]
        cells += [ratio_text(random and record["bitune_us"] / random)]
        cells += [*(microseconds(record.get(key)) for key in methods), ratio_text(record["ratio"])]
        yield "| " + " | ".join(cells) + " |"


def gkeys(record, us):
    return "–" if us is None else f"{keys_of(record) / us / 1000:.2f}"


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


def tuned_rows(device, largest):
    """What `bitune tune` measured for rows that fill the device: there is nothing beside it, but it is of today's kernels."""
    tuned = query("""
        SELECT key_type, n, max(n * rows / median_us / 1000) FROM trials
        JOIN series ON series.id = series_id JOIN problems ON problems.id = problem_id JOIN devices ON devices.id = series.device_id
        WHERE devices.name = ? AND status = 'ok' AND finalist AND operation = 'sort' AND rows > 1 AND key_order = 'ascending' AND 2 * n * rows > ?
        GROUP BY key_type, n ORDER BY n""", device, largest)
    if not tuned:
        return
    keys = key_types([{"key_type": key} for key, _, _ in tuned])
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
    yield (f"Milliseconds on the host's clock, medians of {span(records, 'samples')} processes, with a warm kernel cache. CUDA's own start comes "
           "first. The first sort contains all that bitune opens, reads and loads for it. The second sort is the same sort again "
           "(`bitune bench start`).")
    yield ""
    yield "| key | n | CUDA's start | first sort | second sort | first less second | found |"
    yield "| --- |" + " ---: |" * 5 + " --- |"
    for record in sorted(records, key=lambda record: (record["key_type"], record["order"], record["n"])):
        key = record["key_type"] + ("" if record["order"] == "ascending" else f", {record['order']}")
        times = [record[member] for member in ("cuda_start_us", "first_us", "second_us")]
        cells = [key, size_text(record["n"]), *map(milliseconds, [*times, record["first_us"] - record["second_us"]]), found(record)]
        yield "| " + " | ".join(cells) + " |"
    yield ""


def problem_of(record):
    return record["key_type"], record["order"], record["n"], record["rows"]


def kind_of(record, largest):
    """What a table's heading says; records of one table agree in it. Distributions that are not random share a table, in which each row
    names its own."""
    parts = [record["key_type"], record["order"]]
    if performance_pairs.carries(record):
        parts.append(performance_pairs.operation_text(record))
    for member, value in special(record):
        if member == "distribution":
            parts.append("keys that are not random")
        elif member not in ("order", *performance_pairs.OF_SPEC):
            parts.append(f"{member.replace('_', ' ')} {str(value).replace('_', ' ')}")
    if record["suite"] == "rows":
        parts.append(f"rows of about {size_text(largest)} keys in all" if fills_device(record, largest) else "small batches")
    elif record["rows"] != 1:
        parts.append(f"{record['rows']} rows")
    return ", ".join(parts)


def comparisons(records):
    """Tables of single arrays or of rows, a heading each."""
    random_us = {problem_of(record): record["bitune_us"] for record in plain(records)}
    largest = most_keys(records)
    if records[0]["suite"] == "rows" and not performance_pairs.carries(records[0]):
        yield from tuned_rows(values(records, "device"), largest)
    groups = {}
    for record in records:
        groups.setdefault(kind_of(record, largest), []).append(record)
    for kind, group in groups.items():
        yield f"### {kind}"
        yield ""
        ratios = [record["ratio"] for record in group if record["ratio"] is not None]
        if ratios:
            won = sum(ratio > 1 for ratio in ratios)
            yield (f"bitune is faster in {won} of {len(ratios)} {'cases' if 'not random' in kind else 'sizes'}; ratio from {min(ratios):.2f} to "
                   f"{max(ratios):.2f}, geometric mean {geometric_mean(ratios):.2f}.")
            yield ""
        if any(member == "distribution" for member, _ in special(group[0])):
            yield from arranged_table(group, random_us)
        else:
            yield from (rows_table if group[0]["suite"] == "rows" else table)(group)
        yield ""


def section(path):
    """What one file says: one suite, and first sorts, which stand among single arrays or in a file of their own."""
    records = read(path)
    if not records:
        return
    starts = [record for record in records if record["suite"] == "start"]
    compared = [record for record in records if record["suite"] != "start"]
    name = (compared or starts)[0]["suite"]
    yield f"## {values(records, 'device')}: {path.stem}"
    yield ""
    source = f"From `bench/results/{path.parent.name}/{path.name}`."
    if not compared:
        yield f"Driver {values(records, 'driver')}; measured {span(records, 'date')}. {source}"
    else:
        unit = "" if name == "presets" else ", in microseconds a sort"
        yield (f"Driver {values(compared, 'driver')}; {values(compared, 'peer')} {values(compared, 'peer_version')}; measured "
               f"{span(compared, 'date')}; medians of {span(compared, 'samples')} samples{unit}; both sides verified. {source}")
    yield ""
    if name == "presets":
        yield from preset_report.section(path, compared)
    for suite in dict.fromkeys(record["suite"] for record in compared):
        if suite != "presets":
            yield from comparisons([record for record in compared if record["suite"] == suite])
    if starts:
        yield from start_table(starts)


def generated(results):
    lines = [line for path in files(results) for line in section(path)]
    return "\n".join(lines).strip() if lines else "No results are recorded yet."
