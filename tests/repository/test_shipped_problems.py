"""scripts/gpu/shipped_problems.py: what is shipped of a variant is told as `bitune tune` understands it, and can be forgotten."""

import os
import pathlib
import shlex
import shutil
import sqlite3
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
SHIPPED = ROOT / "data/tunings.db"
BITUNE = os.environ.get("BITUNE", "")


def variants_of(database):
    with sqlite3.connect(f"file:{database}?mode=ro", uri=True) as connection:
        return [name for name, in connection.execute("SELECT DISTINCT variant FROM series WHERE trials > 0 ORDER BY variant")]


def lines_of(*arguments):
    done = subprocess.run([sys.executable, ROOT / "scripts/gpu/shipped_problems.py", *arguments], capture_output=True, text=True, check=True)
    return done.stdout.splitlines()


@pytest.mark.skipif(not BITUNE, reason="$BITUNE names no executable")
def test_tune_understands_the_largest_problem_of_each_variant(tmp_path):
    variants = variants_of(SHIPPED)
    assert len(variants) > 20
    for variant in variants:
        options = shlex.split(lines_of(SHIPPED, variant)[0])
        assert options[options.index("--start") + 1].startswith(variant + "(")
        listed = subprocess.run([BITUNE, "tune", "--list", "--device", "emulated", "--db", tmp_path / "tuning.db", *options],
                                capture_output=True, text=True, check=False)
        assert listed.returncode == 0 and listed.stdout.startswith(variant + " "), f"{options}: {listed.stdout}{listed.stderr}"


def test_there_is_a_line_for_each_series():
    for variant in ("segments", "lane_lists"):
        with sqlite3.connect(f"file:{SHIPPED}?mode=ro", uri=True) as connection:
            series, = connection.execute("SELECT count(*) FROM series WHERE variant = ? AND ok > 0", (variant,)).fetchone()
        lines = lines_of(SHIPPED, variant)
        assert len(lines) == series > 0
        assert len(set(lines)) == series


def test_what_is_forgotten_is_gone_and_no_other(tmp_path):
    database = tmp_path / "tunings.db"
    shutil.copy(SHIPPED, database)
    lines_of("--forget", database, "segments")
    assert variants_of(database) == [name for name in variants_of(SHIPPED) if name != "segments"]
    assert lines_of(database, "segments") == []
