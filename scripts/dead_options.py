#!/usr/bin/env python3
"""Tells which values of parameters never win, from the trials in tuning databases.

For each value of each parameter: in how many problems it was measured, in how many the fastest configuration of its variant has it, and what
doing without it would cost at the most, in percent. A value that costs less than 2 % everywhere can be cut.

    scripts/dead_options.py tuning.db [data/tunings.db ...]
"""

import argparse
import collections
import pathlib
import re
import sqlite3

TRIALS = """
SELECT s.device_id, s.problem_id, s.variant, c.text, min(t.median_us)
FROM trials t JOIN series s ON s.id = t.series_id JOIN configurations c ON c.id = t.configuration_id
WHERE t.status = 'ok' AND t.median_us IS NOT NULL GROUP BY s.device_id, s.problem_id, s.variant, c.text"""


def fastest(paths):
    """Microseconds by (variant, problem of a file), then by configuration, as its parameters."""
    times = collections.defaultdict(dict)
    for path in paths:
        database = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
        for device, problem, variant, text, us in database.execute(TRIALS):
            parameters = tuple(re.findall(r"(\w+)=(-?\d+)", text))
            times[variant, (path, device, problem)][parameters] = us
        database.close()
    return times


def costs(times):
    """By (variant, parameter, value): the problems it was measured in, those it is best in, and the largest loss without it."""
    found = collections.defaultdict(lambda: [0, 0, 0.0])
    for (variant, _), configurations in times.items():
        best = min(configurations.values())
        for name, value in {pair for parameters in configurations for pair in parameters}:
            without = [us for parameters, us in configurations.items() if (name, value) not in parameters]
            if not without:
                continue  # nothing else was measured
            entry = found[variant, name, int(value)]
            entry[0] += 1
            entry[1] += min(without) > best
            entry[2] = max(entry[2], (min(without) / best - 1) * 100)
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("databases", type=pathlib.Path, nargs="+")
    print(f"{'variant':16} {'parameter':28} {'value':>6} {'measured':>8} {'best':>5} {'cost':>8}")
    for (variant, name, value), (measured, best, cost) in sorted(costs(fastest(parser.parse_args().databases)).items()):
        verdict = "" if cost >= 2 else "  can go"
        print(f"{variant:16} {name:28} {value:6} {measured:8} {best:5} {cost:6.1f} %{verdict}")


if __name__ == "__main__":
    main()
