"""What docs/performance.md says of pairs and argsort: charts as plain data, and short tables. All is of random keys in ascending order."""

from generated_page import size_text
from performance_records import (fills_device, geometric_mean, key_types, keys_of, most_keys, special)

MERGES = ("peer_merge_us", "peer_merge_copy_us")
OF_SPEC = {"operation", "value_bytes", "index_bytes", "stable"}


def carries(record):
    """Whether values or indices travel with the keys."""
    return record.get("operation", "sort") != "sort" or bool(record.get("index_bytes"))


def shown(records):
    """What charts and short tables are made of: random keys, ascending, CUB beside them."""
    return [record for record in records if carries(record) and record["ratio"] is not None and
            {member for member, _ in special(record)} <= OF_SPEC]


def many_rows(records):
    records = shown(records)
    return [record for record in records if fills_device(record, most_keys(records))]


def operation_text(record):
    """"pairs, 4 B values", "argsort, 4 B indices"; what is not stable says so."""
    names = {"sort_pairs": "pairs", "argsort": "argsort", "sort": "keys"}
    text = names.get(record["operation"], record["operation"])
    for member, what in (("value_bytes", "values"), ("index_bytes", "indices")):
        if record.get(member):
            text += f", {record[member]} B {what}"
    return text if record.get("stable") else text + ", unstable"


def operations(records):
    """Text of each operation -> its records: pairs first, then what is wider."""
    order = sorted(records, key=lambda record: (record["operation"] != "sort_pairs", record.get("value_bytes", 0), record.get("index_bytes", 0),
                                                not record.get("stable")))
    groups = {}
    for record in order:
        groups.setdefault(operation_text(record), []).append(record)
    return groups


def cases(records):
    """(operation, key type, records) of each kind of sort."""
    return [(operation, key, [record for record in group if record["key_type"] == key])
            for operation, group in operations(records).items() for key in key_types(group)]


def line(records, value_of):
    return sorted((record["n"], round(value, 6)) for record in records if (value := value_of(record)) is not None)


def lines(records, wanted):
    drawn = {name: line(records, value_of) for name, value_of in wanted.items()}
    return {name: points for name, points in drawn.items() if points}


def fastest_merge(record):
    return min((record[member] for member in MERGES if record.get(member) is not None), default=None)


def rate_by(member):
    return lambda record: record.get(member) and keys_of(record) / record[member] / 1000


def charts_of_arrays(records, device):
    records = shown(records)
    if not records:
        return {}
    times = {"bitune": lambda record: record["bitune_us"], "CUB radix sort": lambda record: record.get("peer_radix_us"),
             "CUB merge sort": fastest_merge, "torch.argsort": lambda record: record.get("torch_us")}
    return {
        "pairs-ratio": {
            "title": f"One array of pairs, and argsort, {device}: how many times as fast as CUB", "kind": "ratio", "x": "keys in the array",
            "y": "CUB's time / bitune's",
            "panels": [{"title": operation, "lines": {key: line([record for record in group if record["key_type"] == key],
                                                                lambda record: record["ratio"]) for key in key_types(group)}}
                       for operation, group in operations(records).items()]},
        "pairs-time": {
            "title": f"One array of pairs, and argsort, {device}: time of a sort", "kind": "time", "x": "keys in the array", "y": "",
            "panels": [{"title": f"{key}: {operation}", "lines": lines(of_case, times)} for operation, key, of_case in cases(records)]},
    }


def charts_of_rows(records, device):
    records = many_rows(records)
    if not records:
        return {}
    rates = {"bitune": rate_by("bitune_us"), "CUB (its faster segmented sort)": rate_by("peer_us"), "torch.argsort": rate_by("torch_us")}
    return {"pairs-rows-rate": {
        "title": f"Many rows of pairs, and argsort of rows, {device}: billions of keys a second", "kind": "rate", "x": "keys in a row",
        "y": "Gkeys/s",
        "panels": [{"title": f"{key}: {operation}", "lines": lines(of_case, rates)} for operation, key, of_case in cases(records)]}}


