"""What docs/performance.md says of several GPUs: one table, of bench/results/<gpu>/multi.json where there is one (scripts/gpu/multi.sh)."""

from generated_page import size_text
from performance_records import recorded, span, values

STEPS = ("sort", "split", "exchange", "merge")


def milliseconds(us):
    return f"{us / 1e3:.2f}"


def row(record):
    what = record["key"] + (f", {record['value_bytes']} B" if record["value_bytes"] else "")
    if record.get("link") == "nccl":
        what += ", by NCCL"
    one = record.get("one_us")
    beside = f"{milliseconds(one)} | {record['speed_up']:.2f}" if one else "– | –"
    # A step takes as long as it does on the rank that is last.
    steps = " | ".join(milliseconds(max(rank[step] for rank in record["ranks_us"])) for step in STEPS)
    rate = min(rank["exchange_gb_s"] for rank in record["ranks_us"])
    return (f"| {what} | {size_text(record['n'])} | {record['distribution'].replace('_', ' ')} | {milliseconds(record['all_us'])} | {beside} | {steps} | "
            f"{rate:.0f} |")


def section(results, gpu):
    records = recorded(results, gpu, "multi.json")
    if not records:
        return
    order = sorted(records, key=lambda record: (record["value_bytes"], record["key"], record["distribution"] != "random", record["n"], record["distribution"]))
    yield "### One array over several GPUs"
    yield ""
    yield (f"{values(records, 'ranks')} GPUs, driver {values(records, 'driver')}; measured {span(records, 'date')}. Medians of whole calls, in milliseconds; each "
           "GPU gives and gets an equal part. Beside them the same keys on one of the GPUs. Then the steps of the last call, each on the GPU that it took "
           "longest on. GB/s is what each GPU received from the others, at least, while keys were exchanged. Where merging reads them from the other GPU, it is "
           "that while they were merged.")
    yield ""
    yield "| keys | in all | distribution | ms | one GPU | times as fast | sort | cuts | exchange | merge | GB/s |"
    yield "| --- | ---: | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |"
    yield from map(row, order)
    yield ""
