"""What docs/performance.md says of top-k: one table, of bench/results/<gpu>/topk.json where there is one."""

from generated_page import size_text
from performance_records import geometric_mean, recorded, span, values


def problem_text(record):
    """"2^20", "4096 rows of 2^17"."""
    length = size_text(record["n"])
    return length if record["rows"] == 1 else f"{record['rows']} rows of {length}"


def row(record):
    torch = record.get("torch_us")
    name = record["distribution"].replace("_", " ")
    beside = f"{torch:.1f} | {torch / record['bitune_us']:.2f}" if torch and name == "random" else "– | –"
    return (f"| {problem_text(record)} | {record['key_type']} | {name} | {size_text(record['k'])} | {record['bitune_us']:.1f} | {beside} | "
            f"{record['configuration'].split('(')[0]} |")


def section(results, gpu):
    records = recorded(results, gpu, "topk.json")
    if not records:
        return
    order = sorted(records, key=lambda record: (record["distribution"] != "random", record["rows"] != 1, record["n"], record["k"], record["rows"],
                                                record["key_type"], record["distribution"]))
    yield "### The first k keys, with their indices"
    yield ""
    yield (f"{values(records, 'device')}, driver {values(records, 'driver')}; measured {span(records, 'date')}. Microseconds a call, medians. Results "
           "are in order, and of equal keys those with the lowest index are given.")
    ratios = [record["torch_us"] / record["bitune_us"] for record in records if record.get("torch_us") and record["distribution"] == "random"]
    if ratios:
        yield (f"`torch.topk` (torch {values(records, 'torch_version')}) ran right after, not in turn: bitune is faster in "
               f"{sum(ratio > 1 for ratio in ratios)} of {len(ratios)} cases, by a geometric mean of {geometric_mean(ratios):.2f}.")
    yield ""
    yield "| of | key | keys are | k | bitune | torch.topk | times as fast | variant |"
    yield "| --- | --- | --- | ---: | ---: | ---: | ---: | --- |"
    yield from map(row, order)
    yield ""
