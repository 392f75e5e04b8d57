"""What docs/performance.md says to people: charts, and tables that are short. All is of random keys unless the heading says otherwise."""

import statistics

import performance_multi
import performance_pairs
import performance_segments
import performance_topk
from generated_page import size_text
from performance_charts import charts, common_lengths, many_rows, rate
from performance_details import start_table
from performance_records import (files, geometric_mean, gpus, key_types, most_keys, of_earlier_kernels, plain, read, recorded, span, special, suite, values)

FEW = [1 << power for power in (10, 12, 14, 16, 18, 20, 22, 24, 26, 28)]
FEW_ARRANGED = [1 << power for power in (16, 20, 24)]


def short(value):
    """Three digits: what differs in the fourth is noise."""
    return f"{value:#.3g}" if value < 100 else f"{value:.0f}"


def cell(value, record):
    return f"{short(value)} ({short(record['ratio'])})"


def image(gpu, name, charts_of_gpu, folder="../"):
    """A chart as Markdown; its title is what readers without pictures get."""
    if name in charts_of_gpu:
        yield f"![{charts_of_gpu[name]['title']}]({folder}bench/results/{gpu}/{name}.svg)"
        yield ""


def compared(records):
    return [record for record in records if record["ratio"] is not None]


def measured(records):
    """On what, when and how it was measured: no number without it."""
    torch = {record["torch_version"] for record in records if record.get("torch_version")}
    beside = f"; PyTorch {', '.join(sorted(torch))}" if torch else ""
    earlier = sum(map(of_earlier_kernels, records))
    note = f" Made with earlier kernels: {earlier} of {len(records)} records." if earlier else ""
    return (f"{values(records, 'device')}, driver {values(records, 'driver')}; CUB {values(records, 'peer_version')}{beside}; measured "
            f"{span(records, 'date')}; medians of {span(records, 'samples')} samples; every result verified.{note}")


def ratios_table(records):
    """How much faster, over all lengths of a key type."""
    yield "| key | lengths | faster than CUB | least ratio | geometric mean | greatest ratio |"
    yield "| --- | --- | ---: | ---: | ---: | ---: |"
    for key in key_types(records):
        of_key = [record for record in records if record["key_type"] == key]
        ratios = [record["ratio"] for record in of_key]
        lengths = sorted(record["n"] for record in of_key)
        yield (f"| {key} | {size_text(lengths[0])} to {size_text(lengths[-1])} | {sum(ratio > 1 for ratio in ratios)} of {len(ratios)} | "
               f"{min(ratios):.2f} | **{geometric_mean(ratios):.2f}** | {max(ratios):.2f} |")
    yield ""


def grid(head, records, lengths, cell_of):
    """A row for each length, a column for each key type."""
    keys = key_types(records)
    at = {(record["key_type"], record["n"]): record for record in records}
    yield f"| {head} | " + " | ".join(keys) + " |"
    yield "|" + " ---: |" * (1 + len(keys))
    for n in lengths:
        cells = [cell_of(at[key, n]) if (key, n) in at else "–" for key in keys]
        yield f"| {size_text(n)} | " + " | ".join(cells) + " |"
    yield ""


def single(records, gpu, drawn):
    plain_ones = compared(plain(records))
    if not plain_ones:
        return
    yield "### One array"
    yield ""
    yield measured(plain_ones)
    yield ""
    yield from image(gpu, "single-ratio", drawn)
    yield from ratios_table(plain_ones)
    yield "The time of a sort, in microseconds, and in brackets how many times as fast as CUB that is:"
    yield ""
    yield from grid("n", plain_ones, [n for n in FEW if n in {record["n"] for record in plain_ones}],
                    lambda record: cell(record["bitune_us"], record))
    yield from image(gpu, "single-time", drawn)


def rows(records, gpu, drawn):
    many = many_rows(records)
    if not many:
        return
    largest = size_text(most_keys(many))
    yield f"### Many rows, about {largest} keys in all"
    yield ""
    yield measured(many)
    yield ""
    yield from image(gpu, "rows-rate", drawn)
    shared = common_lengths(many)
    yield "Billions of keys a second, and in brackets how many times as fast as CUB that is:"
    yield ""
    yield from grid("row length", shared, sorted({record["n"] for record in shared}),
                    lambda record: cell(rate(record, record["bitune_us"]), record))
    if "rows-lengths" in drawn:
        between = [record for record in many if record not in shared]
        least = min(between, key=lambda record: record["ratio"])
        yield (f"Lengths that are no powers of two take longer, above all those just past one. Of the {len(between)} further lengths of "
               f"{values(between, 'key_type')}, bitune is faster than CUB in {sum(record['ratio'] > 1 for record in between)}. The least ratio is "
               f"{least['ratio']:.2f}, at {least['n']} keys in a row.")
        yield ""
        yield from image(gpu, "rows-lengths", drawn)


