"""The command of the package, `python -m bitune`, and what lies beside it in a wheel. Skipped where only the library is there."""

import json
import os
import subprocess
import sys

import numpy as np
import pytest

import bitune
from bitune._paths import package_folder

SHIPPED = package_folder() / "share" / "bitune"

if not (package_folder() / "bin" / "bitune").exists() and "BITUNE_COMMAND" not in os.environ:
    pytest.skip("there is no command beside this package", allow_module_level=True)


def run(*arguments, code=0):
    done = subprocess.run([sys.executable, "-m", "bitune", *map(str, arguments)], capture_output=True, text=True)
    assert done.returncode == code, done.stderr
    return done


def test_it_is_the_command():
    assert run("--version").stdout.startswith("bitune ")
    assert "tune" in run("--help").stdout
    assert "no such" in run("sort", "none.npy", "-o", "sorted.npy", "--device", "emulated", code=1).stderr.lower()


def test_it_sorts_a_file(tmp_path):
    keys = np.random.default_rng(1).integers(0, 100, 300).astype("i4")
    np.save(tmp_path / "keys.npy", keys)
    run("sort", tmp_path / "keys.npy", "-o", tmp_path / "sorted.npy", "--device", "emulated")
    np.testing.assert_array_equal(np.load(tmp_path / "sorted.npy"), np.sort(keys))


@pytest.mark.skipif(not (SHIPPED / "tunings.db").exists(), reason="no wheel: there are no tunings beside this package")
def test_tunings_are_shipped():
    shipped = bitune.Database(SHIPPED / "tunings.db")
    assert any(row["problem"]["key"] == "f32" for row in shipped.list())
    listed = json.loads(run("db", "list", "--json", "--db", SHIPPED / "tunings.db").stdout)
    assert shipped.list() == listed["problems"] and len(shipped.trials()) >= len(shipped.list(key="f32")) > 0


@pytest.mark.skipif(not (SHIPPED / "tunings.kernels").exists(), reason="this wheel was made without kernels")
def test_their_kernels_are_shipped():
    """Those that selection takes for one problem, which CI ships."""
    one = ("--operation", "sort", "--key", "u32", "--n", "1024", "--rows", "1")
    told = json.loads(run("db", "check", "--json", "--db", SHIPPED / "tunings.db", "--kernels", *one).stdout)
    assert told["sound"] and told["kernels"]["needed"] > 1 and told["kernels"]["missing"] == 0
    assert told["kernels"]["shipped"] >= told["kernels"]["needed"]
    assert told["kernels"]["archive"] == str(SHIPPED / "tunings.kernels")
