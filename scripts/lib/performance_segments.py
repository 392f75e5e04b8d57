"""What docs/performance.md says of segments: one table, of bench/results/<gpu>/segments.json where there is one."""

from generated_page import size_text
from performance_records import earlier_mark, earlier_note, geometric_mean, gpus, recorded, span, values


def row(record):
    keys = record["keys"]
    peer = record.get("peer_us")
    beside = f"{keys / peer / 1e3:.2f} | {peer / record['bitune_us']:.2f}" if peer else "– | –"
    what = record["key_type"] if record["operation"] == "sort" else f"{record['operation']} {record['key_type']}, {record['value_bytes'] or record['index_bytes']} B"
    return (f"| {what} | {record['lengths'].replace('_', ' ')} | {size_text(record['segments'])} | {record['mean_length']:.0f} | {record['bitune_us']:.1f}{earlier_mark(record)} | "
            f"{keys / record['bitune_us'] / 1e3:.2f} | {beside} |")


def section(results, gpu):
    records = recorded(results, gpu, "segments.json")
    if not records:
        return
    order = sorted(records, key=lambda record: (record["operation"], record["key_type"], record["lengths"], record["keys"], record["mean_length"]))
    yield "### Segments of any lengths"
    yield ""
    yield (f"{values(records, 'device')}, driver {values(records, 'driver')}; measured {span(records, 'date')}. Medians, in microseconds a call, and Gkeys a "
           "second. Lengths of a mean m: uniform 0 to 2 m; Zipf m/6 (1 - u)^(-1/1.2); few long: 99 of a hundred have m/4, one has 75 m.")
    yield from earlier_note(records)
    ratios = [record["peer_us"] / record["bitune_us"] for record in records if record.get("peer_us")]
    if ratios:
        yield (f"CUB's segmented sorts ({values(records, 'peer_version')}) ran in turn: bitune is faster in {sum(ratio > 1 for ratio in ratios)} of "
               f"{len(ratios)} cases, by a geometric mean of {geometric_mean(ratios):.2f}.")
    yield ""
    yield "| keys | lengths | segments | mean | us | Gkeys/s | CUB | times as fast |"
    yield "| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: |"
    yield from map(row, order)
    yield ""
    drawn = [record["peer_us"] / record["bitune_us"] for record in recorded(results, gpu, "segments-drawn.json")]
    if drawn:
        yield (f"Shapes drawn by chance (`scripts/gpu/segments.sh`, part `drawn`): bitune is faster in {sum(ratio > 1 for ratio in drawn)} of {len(drawn)}, "
               f"{min(drawn):.2f} to {max(drawn):.2f} times as fast.")
        yield ""


    classes = sorted(recorded(results, gpu, "segments-classes.json"), key=lambda record: record["mean_length"])
    if classes:
        per_key = [(record["mean_length"], record["bitune_us"] / record["keys"]) for record in classes]
        steps = [(max(a, b) / min(a, b), f"{first:.0f} and {second:.0f}") for (first, a), (second, b) in zip(per_key, per_key[1:])]
        yield (f"Equal lengths of {per_key[0][0]:.0f} to {per_key[-1][0]:.0f} keys, powers of two and three quarters of them (part `classes`): from one length to "
               f"the next the time a key changes by a factor of {max(steps)[0]:.2f} at most, between {max(steps)[1]} keys.")
        yield ""


# What docs/kernels-segments.md expected before anything was measured: lengths, operation, mean, segments (None: 2^26 keys in all), and the words.
EXPECTED = (
    ("uniform", "sort", 16, None, "250 to 300 Gkeys/s"),
    ("uniform", "sort", 100, None, "250 to 300 Gkeys/s"),
    ("uniform", "sort", 1000, None, "150 Gkeys/s"),
    ("uniform", "sort", 10000, None, "80 to 90 Gkeys/s"),
    ("uniform", "sort", 100000, None, "50 to 55 Gkeys/s"),
    ("equal", "sort", 1, None, "300 µs"),
    ("uniform", "sort", 100, 64, "8 to 10 µs"),
    ("uniform", "sort", 50, 1000, "8 to 10 µs"),
    ("equal", "sort", 4129, 31, "7 to 8.5 µs"),
    ("uniform", "sort_pairs", 16, None, "110 to 130 Gkeys/s"),
    ("uniform", "sort_pairs", 100, None, "110 to 130 Gkeys/s"),
    ("uniform", "sort_pairs", 1000, None, "65 to 75 Gkeys/s"),
    ("uniform", "sort_pairs", 100000, None, "32 to 35 Gkeys/s"),
)


def found(records, lengths, operation, mean, segments=None):
    return next((r for r in records if (r["lengths"], r["operation"], round(r["mean_length"])) == (lengths, operation, mean)
                 and (r["segments"] == segments if segments else r["keys"] > 1 << 25)), None)


def measured(record, words):
    """In the unit of what was expected."""
    if record is None:
        return "–"
    figure = f"{record['bitune_us']:.1f} µs" if words.endswith("µs") else f"{record['keys'] / record['bitune_us'] / 1e3:.0f} Gkeys/s"
    return f"{figure}{earlier_mark(record)}"


def expectations(results):
    """A table of what was expected and what came out on each GPU; and of equal lengths by offsets beside rows."""
    of_gpus = {gpu: recorded(results, gpu, "segments.json") for gpu in gpus(results)}
    of_gpus = {gpu: records for gpu, records in of_gpus.items() if records}
    lines = [f"| lengths | expected | {' | '.join(values(records, 'device') for records in of_gpus.values())} |", f"| --- | --- |{' --- |' * len(of_gpus)}"]
    for lengths, operation, mean, segments, words in EXPECTED:
        cells = [measured(found(records, lengths, operation, mean, segments), words) for records in of_gpus.values()]
        what = f"{segments} segments, " if segments else ""
        if set(cells) != {"–"}:
            lines.append(f"| {what}{lengths}, mean {mean}{', pairs' if operation == 'sort_pairs' else ''} | {words} | {' | '.join(cells)} |")
    if any("†" in line for line in lines):
        lines += ["", "† Made with earlier kernels."]
    for gpu, records in of_gpus.items():
        rows = {r["n"]: r for r in recorded(results, gpu, "rows.json") if r["key_type"] == "u32" and r["rows"] > 1000}
        beside = [(mean, found(records, "equal", "sort", mean), rows.get(mean)) for mean in (16, 100, 1000)]
        told = [f"{segments['keys'] / segments['bitune_us'] / 1e3:.0f} instead of {row['n'] * row['rows'] / row['bitune_us'] / 1e3:.0f} at {mean} keys"
                for mean, segments, row in beside if segments and row]
        if told:
            lines += ["", f"Equal lengths given by offsets cost more than rows, in Gkeys/s ({values(records, 'device')}): {', '.join(told)}."]
    return "\n".join(lines)
