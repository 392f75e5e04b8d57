"""What mypy and pyright say of a program that uses the package, by their strict rules."""

import pathlib
import subprocess
import sys

import pytest

import bitune

if "site-packages" not in pathlib.Path(bitune.__file__).parts:
    pytest.skip("the tools look for packages that are installed", allow_module_level=True)
PROGRAM = pathlib.Path(__file__).with_name("typed_use.py")


@pytest.mark.parametrize("tool", [["mypy", "--strict", "--config-file="], ["pyright", "--pythonpath", sys.executable]], ids=lambda tool: tool[0])
def test_a_program_with_types_is_accepted(tool, tmp_path):
    pytest.importorskip(tool[0])
    done = subprocess.run([sys.executable, "-m", *tool, str(PROGRAM)], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
