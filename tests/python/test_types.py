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


# These two are of PyTorch's types, and it need not be there.
MODULES = [str(path) for path in sorted(pathlib.Path(bitune.__file__).parent.glob("*.py")) if path.name not in ("torch.py", "_tensors.py")]


def test_mypy_accepts_the_package(tmp_path):
    pytest.importorskip("mypy")
    command = [sys.executable, "-m", "mypy", "--strict", "--config-file=", "--follow-imports=silent", "--ignore-missing-imports", *MODULES]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


def test_pyright_accepts_the_package(tmp_path):
    pytest.importorskip("pyright")
    rules = {"reportPrivateUsage": False, "reportUnknownMemberType": False}  # as in pyproject.toml
    (tmp_path / "bitune").symlink_to(pathlib.Path(bitune.__file__).parent)
    names = [f"bitune/{pathlib.Path(module).name}" for module in MODULES]
    (tmp_path / "pyrightconfig.json").write_text(json.dumps({"include": names, "typeCheckingMode": "strict"} | rules))
    done = subprocess.run([sys.executable, "-m", "pyright", "--pythonpath", sys.executable], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
