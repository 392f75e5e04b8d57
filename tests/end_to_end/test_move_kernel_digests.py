"""scripts/move_kernel_digests.py on made-up lists of machine code: it tells what differs, and moves only what is proven."""

import json
import pathlib
import sqlite3
import subprocess
import sys

import pytest

SCRIPT = pathlib.Path(__file__).resolve().parents[2] / "scripts" / "move_kernel_digests.py"
OLD, NEW = "0" * 31, "1" * 31  # with a digit for each variant


def listed(path, version, **codes):
    """A list in which each variant has one kernel, or none if its code is None. Code is alike in any launch order up to a '/'."""
    lines = [f"version\t{variant}\t{version}{place}" for place, variant in enumerate(codes)]
    lines += [f"kernel\t{variant}\tsort\t{variant}()\t0\t{code}\t{code.split('/')[0]}\t128\t32\tkernels/{version[0]}.cuh\tsort_{version[0]}"
              for variant, code in codes.items() if code is not None]
    path.write_text("\n".join(lines) + "\n")
    return path


@pytest.fixture
def lists(tmp_path):
    """One variant is the same, one is not, of one nothing is known, and one did not compile in either tree."""
    return (listed(tmp_path / "before", OLD, same="a", other="b", unknown=None, broken="not compiled"),
            listed(tmp_path / "after", NEW, same="a", other="c", unknown=None, broken="not compiled"))


def run(*arguments):
    return subprocess.run([sys.executable, SCRIPT, *arguments], capture_output=True, text=True)


def test_compare_tells_what_differs(lists):
    output = run("compare", *lists)
    assert output.returncode == 1
    assert "other: sort_0 of kernels/0.cuh, now sort_1 of kernels/1.cuh: 128 bytes" in output.stdout
    assert "same: 1 kernels, 0 differences, another digest" in output.stdout
    assert run("compare", lists[0], lists[0]).stdout.count(", 0 differences\n") == 3
    only_same = [listed(path.with_suffix(".same"), version, same="a") for path, version in zip(lists, (OLD, NEW))]
    assert run("compare", *only_same).returncode == 0


def test_the_order_at_a_kernels_beginning_counts_unless_it_is_said_not_to(tmp_path):
    lists = [listed(tmp_path / version, version, same=code) for version, code in ((OLD, "a/waits"), (NEW, "a/allows"))]
    assert run("compare", *lists).returncode == 1
    assert run("compare", *lists, "--any-launch-order").returncode == 0
    assert run("move", *lists).stdout == ""
    assert f'"{NEW}0"' in run("move", *lists, "--any-launch-order").stdout
    lists[1] = listed(tmp_path / NEW, NEW, same="b/waits")
    assert run("compare", *lists, "--any-launch-order").returncode == 1


def test_move_rewrites_what_is_proven(lists, tmp_path):
    digests = [f"{OLD}{place}" for place in range(4)] + ["f" * 32]
    database = tmp_path / "tunings.db"
    connection = sqlite3.connect(database)
    with connection:
        connection.execute("CREATE TABLE kernels (id INTEGER PRIMARY KEY, digest TEXT NOT NULL UNIQUE)")
        connection.executemany("INSERT INTO kernels (digest) VALUES (?)", [[digest] for digest in digests])
    records = tmp_path / "single.json"
    text = json.dumps([{"kernel": digest, "n": 1.50, "note": digest} for digest in digests])
    records.write_text(text)

    output = run("move", *lists, database, records)
    assert output.returncode == 1, "not all variants moved"
    assert output.stdout == f'    {{"{OLD}0", "{NEW}0"}},  // same\n'
    for variant in ("other", "unknown", "broken"):
        assert f"{variant} does not move" in output.stderr
    assert [row for row, in connection.execute("SELECT digest FROM kernels ORDER BY id")] == [f"{NEW}0", *digests[1:]]
    assert records.read_text() == text.replace(f'"kernel": "{OLD}0"', f'"kernel": "{NEW}0"')
    connection.close()
