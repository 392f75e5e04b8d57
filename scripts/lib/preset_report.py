"""The section of docs/performance.md on the suite "presets": tables, and the publications' claims held against what was measured."""

from generated_page import size_text

CLAIM_SIZE = 1 << 24
LADDER = ["v0", "v1", "v2", "v3"]
A100_TOTALS_MS = {"v0": 102, "v1": 78, "v2": 65, "v3": 53}
SPEEDUPS = [("v0", "v1", 30), ("v1", "v2", 20), ("v2", "v3", 20)]
HYBRID_MKEYS = (1600, 2500)
TOLERANCE = 10  # percentage points by which an "about" may be off


def ms(us):
    if us is None:
        return "–"
    return f"{us / 1000:.3f}" if us < 10_000 else f"{us / 1000:.1f}"


def copies(record):
    return record["h2d_us"] + record["d2h_us"]


def names_in(records):
    return list(dict.fromkeys(record["preset"] for record in records))


def by_size(records, member, rivals):
    """A table of one time: a row a length, a column a preset, then those of the rivals (heading -> member)."""
    names = names_in(records)
    rivals = {head: key for head, key in rivals.items() if any(record.get(key) is not None for record in records)}
    yield "| n | " + " | ".join([*names, *rivals]) + " |"
    yield "|" + " ---: |" * (1 + len(names) + len(rivals))
    for n in sorted({record["n"] for record in records}):
        of_n = {record["preset"]: record for record in records if record["n"] == n}
        first = next(iter(of_n.values()))
        cells = [ms(of_n[name][member]) if name in of_n else "–" for name in names]
        cells += [ms(first.get(key)) for key in rivals.values()]
        yield f"| {size_text(n)} | " + " | ".join(cells) + " |"


def breakdown(records):
    yield ("| preset | to device | kernels, one by one | kernels | to host | total | launches | host memory | Mkeys/s | "
           "kernels' Mkeys/s | ns/key |")
    yield "| --- | ---: | --- | ---: | ---: | ---: | ---: | --- | ---: | ---: | ---: |"
    for record in records:
        kernels = ", ".join(f"{name} {ms(us)}" for name, us in record["kernels_us"].items())
        yield (f"| {record['preset']} | {ms(record['h2d_us'])} | {kernels} | {ms(record['sort_us'])} | {ms(record['d2h_us'])} | "
               f"{ms(record['total_us'])} | {record['launches']} | {record['host_memory']} | {record['keys_per_s'] / 1e6:.0f} | "
               f"{record['sort_keys_per_s'] / 1e6:.0f} | {record['ns_per_key']:.3f} |")


def verdict(measured, claimed):
    if abs(measured - claimed) <= TOLERANCE:
        return "holds"
    return "more than that" if measured > claimed else "less than that"


def speedup(slow, fast, member="total_us"):
    return 100 * (slow[member] / fast[member] - 1)


def speedup_claim(slow, fast, claimed):
    """One row on two versions, and why: how much of the difference is kernels, and how much copies."""
    total, kernels = speedup(slow, fast), speedup(slow, fast, "sort_us")
    saved = slow["total_us"] - fast["total_us"]
    why = f"kernels alone: {kernels:+.0f} % ({slow['launches']} launches, then {fast['launches']})"
    if saved > 0:
        why += (f"; of {ms(saved)} ms saved, {ms(slow['sort_us'] - fast['sort_us'])} are kernels and "
                f"{ms(copies(slow) - copies(fast))} copies ({slow['host_memory']}, then {fast['host_memory']})")
    why += f"; copies are {100 * copies(slow) / slow['total_us']:.0f} % of {slow['preset']}'s total"
    return (f"| {fast['preset']} is about {claimed} % faster than {slow['preset']} | {total:+.0f} % at {size_text(slow['n'])} | "
            f"{verdict(total, claimed)} | {why} |")


