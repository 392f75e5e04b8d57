"""The examples of the docstrings, on the emulated device."""

import doctest
import importlib

import numpy
import pytest

import bitune
from bitune import _segmented, _tuning


@pytest.mark.parametrize("module", [bitune, _segmented, _tuning, "bitune.dask", "bitune._dask_frame"])
def test_examples(module):
    if isinstance(module, str):
        pytest.importorskip("dask.dataframe")
        module = importlib.import_module(module)
    if int(numpy.__version__.split(".")[0]) < 2:
        pytest.skip("the examples show results as NumPy 2 prints them")
    result = doctest.testmod(module)
    assert result.attempted > 0 and result.failed == 0
