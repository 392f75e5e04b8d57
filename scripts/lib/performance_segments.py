"""What docs/performance.md says of segments: one table, of bench/results/<gpu>/segments.json where there is one."""

from generated_page import size_text
from performance_records import geometric_mean, recorded, span, values


def row(record):
    keys = record["keys"]
    peer = record.get("peer_us")
    beside = f"{keys / peer / 1e3:.2f} | {peer / record['bitune_us']:.2f}" if peer else "– | –"
    what = record["key_type"] if record["operation"] == "sort" else f"{record['operation']} {record['key_type']}, {record['value_bytes'] or record['index_bytes']} B"
    return (f"| {what} | {record['lengths'].replace('_', ' ')} | {size_text(record['segments'])} | {record['mean_length']:.0f} | {record['bitune_us']:.1f} | "
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
