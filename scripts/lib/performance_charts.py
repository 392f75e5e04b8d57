"""What the charts of docs/performance.md show, as plain data made from the records. scripts/draw_performance.py draws them.

A drawn chart names the digest of what it shows, so that it can be checked against the records without drawing it again."""

import hashlib
import json
import re

import performance_pairs
from performance_records import fills_device, geometric_mean, gpus, key_types, keys_of, most_keys, plain, span, suite, values

DIGEST = "digest of what is shown: "


def points(records, member, of=lambda record, value: value):
    return sorted((record["n"], round(of(record, record[member]), 6)) for record in records if record.get(member) is not None)


def lines_of(records, wanted, of=lambda record, value: value):
    """Name of a line -> its points; lines without points are left out."""
    lines = {name: points(records, member, of) for name, member in wanted.items()}
    return {name: line for name, line in lines.items() if line}


def rate(record, us):
    return keys_of(record) / us / 1000


def many_rows(records):
    """Rows of random keys, so many of them that they fill the device, and CUB beside them."""
    records = [record for record in plain(records) if record["ratio"] is not None]
    largest = most_keys(records) if records else 0
    return [record for record in records if fills_device(record, largest)]


def common_lengths(records):
    """Records of the lengths that every key type has."""
    lengths = [{record["n"] for record in records if record["key_type"] == key} for key in key_types(records)]
    return [record for record in records if record["n"] in set.intersection(*lengths)]


def of_single(records, device):
    records = [record for record in plain(records) if record["ratio"] is not None]
    if not records:
        return {}
    keys = key_types(records)
    by_key = {key: [record for record in records if record["key_type"] == key] for key in keys}
    means = {key: geometric_mean([record["ratio"] for record in by_key[key]]) for key in keys}
    times = {"bitune": "bitune_us", "CUB radix sort": "peer_radix_us", "CUB merge sort": "peer_merge_us"}
    return {
        "single-ratio": {
            "title": f"One array of random keys, {device}: how many times as fast as CUB", "kind": "ratio",
            "x": "keys in the array", "y": "time of CUB's faster sort / time of bitune", "note": "in brackets: geometric mean; ",
            "panels": [{"title": "", "lines": {f"{key} ({means[key]:.2f})": points(by_key[key], "ratio") for key in keys}}]},
        "single-time": {
            "title": f"One array of random keys, {device}: time of a sort", "kind": "time", "x": "keys in the array", "y": "",
            "panels": [{"title": key, "lines": lines_of(by_key[key], times)} for key in keys]},
    }


def of_rows(records, device):
    records = many_rows(records)
    if not records:
        return {}
    wanted = {"bitune": "bitune_us", "CUB (its faster segmented sort)": "peer_us", "torch.sort": "torch_us"}
    by_key = {key: [record for record in records if record["key_type"] == key] for key in key_types(records)}
    shared = common_lengths(records)
    axes = {"x": "keys in a row", "y": "Gkeys/s"}
    shown = {"rows-rate": {
        "title": f"Many rows of random keys, {device}: billions of keys sorted a second", "kind": "rate", **axes,
        "panels": [{"title": key, "lines": lines_of([record for record in shared if record["key_type"] == key], wanted, rate)} for key in by_key]}}
    most = max(by_key, key=lambda key: len(by_key[key]))
    if len(by_key[most]) > len({record["n"] for record in shared}):
        shown["rows-lengths"] = {
            "title": f"Many rows of random {most} keys, {device}: lengths between powers of two, too", "kind": "rates", **axes,
            "panels": [{"title": "", "lines": lines_of(by_key[most], wanted, rate)}]}
    return shown


def charts(results, gpu):
    """Name of the file -> what the chart shows, and below it on what and when that was measured."""
    shown = {}
    for name, make, carries in (("single", of_single, False), ("rows", of_rows, False), ("single", performance_pairs.charts_of_arrays, True),
                                ("rows", performance_pairs.charts_of_rows, True)):
        records = [record for record in suite(results, gpu, name) if performance_pairs.carries(record) == carries]
        if not records:
            continue
        for chart, what in make(records, values(records, "device")).items():
            shown[chart] = what | {"note": what.get("note", "") + f"driver {values(records, 'driver')}; CUB {values(records, 'peer_version')}; "
                                           f"measured {span(records, 'date')}"}
    return shown


def digest(what):
    return hashlib.sha256(json.dumps(what, sort_keys=True).encode()).hexdigest()[:32]


def drawn(path):
    """The digest that a drawn chart names; nothing if there is none."""
    found = re.search(re.escape(DIGEST) + "([0-9a-f]+)", path.read_text()) if path.is_file() else None
    return found and found[1]


def outdated(results):
    """Charts that are missing, or show something else than the records say."""
    return [results / gpu / f"{name}.svg" for gpu in gpus(results)
            for name, what in charts(results, gpu).items() if drawn(results / gpu / f"{name}.svg") != digest(what)]
