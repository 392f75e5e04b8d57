"""The array API's sort and argsort, over shapes, strides, axes and types, against NumPy."""

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import bitune
from bitune import _functions
from conftest import indices_of_rows

TYPES = ["uint8", "int8", "uint16", "int16", "float16", "uint32", "int32", "float32", "uint64", "int64", "float64"]
EMULATED = {"device": "emulated"}
checked = settings(max_examples=60, deadline=None, database=None, derandomize=True, suppress_health_check=list(HealthCheck))


@st.composite
def arrays(draw, dims=3, types=TYPES):
    """Any strides: a view with steps, some of them negative, with its axes in any order."""
    dtype = np.dtype(draw(st.sampled_from(types)))
    shape = draw(hnp.array_shapes(min_dims=1, max_dims=dims, min_side=0, max_side=12))
    values = draw(hnp.arrays(np.int8, tuple(2 * side for side in shape), fill=st.just(3)))
    array = values.astype(dtype)  # -0 is not among them: NumPy takes it for +0
    if dtype.kind == "f" and array.size and draw(st.booleans()):
        array.flat[0] = np.nan
        array.flat[-1] = -np.inf
    steps = tuple(slice(None, None, draw(st.sampled_from([2, -2]))) for _ in shape)
    array = array[steps] if draw(st.booleans()) else array[tuple(slice(side) for side in shape)]
    return array.transpose(draw(st.permutations(range(array.ndim))))


def sorted_by_numpy(array, axis, descending):
    ascending = np.sort(array, axis=axis)
    return np.flip(ascending, axis) if descending else ascending


def argsorted_by_numpy(array, axis, descending):
    """Stable in both directions: NumPy's stable argsort of the reversed array, reversed."""
    if not descending:
        return np.argsort(array, axis=axis, kind="stable")
    reverse = np.argsort(np.flip(array, axis), axis=axis, kind="stable")
    return np.flip(array.shape[axis] - 1 - reverse, axis)


@checked
@given(arrays(), st.data())
def test_sort(array, data):
    axis = data.draw(st.integers(-array.ndim, array.ndim - 1))
    descending = data.draw(st.booleans())
    before = array.copy()
    result = bitune.sort(array, axis=axis, descending=descending, **EMULATED)
    assert result.dtype == array.dtype
    np.testing.assert_array_equal(result, sorted_by_numpy(array, axis, descending))
    np.testing.assert_array_equal(array, before)


@checked
@given(arrays(dims=1), st.booleans(), st.sampled_from(["int32", "uint32", "int64", "uint64"]))
def test_argsort_of_one_array(array, descending, index_dtype):
    indices, keys = bitune.argsort(array, descending=descending, index_dtype=index_dtype, return_keys=True, **EMULATED)
    assert indices.dtype == index_dtype
    np.testing.assert_array_equal(indices, argsorted_by_numpy(array, 0, descending))
    np.testing.assert_array_equal(keys, sorted_by_numpy(array, 0, descending))
    np.testing.assert_array_equal(
        bitune.argsort(array, descending=descending, index_dtype=index_dtype, **EMULATED), indices
    )


@pytest.mark.parametrize("index_dtype", ["int64", "uint64", "int32"])
def test_indices_of_long_arrays_are_made_wider(monkeypatch, index_dtype):
    """Long ones are too slow to sort here: what is taken for long is made short."""
    monkeypatch.setattr(_functions, "WIDEN_FROM", 50)
    array = np.random.default_rng(1).integers(0, 30, 60)
    expected = np.argsort(array, kind="stable")
    indices, keys = bitune.argsort(array, index_dtype=index_dtype, return_keys=True, **EMULATED)
    assert indices.dtype == index_dtype
    np.testing.assert_array_equal(indices, expected)
    np.testing.assert_array_equal(keys, np.sort(array))
    out = np.empty((60, 2), index_dtype)[:, 0]
    assert bitune.argsort(array, index_dtype=index_dtype, out=out, **EMULATED) is out
    np.testing.assert_array_equal(out, expected)
    with pytest.raises(TypeError, match="^out: "):
        bitune.argsort(array, index_dtype=index_dtype, out=np.empty(60, "f4"), **EMULATED)


@checked
@given(arrays(), st.data())
def test_argsort_of_rows(array, data):
    axis = data.draw(st.integers(-array.ndim, array.ndim - 1))
    descending = data.draw(st.booleans())
    result = indices_of_rows(lambda: bitune.argsort(array, axis=axis, descending=descending, **EMULATED))
    np.testing.assert_array_equal(result, argsorted_by_numpy(array, axis, descending))


@checked
@given(arrays(dims=1), st.sampled_from(["u1", "i2", "f4", "f8", "c16"]), st.booleans())
def test_sort_by_key(keys, value_type, descending):
    values = np.arange(keys.size).astype(value_type)
    order = argsorted_by_numpy(keys, 0, descending)
    sorted_keys, sorted_values = bitune.sort_by_key(keys, values, descending=descending, **EMULATED)
    np.testing.assert_array_equal(sorted_keys, keys[order])
    np.testing.assert_array_equal(sorted_values, values[order])


@checked
@given(arrays(types=["int32", "float32"]), st.data())
def test_out(array, data):
    axis = data.draw(st.integers(-array.ndim, array.ndim - 1))
    expected = np.sort(array, axis=axis)
    out = np.empty(array.shape + (3,), array.dtype)[..., 1] if data.draw(st.booleans()) else np.empty_like(array)
    assert bitune.sort(array, axis=axis, out=out, **EMULATED) is out
    np.testing.assert_array_equal(out, expected)


@pytest.mark.parametrize("axis", [0, 1, 2])
def test_out_may_be_the_input(axis):
    array = np.arange(60)[::-1].reshape(3, 4, 5).copy()
    expected = np.sort(array, axis=axis)
    assert bitune.sort(array, axis=axis, out=array, **EMULATED) is array
    np.testing.assert_array_equal(array, expected)


def test_rows_with_gaps_are_not_copied_over():
    """A part of the columns, in and out: what lies between the rows stays."""
    table = np.arange(80, dtype="i4")[::-1].reshape(8, 10).copy()
    target = np.full((8, 12), -1, dtype="i4")
    bitune.sort(table[:, 2:7], out=target[:, 3:8], **EMULATED)
    np.testing.assert_array_equal(target[:, 3:8], np.sort(table[:, 2:7]))
    assert (target[:, :3] == -1).all() and (target[:, 8:] == -1).all()


def test_other_byte_order():
    array = np.array([300, 1, 70000], dtype=">i4")
    np.testing.assert_array_equal(bitune.sort(array, **EMULATED), [1, 300, 70000])


def test_bfloat16():
    ml_dtypes = pytest.importorskip("ml_dtypes")
    array = np.array([3, -1, 2.5, np.inf, 0], dtype=ml_dtypes.bfloat16)
    result = bitune.sort(array, descending=True, **EMULATED)
    assert result.dtype == array.dtype
    np.testing.assert_array_equal(result.astype("f4"), [np.inf, 3, 2.5, 0, -1])


def test_minus_zero_comes_first():
    result = bitune.sort(np.array([0.0, -0.0, 0.0]), **EMULATED)
    np.testing.assert_array_equal(np.signbit(result), [True, False, False])


@pytest.mark.parametrize("shape", [(0,), (3, 0), (0, 3)])
def test_empty(shape):
    array = np.empty(shape, dtype="f4")
    assert bitune.sort(array, **EMULATED).shape == shape
    assert bitune.argsort(array, **EMULATED).shape == shape
    assert bitune.sort_by_key(array, array, **EMULATED)[1].shape == shape
