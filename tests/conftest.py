"""What the tests in Python share: the scripts of this repository, run on copies of its pages."""

import pathlib
import shutil
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[1]


def run(name, *arguments, code=0):
    """Runs a script, which ends with that code; returns what it said on standard error."""
    command = [sys.executable, str(ROOT / name), *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == code, f"exit code {done.returncode} of {command}\n{done.stdout}\n{done.stderr}"
    return done.stderr


@pytest.fixture
def script():
    return run


@pytest.fixture
def page(tmp_path):
    """Copies a page of docs/; the scripts may change the copy."""
    return lambda name: pathlib.Path(shutil.copy(ROOT / "docs" / name, tmp_path))


@pytest.fixture
def report():
    """Runs scripts/report_performance.py."""
    return lambda *arguments, code=0: run("scripts/report_performance.py", *arguments, code=code)
