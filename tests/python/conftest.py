"""Tests of the package `bitune` on the emulated device. They are skipped where the package or its library is not there."""

import os
import pathlib
import warnings

import pytest

try:
    import bitune
except ImportError as why:
    collect_ignore_glob = ["test_*.py"]
    print(f"tests/python: not run, as the package cannot be imported ({why})")


@pytest.fixture(autouse=True, scope="session")
def places(tmp_path_factory):
    """A home of its own, so that nobody's tunings and kernels are read or written."""
    patch = pytest.MonkeyPatch()
    named = os.environ.get("BITUNE_TEST_HOME")  # kept, for who runs tests several times
    home = pathlib.Path(named) if named else tmp_path_factory.mktemp("home")
    patch.setenv("BITUNE_DB", str(home / "tuning.db"))
    patch.setenv("BITUNE_CACHE", str(home / "kernels"))
    yield home
    patch.undo()


@pytest.fixture(autouse=True)
def quiet():
    """The warning of the emulated device has a test of its own, in a process of its own."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="bitune's emulated device")
        yield


def torch_with_gpu():
    """PyTorch; a module of tests that has none, or no GPU, is skipped."""
    if all(device["selector"] == "emulated" for device in bitune.devices()):
        pytest.skip("there is no GPU", allow_module_level=True)
    torch = pytest.importorskip("torch")
    if not torch.cuda.is_available():
        pytest.skip("this PyTorch finds no GPU", allow_module_level=True)
    return torch


def indices_of_rows(function):
    """What the function gives; a skip where the library says that values and indices of rows are not built."""
    try:
        return function()
    except bitune.Error as error:
        if error.code == "unavailable" and "is not built" in str(error):
            pytest.skip(f"the library: {error}")
        raise
