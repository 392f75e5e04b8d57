"""What docs/performance.md says of several GPUs, of bench/results/<gpu>/multi*.json where there are such (scripts/gpu/multi.sh)."""

from statistics import median

from generated_page import size_text
from performance_records import recorded, span, values

STEPS = ("sort", "split", "exchange", "merge")
BUS_GB_S = 55  # each way, from page-locked memory


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
    # Where copies run beside the sort, their rate does not show.
    rates = [rank["exchange_gb_s"] for rank in record["ranks_us"] if "exchange_gb_s" in rank]
    rate = f"{min(rates):.0f}" if rates else "–"
    return (f"| {what} | {size_text(record['n'])} | {record['distribution'].replace('_', ' ')} | {milliseconds(record['all_us'])} | {beside} | {steps} | "
            f"{rate} |")


def host_line(record):
    seconds = median(sample["all"] for sample in record["samples_us"]) / 1e6
    passes = 2 * 4 * record["n"] / (1e9 * BUS_GB_S)
    rates = record["copies_gb_s"]
    return (f"An array of {size_text(record['n'])} {record['key']} keys in {record['memory']} memory of the host, of which {record['device_memory'] >> 30} GiB of a GPU's "
            f"memory may be taken at once: {seconds:.2f} s, {seconds / passes:.2f} times what its two passes over the bus take at {BUS_GB_S} GB/s each way, both ways at "
            f"once. Copied alone: {rates['up']:.0f} GB/s to the GPU, {rates['down']:.0f} back.\n")


def merge_lines(merges):
    """What `bitune tune --devices` found of how they sort together."""
    if not merges:
        return
    yield "| bytes of keys of each GPU | merged over the link, ms | as tuned, ms | configuration |"
    yield "| --- | ---: | ---: | --- |"
    for merge in merges:
        yield f"| {size_text(merge['bytes'])} | {merge['read_us'] / 1e3:.3f} | {merge['median_us'] / 1e3:.3f} | `{merge['configuration']}` |"
    yield ""


def dask_text(record):
    operation, _, besides = record["operation"].replace("_", " ").partition(", ")
    what = f"{operation} of {record['chunks_of']} chunks" + (f", {besides}" if besides else "")
    return f"{what} {record['seconds']:.2f} s" if "seconds" in record else f"{what}: the result is right"


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
           "that while they were merged, and of halves of keys their bytes. Where nothing was merged, keys were sent away before they were sorted: \"cuts\" is until all knew what goes where and most "
           "of it was split, and \"sort\" the rest.")
    yield ""
    yield "| keys | in all | distribution | ms | one GPU | times as fast | sort | cuts | exchange | merge | GB/s |"
    yield "| --- | ---: | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |"
    yield from map(row, order)
    yield ""
    yield from map(host_line, recorded(results, gpu, "multi-host.json"))
    tuned = recorded(results, gpu, "multi-tune.json")
    if tuned:
        alone, together = tuned[0], tuned[-1]
        yield (f"`bitune tune`, every kernel compiled anew by {together['host_cores']} cores of the host: {alone['trials_a_second']:.1f} trials a second on "
               f"{alone['gpus']} GPU, {together['trials_a_second']:.1f} on {together['gpus']}, {together['trials_a_second'] / alone['trials_a_second']:.2f} times "
               "as many.")
        yield ""
        yield from merge_lines(together.get("merging"))
    dask = recorded(results, gpu, "multi-dask.json")
    if dask:
        yield (f"Dask, a worker for each of {dask[0]['gpus']} GPUs, {size_text(dask[0]['keys'])} f32 keys in {dask[0]['chunks']} chunks, by the host's clock: "
               + "; ".join(dask_text(record) for record in dask) + ".")
        yield ""
