"""The tables of docs/tuning.md about sessions on a GPU, from bench/results/<gpu>/tuner.json."""

import json
import statistics

from generated_page import size_text


def values(records, member):
    return ", ".join(sorted({str(record[member]) for record in records}))


def sessions(records):
    yield "### Sessions"
    yield ""
    yield "Each began with an empty database and an empty kernel cache. What was known beforehand may begin the searches."
    yield ""
    yield "| command | problems | known beforehand | GPUs | cores | trials | seconds |"
    yield "| --- | --- | --- | ---: | ---: | ---: | ---: |"
    for record in records:
        yield (f"| `{record['command']}` | {record['problems']} | {record['beforehand']} | {record['gpus']} | {record['cores']} | {record['trials']} | "
               f"{record['seconds']} |")
    yield ""


def time_text(entry):
    """The median of the times that a selection took; its rung where it is not of the very problem."""
    return f"{statistics.median(entry['us']):g}" + ("" if entry["match"] == "exact" else f" ({entry['match']})")


def in_order(records):
    return sorted(records, key=lambda record: (record["key_type"] != "u32", record["n"]))


def seeds(records):
    yield "### Two seeds"
    yield ""
    yield ("Microseconds a sort. What each session selects was measured again, all in turn, three times; the median is shown. `longer search` is what "
           "sessions of minutes selected. Where a rung of the selection ladder is named, the length itself was not tuned.")
    yield ""
    names = " | ".join(f"seed {seed}" for seed in records[0]["seeds"])
    yield f"| key | n | {names} | difference | longer search | slower than that by |"
    yield "| --- | ---: |" + " ---: |" * (len(records[0]["seeds"]) + 3)
    for record in in_order(records):
        medians = [statistics.median(entry["us"]) for entry in record["seeds"].values()]
        cells = [record["key_type"], size_text(record["n"]), *map(time_text, record["seeds"].values())]
        cells += [f"{100 * (max(medians) / min(medians) - 1):.0f} %", f"{record['longer_us']:g}"]
        cells += [f"{100 * max(max(medians) / record['longer_us'] - 1, 0):.0f} %"]
        yield "| " + " | ".join(cells) + " |"
    yield ""


def from_nothing(records, known):
    """`known`: the records of seeds, whose longer search says what is possible."""
    if not records:
        return
    best = {(record["key_type"], record["n"]): record["longer_us"] for record in known}
    yield "### From nothing"
    yield ""
    yield ("Microseconds a sort on a GPU of which nothing is known. An untuned sort has the defaults that follow from the device's limits. The sessions "
           "began with nothing. In brackets: by how much that is slower than the longer search above.")
    yield ""
    seeds = sorted({seed for record in records for seed in record["seeds"]})
    yield "| key | n | untuned | " + " | ".join(f"seed {seed}" for seed in seeds) + " |"
    yield "| --- | ---: | ---: |" + " ---: |" * len(seeds)
    for record in in_order(records):
        def cell(us):
            if us is None:
                return "–"
            return f"{us:g} ({100 * max(us / best[record['key_type'], record['n']] - 1, 0):.0f} %)"
        cells = [cell(record["untuned_us"])] + [cell(statistics.median(record["seeds"][seed]["us"])) for seed in seeds]
        yield f"| {record['key_type']} | {size_text(record['n'])} | " + " | ".join(cells) + " |"
    yield ""


def section(path):
    records = json.loads(path.read_text())
    yield f"## On an {values(records, 'device')}"
    yield ""
    yield f"Driver {values(records, 'driver')}; measured {values(records, 'date')}. From `bench/results/{path.parent.name}/{path.name}`."
    yield ""
    yield from sessions([record for record in records if record["kind"] == "session"])
    two_seeds = [record for record in records if record["kind"] == "seeds"]
    yield from seeds(two_seeds)
    yield from from_nothing([record for record in records if record["kind"] == "from_nothing"], two_seeds)


def generated(results):
    lines = [line for path in sorted(results.glob("*/tuner.json")) for line in section(path)]
    return "\n".join(lines).strip()
