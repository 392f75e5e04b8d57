"""What mypy and pyright say of a program that uses the package, by their strict rules."""

import json
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


# What is of PyTorch's types is left out, as PyTorch need not be there.
PACKAGE = pathlib.Path(bitune.__file__).parent
MODULES = [f"bitune/{path.name}" for path in sorted(PACKAGE.glob("*.py")) if "\nimport torch\n" not in path.read_text()]


@pytest.fixture
def beside_the_package(tmp_path):
    """A folder in which the package lies as a project's own. In site-packages the tools take all that is there for the project's."""
    (tmp_path / "bitune").symlink_to(PACKAGE)
    return tmp_path


def test_mypy_accepts_the_package(beside_the_package):
    pytest.importorskip("mypy")
    command = [sys.executable, "-m", "mypy", "--strict", "--config-file=", "--follow-imports=silent", "--ignore-missing-imports", *MODULES]
    done = subprocess.run(command, cwd=beside_the_package, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


def test_pyright_accepts_the_package(beside_the_package):
    pytest.importorskip("pyright")
    rules = {"reportPrivateUsage": False, "reportUnknownMemberType": False}  # as in pyproject.toml
    (beside_the_package / "pyrightconfig.json").write_text(json.dumps({"include": MODULES, "typeCheckingMode": "strict"} | rules))
    done = subprocess.run([sys.executable, "-m", "pyright", "--pythonpath", sys.executable], cwd=beside_the_package, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
