"""The records of bench/results/<gpu>/: read, checked, and put in groups of what can be compared."""

import contextlib
import functools
import json
import math
import pathlib
import sqlite3
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
RESULTS = ROOT / "bench" / "results"
TUNINGS = ROOT / "data" / "tunings.db"
ELSEWHERE = ("strategies.json", "tuner.json", "python.json", "topk.json", "segments.json", "segments-drawn.json", "segments-classes.json",
             "multi.json", "multi-dask.json", "multi-host.json", "multi-tune.json")  # told in docs/tuning.md, docs/python.md and by modules of their own
# What a record may say beside key type and lengths, and what it means if it says nothing. Only records that agree in all of it are
# put in one table or chart.
PLAIN = {"operation": "sort", "order": "ascending", "distribution": "random", "value_bytes": 0, "index_bytes": 0, "stable": False, "k": 0,
         "ragged": False, "lengths": "", "gpus": 1}


def read(path):
    """The records of one file. Results that were not verified are an error: they are not to be published."""
    records = json.loads(path.read_text())
    wrong = [record for record in records if not record["verified"]]
    if wrong:
        sys.exit(f"{path}: {len(wrong)} results are not verified; they are not to be published")
    return records


def recorded(results, gpu, name):
    """The records of that file of a GPU; none where there is no such file."""
    path = results / gpu / name
    return read(path) if path.is_file() else []


def files(results):
    return sorted(path for path in results.glob("*/*.json") if path.name not in ELSEWHERE)


def gpus(results):
    """Folders of GPUs that have records of arrays, rows or segments: those with arrays first."""
    found = {path.parent for path in (*files(results), *results.glob("*/segments.json"))}
    return [folder.name for folder in sorted(found, key=lambda folder: (not (folder / "single.json").is_file(), folder.name))]


def suite(results, gpu, name):
    """All records of one suite on one GPU, in whichever of its files they are."""
    return [record for path in files(results) if path.parent.name == gpu for record in read(path) if record["suite"] == name]


def special(record):
    """What a record says that is not plain, as (member, value): nothing for random keys in ascending order."""
    return tuple((member, record[member]) for member, usual in PLAIN.items() if (record.get(member) or usual) != usual)


def plain(records):
    """Sorts of random keys, ascending, keys alone."""
    return [record for record in records if not special(record)]


def keys_of(record):
    """Keys in all; older records do not say it."""
    return record.get("keys", record["n"] * record["rows"])


def fills_device(record, largest):
    """Whether rows are so many that they are about as many keys as the largest record has."""
    return 2 * keys_of(record) > largest


def most_keys(records):
    return max(map(keys_of, records))


def methods_of(records):
    """Members of the records that hold the time of one of the peer's methods: radix sort first."""
    keys = {key for record in records for key in record}
    methods = [key for key in keys if key.startswith("peer_") and key.endswith("_us") and key != "peer_us"]
    return sorted(methods, key=lambda key: (key != "peer_radix_us", key))


def key_types(records):
    """u32 and f32 first: they are what most people sort."""
    return sorted({record["key_type"] for record in records}, key=lambda key: (key != "u32", key != "f32", int(key.lstrip("bfiu")), key))


def values(records, member):
    return ", ".join(sorted({str(record[member]) for record in records if record.get(member)})) or "unknown"


def span(records, member):
    """The least and the greatest value, as "9 to 15"; one value by itself."""
    found = sorted({record[member] for record in records if record.get(member)})
    if not found:
        return "unknown"
    return str(found[0]) if len(found) == 1 else f"{found[0]} to {found[-1]}"


def geometric_mean(numbers):
    return math.exp(sum(map(math.log, numbers)) / len(numbers))


def query(sql, *arguments):
    with contextlib.closing(sqlite3.connect(f"{TUNINGS.as_uri()}?mode=ro&immutable=1", uri=True)) as database:
        return database.execute(sql, arguments).fetchall()


@functools.cache
def kernels_of_today():
    """The version of each variant's kernels that the shipped tunings are of: a test holds them to the sources."""
    return dict(query("SELECT DISTINCT series.variant, digest FROM series JOIN kernels ON kernels.id = kernel_id"))


def of_earlier_kernels(record):
    return record.get("kernel") != kernels_of_today().get(record["configuration"].split("(")[0])


def earlier_mark(record):
    """Behind a figure: what `earlier_note` explains."""
    return " †" if of_earlier_kernels(record) else ""


def earlier_note(records):
    """A sentence above a table with marked figures, or none."""
    earlier = sum(map(of_earlier_kernels, records))
    if earlier:
        yield f"**† Made with earlier kernels: {earlier} of {len(records)} lines.** What ships now was not measured there, and may be faster or slower."
