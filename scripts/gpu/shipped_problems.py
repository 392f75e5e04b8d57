#!/usr/bin/env python3
"""What `bitune tune` must be told to measure again what shipped tunings have of some variants, after a change to their kernels.

  scripts/gpu/shipped_problems.py data/tunings.db segments rows_as_segments            a line of options for each problem
  scripts/gpu/shipped_problems.py --forget tuning.db segments rows_as_segments         deletes these variants' trials

Each line begins with what is shipped, so a budget of a few evaluations is enough. It needs nothing but Python.
"""

import argparse
import shlex
import sqlite3

PROBLEMS = """
SELECT s.variant, p.operation, p.key_type, p.value_bytes, p.index_bytes, p.key_order, p.stable, p.k, p.n, p.rows, p.ragged, r.text, c.text
FROM trials t JOIN series s ON s.id = t.series_id JOIN problems p ON p.id = s.problem_id JOIN devices d ON d.id = s.device_id
JOIN protocols r ON r.id = s.protocol_id JOIN configurations c ON c.id = t.configuration_id
WHERE s.variant IN ({variants}) AND d.name LIKE ? AND t.status = 'ok'
GROUP BY s.id HAVING min(t.median_us + 1e12 * (1 - t.finalist)) ORDER BY p.n * CASE p.ragged WHEN 0 THEN p.rows ELSE 1 END DESC, s.id
"""


def options_of(problem):
    """The options of one problem, without what is theirs by default."""
    variant, operation, key, value_bytes, index_bytes, order, stable, k, n, rows, ragged, protocol, configuration = problem
    measured = dict(part.split("=", 1) for part in protocol.split())
    options = ["--variants", variant, "--operation", operation, "--keys", key, "--order", order]
    if value_bytes:
        options += ["--value-bytes", str(value_bytes)]
    if index_bytes:
        options += ["--index-bytes", str(index_bytes)]
    if operation in ("sort_pairs", "argsort") and not stable:
        options += ["--unstable"]
    if operation == "top_k":
        options += ["--k", str(k)]
    if ragged:
        options += ["--lengths", measured["lengths"], "--sizes", str(n // rows), "--rows", str(rows)]
    else:
        options += ["--sizes", str(n), "--rows", str(rows)]
    if measured.get("distribution", "random") != "random":
        options += ["--distribution", measured["distribution"]]
    if measured.get("l2") == "cold":
        options += ["--cold-l2"]
    return options + ["--start", configuration]


def forget(database, variants):
    """Deletes the variants' trials: what is shipped next has those that are measured anew."""
    marks = ", ".join("?" * len(variants))
    with sqlite3.connect(database) as connection:
        connection.execute(f"DELETE FROM trials WHERE series_id IN (SELECT id FROM series WHERE variant IN ({marks}))", variants)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--forget", action="store_true", help="delete the variants' trials from the database, and print nothing")
    parser.add_argument("--device", default="", help="part of the name of the GPU whose tunings are meant (default: all)")
    parser.add_argument("database")
    parser.add_argument("variants", nargs="+")
    arguments = parser.parse_args()
    if arguments.forget:
        forget(arguments.database, arguments.variants)
        return
    marks = ", ".join("?" * len(arguments.variants))
    with sqlite3.connect(f"file:{arguments.database}?mode=ro", uri=True) as connection:
        for problem in connection.execute(PROBLEMS.format(variants=marks), [*arguments.variants, f"%{arguments.device}%"]):
            print(shlex.join(options_of(problem)))


if __name__ == "__main__":
    main()
