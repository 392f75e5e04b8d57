"""What docs/performance.md says of top-k, of bench/results/<gpu>/topk.json where there is one: a table of random keys, and one of what is not
random."""

from generated_page import size_text
from performance_records import earlier_mark, earlier_note, geometric_mean, recorded, span, values


def problem_text(record):
    """"2^20", "4096 rows of 2^17"."""
    length = size_text(record["n"])
    return length if record["rows"] == 1 else f"{record['rows']} rows of {length}"


def others(record):
    """Times of others for the same keys, in microseconds, by name."""
    return {name: record[member] for name, member in (("CUB", "peer_us"), ("torch.topk", "torch_us")) if record.get(member)}


def ratio(record):
    """How many times as fast as the fastest of the others."""
    return min(others(record).values()) / record["bitune_us"]


def row(record):
    beside = others(record)
    cells = [f"{beside[name]:.1f}" if name in beside else "–" for name in ("CUB", "torch.topk")] + [f"{ratio(record):.2f}" if beside else "–"]
    return (f"| {problem_text(record)} | {record['key_type']} | {size_text(record['k'])} | {record['bitune_us']:.1f}{earlier_mark(record)} | "
            f"{' | '.join(cells)} | {record['configuration'].split('(')[0]} |")


def place(record):
    """Where a problem stands in the tables."""
    return record["rows"] != 1, record["n"], record["k"], record["rows"], record["key_type"]


def other_keys(records):
    """A row for each problem that was measured with keys that are not random: how they compare with random ones, and with CUB."""
    names = sorted({record["distribution"] for record in records} - {"random"})
    if not names:
        return
    yield "Keys that are not random: the time, and how many times as fast as CUB that is."
    yield ""
    yield f"| of | key | k | {' | '.join(name.replace('_', ' ') for name in names)} |"
    yield f"| --- | --- | ---: |{' ---: |' * len(names)}"
    for problem in sorted({place(record) for record in records if record["distribution"] != "random"}):
        found = {record["distribution"]: record for record in records if place(record) == problem}
        cells = [f"{found[name]['bitune_us']:.1f}{earlier_mark(found[name])}{f' ({ratio(found[name]):.1f})' if others(found[name]) else ''}"
                 if name in found else "–" for name in names]
        first = next(iter(found.values()))
        yield f"| {problem_text(first)} | {first['key_type']} | {size_text(first['k'])} | {' | '.join(cells)} |"
    yield ""


def section(results, gpu):
    records = recorded(results, gpu, "topk.json")
    if not records:
        return
    yield "### The first k keys, with their indices"
    yield ""
    yield (f"{values(records, 'device')}, driver {values(records, 'driver')}; measured {span(records, 'date')}. Microseconds a call, medians. Results "
           "are in order, and of equal keys those with the lowest index are given.")
    yield from earlier_note(records)
    cub = [record for record in records if record.get("peer_us")]
    if cub:
        yield f"CUB's top-k ({values(cub, 'peer_version')}), of arrays and of short rows, ran in turn. It gives no order, and any of equal keys."
    torch = [record for record in records if record.get("torch_us")]
    if torch:
        yield f"`torch.topk` (torch {values(torch, 'torch_version')}), sorted, ran right after, not in turn."
    ratios = [ratio(record) for record in records if others(record)]
    if ratios:
        yield (f"bitune is faster than both in {sum(each > 1 for each in ratios)} of {len(ratios)} cases, by a geometric mean of "
               f"{geometric_mean(ratios):.2f}.")
    yield ""
    yield "| of | key | k | bitune | CUB | torch.topk | times as fast | variant |"
    yield "| --- | --- | ---: | ---: | ---: | ---: | ---: | --- |"
    yield from map(row, sorted((record for record in records if record["distribution"] == "random"), key=place))
    yield ""
    yield from other_keys(records)