def arranged(records):
    """Distributions by name, each beside random keys of the same length."""
    odd = [record for record in compared(records) if [member for member, _ in special(record)] == ["distribution"]]
    at = {(record["key_type"], record["distribution"], record["n"]): record for record in odd}
    random = {(record["key_type"], record["n"]): record for record in plain(records)}
    for key in key_types(odd):
        lengths = [n for n in FEW_ARRANGED if (key, n) in random and any((key, name, n) in at for _, name, _ in at)]
        if not lengths:
            continue
        yield f"### One array of {key} keys that are not random"
        yield ""
        yield "Microseconds; in brackets how many times as fast as CUB that is, with the same keys."
        yield ""
        yield "| keys | " + " | ".join(map(size_text, lengths)) + " |"
        yield "| --- |" + " ---: |" * len(lengths)
        named = [("random", {n: random[key, n] for n in lengths})]
        named += [(name.replace("_", " "), {n: at[key, name, n] for n in lengths if (key, name, n) in at})
                  for name in sorted({name for of_key, name, _ in at if of_key == key})]
        for name, of_name in named:
            cells = [cell(of_name[n]["bitune_us"], of_name[n]) if n in of_name else "–" for n in lengths]
            yield f"| {name} | " + " | ".join(cells) + " |"
        yield ""


def presets(records, gpu):
    yield "### Published bitonic sorts"
    yield ""
    yield (f"{values(records, 'device')}, driver {values(records, 'driver')}; measured {span(records, 'date')}. The kernels alone, keys in device memory. "
           "What each line is: [background](background.md). `bitune` is of earlier kernels here; the tables above have today's.")
    yield ""
    for key in key_types(records):
        yield f"![Time over length of published bitonic sorts, {key}](../bench/results/{gpu}/presets-{key}-kernels.svg)"
        yield ""


def section(results, gpu):
    drawn = charts(results, gpu)
    of_single, of_rows = suite(results, gpu, "single"), suite(results, gpu, "rows")
    everything = [record for path in files(results) if path.parent.name == gpu for record in read(path)] + recorded(results, gpu, "segments.json")
    yield f"## {values(everything, 'device')}"
    yield ""
    yield from single(of_single, gpu, drawn)
    yield from rows(of_rows, gpu, drawn)
    yield from performance_pairs.summary(of_single, of_rows, measured, lambda name: image(gpu, name, drawn), short)
    yield from performance_topk.section(results, gpu)
    yield from performance_segments.section(results, gpu)
    yield from performance_multi.section(results, gpu)
    yield from arranged(of_single)
    starts = suite(results, gpu, "start")
    if starts:
        yield from start_table(starts)
    published = suite(results, gpu, "presets")
    if published:
        yield from presets(published, gpu)


def sections(results, of_gpus):
    lines = [line for gpu in of_gpus for line in section(results, gpu)]
    return "\n".join(lines).strip() if lines else "No results are recorded yet."


def generated(results):
    """Of the GPU that most is recorded of: docs/performance.md."""
    return sections(results, gpus(results)[:1])


def of_others(results):
    """Of all other GPUs: docs/performance-others.md."""
    return sections(results, gpus(results)[1:])


def headline_row(name, of, records, ratio_of, peer):
    """How a kind of problem compares, on one line."""
    ratios = [ratio_of(record) for record in records]
    earlier = sum(map(of_earlier_kernels, records))
    return (f"- **{name}**{of}, {values(records, 'device')}: faster than {peer} in {sum(ratio > 1 for ratio in ratios)} of {len(ratios)} cases, "
            f"{short(min(ratios))} to {short(max(ratios))} times as fast, median {short(statistics.median(ratios))}. "
            f"Key types {', '.join(key_types(records))}; measured {span(records, 'date')}{f', {earlier} of them with earlier kernels' if earlier else ''}.")


def headline(results):
    """What README.md says: the first chart of each GPU, and a line for each kind of problem."""
    lines = []
    for gpu in gpus(results):
        drawn = charts(results, gpu)
        arrays, rows_of_gpu = suite(results, gpu, "single"), suite(results, gpu, "rows")
        segments = [record for record in recorded(results, gpu, "segments.json") if record.get("peer_us")]
        first_keys = [record for record in recorded(results, gpu, "topk.json") if performance_topk.others(record)]
        told = (("One array", compared(plain(arrays))), ("Many rows", many_rows(rows_of_gpu)),
                ("Pairs and argsort, one array", performance_pairs.shown(arrays)),
                ("Pairs and argsort, many rows", performance_pairs.many_rows(rows_of_gpu)))
        lines += image(gpu, "single-ratio", drawn, folder="")
        lines += [headline_row(name, " of random keys", records, lambda record: record["ratio"], f"CUB {values(records, 'peer_version')}")
                  for name, records in told if records]
        if segments:
            lines += [headline_row("Segments of any lengths", " and random keys", segments, lambda record: record["peer_us"] / record["bitune_us"],
                                   f"CUB {values(segments, 'peer_version')}")]
        if first_keys:
            lines += [headline_row("The first k", ", with indices", first_keys, performance_topk.ratio, "CUB and PyTorch")]
    return "\n".join(lines).strip() if lines else "No results are recorded yet."