def ratios_table(records):
    yield "| sort | key | lengths | faster than CUB | least ratio | geometric mean | greatest ratio |"
    yield "| --- | --- | --- | ---: | ---: | ---: | ---: |"
    for operation, key, of_case in cases(records):
        ratios = [record["ratio"] for record in of_case]
        lengths = sorted(record["n"] for record in of_case)
        yield (f"| {operation} | {key} | {size_text(lengths[0])} to {size_text(lengths[-1])} | {sum(ratio > 1 for ratio in ratios)} of {len(ratios)} | "
               f"{min(ratios):.2f} | **{geometric_mean(ratios):.2f}** | {max(ratios):.2f} |")
    yield ""


def grid(head, records, cell_of):
    """A row for each length, a column for each kind of sort of which there are several lengths: others are in the details."""
    kinds = [case for case in cases(records) if len(case[2]) > 6] or cases(records)
    at = [{record["n"]: record for record in of_case} for _, _, of_case in kinds]
    yield f"| {head} | " + " | ".join(f"{key}: {operation}" for operation, key, _ in kinds) + " |"
    yield "|" + " ---: |" * (1 + len(kinds))
    for n in sorted({record["n"] for record in records}):
        yield f"| {size_text(n)} | " + " | ".join(cell_of(of_case[n]) if n in of_case else "–" for of_case in at) + " |"
    yield ""


def memory_share(record):
    """What bitune takes of memory besides the keys, as a part of what torch takes: indices and workspace."""
    own = record["index_bytes"] * keys_of(record) + record.get("workspace_bytes", 0)
    return own / record["torch_bytes"]


def torch_table(records):
    """argsort beside torch.argsort, which makes indices of 8 bytes."""
    beside = [record for record in records if record["operation"] == "argsort" and record.get("torch_us")]
    if not beside:
        return
    yield "Beside `torch.argsort`, which makes indices of 8 bytes and ran right after, not in turn:"
    yield ""
    yield "| sort | key | faster than torch | least ratio | geometric mean | memory besides the keys, at most |"
    yield "| --- | --- | ---: | ---: | ---: | ---: |"
    for operation, key, of_case in cases(beside):
        ratios = [record["torch_us"] / record["bitune_us"] for record in of_case]
        shares = [memory_share(record) for record in of_case if record.get("torch_bytes")]
        share = f"{100 * max(shares):.0f} % of torch's" if shares else "–"
        yield (f"| {operation} | {key} | {sum(ratio > 1 for ratio in ratios)} of {len(ratios)} | {min(ratios):.2f} | "
               f"**{geometric_mean(ratios):.2f}** | {share} |")
    yield ""


def summary(arrays, rows, measured, image, short):
    """The sections of arrays and of rows. `measured`, `image` and `short`: how the page says on what, shows a chart, and rounds."""
    for records, charts, heading in ((shown(arrays), ("pairs-ratio", "pairs-time"), "One array of pairs, and argsort"),
                                     (many_rows(rows), ("pairs-rows-rate",), "Many rows of pairs, and argsort of rows")):
        if not records:
            continue
        yield f"### {heading}"
        yield ""
        yield measured(records)
        yield ""
        yield from image(charts[0])
        yield from ratios_table(records)
        is_rows = records[0]["suite"] == "rows"
        yield ("Billions of keys a second" if is_rows else "Microseconds") + "; in brackets how many times as fast as CUB that is:"
        yield ""
        number = rate_by("bitune_us") if is_rows else lambda record: record["bitune_us"]
        yield from grid("row length" if is_rows else "n", records, lambda record: f"{short(number(record))} ({short(record['ratio'])})")
        yield from torch_table(records)
        for chart in charts[1:]:
            yield from image(chart)

