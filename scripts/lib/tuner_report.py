"""The tables of docs/tuning.md about sessions on a GPU, from bench/results/<gpu>/tuner.json."""

import json
import statistics

from generated_page import size_text


def values(records, member):
    return ", ".join(sorted({str(record[member]) for record in records}))


def sessions(records):
    yield "### Sessions"
    yield ""
    yield "An empty database and kernel cache; what was known beforehand may begin the searches."
    yield ""
    yield "| command | problems | known beforehand | GPUs | cores | trials | seconds |"
    yield "| --- | --- | --- | ---: | ---: | ---: | ---: |"
    for record in records:
        yield (f"| `{record['command']}` | {record['problems']} | {record['beforehand']} | {record['gpus']} | {record['cores']} | {record['trials']} | "
               f"{record['seconds']} |")
    yield ""


def seeds(records):
    yield "### Two seeds"
    yield ""
    yield ("What the sessions of the two seeds select, measured again in turn (microseconds a sort, each time that it was), and what a longer "
           "search of each length selects. Lengths that were not tuned are served from near ones, or by the default.")
    yield ""
    names = " | ".join(f"seed {seed} | found" for seed in records[0]["seeds"])
    yield f"| key | n | {names} | difference | longer search | slower than that by |"
    yield "| --- | ---: | ---: | --- | ---: | --- | ---: | ---: | ---: |"
    for record in sorted(records, key=lambda record: (record["key_type"] != "u32", record["n"])):
        medians = {seed: statistics.median(entry["us"]) for seed, entry in record["seeds"].items()}
        cells = []
        for entry in record["seeds"].values():
            cells += [", ".join(f"{us:g}" for us in entry["us"]), entry["match"]]
        difference = max(medians.values()) / min(medians.values()) - 1
        slower = max(medians.values()) / record["longer_us"] - 1
        yield (f"| {record['key_type']} | {size_text(record['n'])} | " + " | ".join(cells) + f" | {100 * difference:.0f} % | "
               f"{record['longer_us']:g} | {100 * max(slower, 0):.0f} % |")
    yield ""


def from_nothing(records, known):
    """`known`: the records of seeds, whose longer search says what is possible."""
    if not records:
        return
    best = {(record["key_type"], record["n"]): record["longer_us"] for record in known}
    yield "### From nothing"
    yield ""
    yield ("On a GPU of which nothing is known: what an untuned sort takes, with the defaults that follow from the device's limits, and what "
           "a session selects that began with nothing (microseconds a sort; in brackets by how much that is slower than the longer search above).")
    yield ""
    seeds = sorted({seed for record in records for seed in record["seeds"]})
    yield "| key | n | untuned | " + " | ".join(f"seed {seed}" for seed in seeds) + " |"
    yield "| --- | ---: | ---: |" + " ---: |" * len(seeds)
    for record in sorted(records, key=lambda record: (record["key_type"] != "u32", record["n"])):
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