def cub_claim(records):
    """v3 against CUB, both with transfers: from which length on CUB is ahead."""
    compared = sorted((record for record in records if record["preset"] == "v3" and record["ratio"] is not None),
                      key=lambda record: record["n"])
    if not compared:
        return
    won = [record["n"] for record in compared if record["ratio"] > 1]
    at = min(compared, key=lambda record: abs(record["n"] - (1 << 20)))
    measured = f"ahead at {', '.join(map(size_text, won))}" if won else "ahead nowhere"
    measured += f"; ratio {at['ratio']:.2f} at {size_text(at['n'])}"
    small = [record for record in compared if record["n"] <= 1 << 20]
    holds = bool(small) and all(record["ratio"] > 1 for record in small)
    why = (f"at {size_text(at['n'])} v3's kernels take {ms(at['sort_us'])} ms and CUB's {ms(at['peer_sort_us'])}, "
           f"copies {ms(copies(at))} ms")
    yield f"| v3 beats CUB up to 2^20, totals, on an A100 | {measured} | {'holds' if holds else 'does not hold'} | {why} |"


def hybrid_claim(records):
    hybrid = [record for record in records if record["preset"] == "hybrid-16k"]
    if not hybrid:
        return
    low, high = HYBRID_MKEYS
    for what, member in (("totals", "keys_per_s"), ("kernels alone", "sort_keys_per_s")):
        rates = [record[member] / 1e6 for record in hybrid]
        inside = [size_text(record["n"]) for record in hybrid if low <= record[member] / 1e6 <= high]
        best = max(hybrid, key=lambda record: record[member])
        held = "holds" if len(inside) == len(hybrid) else f"holds at {', '.join(inside)}" if inside else \
            "more than that" if min(rates) > high else "less than that" if max(rates) < low else "does not hold"
        yield (f"| hybrid-16k sorts {low} to {high} million keys a second ({what}) | {min(rates):.0f} to {max(rates):.0f} | {held} | "
               f"best at {size_text(best['n'])}; copies are {100 * copies(best) / best['total_us']:.0f} % of the total there |")


def claims(records):
    at = {record["preset"]: record for record in records if record["n"] == CLAIM_SIZE}
    rows = [speedup_claim(at[slow], at[fast], claimed) for slow, fast, claimed in SPEEDUPS if slow in at and fast in at]
    large = [record for record in records if record["n"] >= 1 << 20]
    rows += cub_claim(large)
    rows += hybrid_claim(large)
    for name in LADDER:
        if name in at:
            here, there = at[name]["total_us"] / 1000, A100_TOTALS_MS[name]
            rows.append(f"| {name} takes {there} ms at 2^24 on an A100, in all | {here:.1f} ms | {there / here:.2f} times as fast here | "
                        f"kernels {ms(at[name]['sort_us'])} ms, copies {ms(copies(at[name]))} ms |")
    if not rows:
        return
    yield "#### The publications' claims"
    yield ""
    yield (f"Computed from the same results. \"Faster\" compares times a sort; an \"about\" holds within {TOLERANCE} percentage points.")
    yield ""
    yield "| claim | measured here | verdict | what the parts say |"
    yield "| --- | --- | --- | --- |"
    yield from rows
    yield ""


def section(path, records):
    """Lines of the section, below its heading."""
    yield ("Host array to sorted host array, times in milliseconds. Each preset copies from and to the host memory that its publication "
           "used: page-locked for v3 and hybrid-16k (and for CUB and bitune), pageable for the others. The host's sorts ran once, "
           "on one core, up to 2^27 keys. What the presets are: [background](background.md).")
    yield ""
    for plot in sorted(path.parent.glob("presets-*.svg")):
        yield f"![{plot.stem}](../bench/results/{path.parent.name}/{plot.name})"
        yield ""
    for key in sorted({record["key_type"] for record in records}):
        of_key = [record for record in records if record["key_type"] == key]
        yield f"### {key}: totals"
        yield ""
        yield from by_size(of_key, "total_us", {"CUB radix": "peer_us", "std::sort": "std_sort_us", "qsort": "qsort_us"})
        yield ""
        yield f"### {key}: kernels alone"
        yield ""
        yield from by_size(of_key, "sort_us", {"CUB radix": "peer_sort_us"})
        yield ""
        yield from claims(of_key)
        lengths = sorted({record["n"] for record in of_key})
        shown = [n for n in (1 << 13, 1 << 20, CLAIM_SIZE) if n in lengths] or lengths[-1:]
        for n in shown:
            yield f"#### {key}, n = {size_text(n)}, part by part"
            yield ""
            yield from breakdown([record for record in of_key if record["n"] == n])
            yield ""
