"""What docs/python.md says of calls from Python on a GPU, from bench/results/<gpu>/python.json."""

import json

from generated_page import size_text
from performance_records import geometric_mean

OTHERS = {"sort": ("torch_sort_us", "cupy_sort_us"), "argsort": ("torch_argsort_us",), "sort + indices": ("torch_sort_us",)}
NAMES = {"torch_sort_us": "torch.sort", "cupy_sort_us": "cupy.sort", "torch_argsort_us": "torch.argsort"}
SHOWN = [1 << power for power in (0, 6, 10, 14, 18, 20, 22, 24, 26, 28)]


def number(us):
    return f"{us:.1f}" if us < 100 else f"{us:.0f}"


def calls(records):
    yield "The time of the host until a call on 1,024 keys returns, results allocated by the call:"
    yield ""
    yield "| call | us of the host |"
    yield "| --- | ---: |"
    for record in records:
        yield f"| `{record['call']}` | {record['host_us']:.1f} |"
    yield ""


def comparison(records, of_rows):
    """A table of one operation: a line each length."""
    operation = records[0]["operation"]
    others = [member for member in OTHERS[operation] if any(member in record for record in records)]
    yield "| " + ("rows x length" if of_rows else "keys") + " | bitune | " + " | ".join(NAMES[o] for o in others) + " | times as fast as the faster |"
    yield "| ---: |" + " ---: |" * (len(others) + 2)
    for record in sorted(records, key=lambda record: record["n"]):
        length = f"{record['rows']} x {record['n']}" if of_rows else size_text(record["n"])
        cells = [number(record["bitune_us"])] + [number(record[o]) if o in record else "-" for o in others]
        yield f"| {length} | " + " | ".join(cells) + f" | {record['ratio']:.2f} |"
    yield ""


def sorts(records):
    for of_rows, what in ((False, "One array"), (True, "Rows")):
        for operation in OTHERS:
            found = [r for r in records if r["operation"] == operation and (r["rows"] > 1) == of_rows]
            if not found:
                continue
            ratios = [record["ratio"] for record in found]
            yield (f"**{what}, {operation}, {found[0]['key_type']}** (us by the GPU's clock, calls in a row). {len(found)} lengths: {min(ratios):.2f} to "
                   f"{max(ratios):.2f} times as fast, geometric mean {geometric_mean(ratios):.2f}.")
            yield ""
            shown = [record for record in found if of_rows or record["n"] in SHOWN]
            yield from comparison(shown, of_rows)


def starts(records):
    yield "| the first of a process, beside CUDA's own start | ms | kernels shipped | kernels compiled |"
    yield "| --- | ---: | ---: | ---: |"
    for record in records:
        yield f"| {record['what']} | {record['ms']:.1f} | {record.get('shipped', '-')} | {record.get('compiled', '-')} |"
    yield ""


def section(path):
    records = json.loads(path.read_text())
    wrong = [record for record in records if not record.get("verified", True)]
    if wrong:
        raise SystemExit(f"{path}: {len(wrong)} results are not verified; they are not to be published")
    of = {name: [record for record in records if record["suite"] == name] for name in ("python calls", "python", "python start")}
    some = records[0]
    cupy = f", CuPy {some['cupy']}" if some.get("cupy") else ""
    yield (f"{some['device']}, {some['date']}, Python {some['python']}, torch {some['torch']}{cupy}; made by `scripts/gpu/python.sh`. "
           "Floats are of the standard normal distribution.")
    yield ""
    for name, told in (("python calls", calls), ("python", sorts), ("python start", starts)):
        if of[name]:
            yield from told(of[name])


def generated(results):
    return "\n".join(line for path in sorted(results.glob("*/python.json")) for line in section(path)).rstrip()
