"""The tables of docs/tuning.md, from records of scripts/compare_strategies.py."""

import statistics

import generated_page
from generated_page import size_text

SCRIPT = "scripts/compare_strategies.py"
NAMES = {"bitune": "bitune", "kernel_tuner": "Kernel Tuner"}


def space_of(record):
    return record["key_type"], record["n"], record["rows"]


def space_text(space):
    key_type, n, rows = space
    return f"{key_type} {size_text(n)}" + (f" x {size_text(rows)} rows" if rows > 1 else "")


def table(records):
    spaces = sorted({space_of(record) for record in records}, key=lambda space: (space[2] > 1, space))
    rows = {}
    for record in records:
        rows.setdefault((record["tool"], record["strategy"]), {})[space_of(record)] = record
    baseline = rows["bitune", "random"]

    def mean(row):
        return statistics.fmean(row[space]["mean_evaluations"] for space in spaces)

    heads = [f"{space_text(space)} ({baseline[space]['configurations']})" for space in spaces]
    yield "| strategy | of | seeds | " + " | ".join(heads) + " | mean | of random |"
    yield "| --- | --- |" + " ---: |" * (len(spaces) + 3)
    complete = {key: row for key, row in rows.items() if all(space in row for space in spaces)}
    for (tool, strategy), row in sorted(complete.items(), key=lambda item: mean(item[1])):
        cells = []
        for space in spaces:
            record = row[space]
            missed = record["seeds"] - record["reached"]
            cells.append(f"{record['mean_evaluations']:.0f}" + (f" ({100 * missed / record['seeds']:.0f} % missed)" if missed else ""))
        cells += [f"{mean(row):.0f}", f"{mean(row) / mean(baseline):.2f}"]
        seeds = "/".join(map(str, sorted({record["seeds"] for record in row.values()})))
        yield f"| `{strategy}` | {NAMES[tool]} | {seeds} | " + " | ".join(cells) + " |"


def generated(records):
    tools = ", ".join(sorted({f"{NAMES[record['tool']]} {record['tool_version']}" for record in records}))
    caps = {record["most_evaluations"] for record in records if record["tool"] == "kernel_tuner" and record["strategy"] != "random_sample"}
    lines = [f"{tools}; run {', '.join(sorted({record['date'] for record in records}))}."]
    if caps:
        lines += ["", f"Kernel Tuner's strategies were cut off after {', '.join(map(str, sorted(caps)))} evaluations; its `random_sample` was not. A run "
                  "that was cut off, or gave up, counts as that many evaluations. Its mean is then a lower bound."]
    for name in sorted({record["set"] for record in records}):
        lines += ["", f"### {name}", "", *table([record for record in records if record["set"] == name])]
    return "\n".join(lines)


def update(page, records, check):
    """Writes the page; with `check` only says whether it is up to date."""
    return generated_page.update(page, SCRIPT, generated(records), check)
