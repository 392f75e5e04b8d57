"""top_k against NumPy's stable sort, and as an operator of PyTorch."""

import numpy as np
import pytest

import bitune

EMULATED = {"device": "emulated"}


def first(x, k, axis, largest):
    """The first k of a stable sort by the numbers' places, none of which is a NaN or a zero."""
    order = np.argsort(-x if largest else x, axis=axis, kind="stable")
    indices = np.take(order, np.arange(k), axis=axis)
    return np.take_along_axis(x, indices, axis=axis), indices


@pytest.mark.parametrize("dtype", ["i1", "i4", "f2", "f4", "f8", "i8"])
@pytest.mark.parametrize("axis", [0, 1, -1])
@pytest.mark.parametrize("largest", [True, False])
def test_numpy(dtype, axis, largest):
    x = np.random.default_rng(1).integers(1, 60, (7, 20, 5)).astype(dtype)
    values, indices = bitune.top_k(x, 5, axis=axis, largest=largest, **EMULATED)
    expected, where = first(x, 5, axis, largest)
    assert values.dtype == x.dtype and indices.dtype == np.int64
    np.testing.assert_array_equal(values, expected)
    np.testing.assert_array_equal(indices, where)


def test_unsigned_and_all_of_them():
    x = np.array([3, 1, 2, 3], dtype="u2")
    values, indices = bitune.top_k(x, 4, index_dtype="uint32", **EMULATED)
    assert values.tolist() == [3, 3, 2, 1] and indices.tolist() == [0, 3, 2, 1] and indices.dtype == np.uint32


def test_nan_is_the_largest():
    x = np.array([1, np.nan, 2, np.nan], dtype="f4")
    assert bitune.top_k(x, 3, **EMULATED)[1].tolist() == [1, 3, 2]
    assert bitune.top_k(x, 3, largest=False, **EMULATED)[1].tolist() == [0, 2, 1]


def test_no_rows():
    values, indices = bitune.top_k(np.empty((0, 9), dtype="f4"), 4, **EMULATED)
    assert values.shape == indices.shape == (0, 4)


@pytest.mark.parametrize("k", [0, 4, -1])
def test_k_must_fit(k):
    with pytest.raises(ValueError, match="^k: from 1 to the 3 keys"):
        bitune.top_k(np.zeros(3, dtype="f4"), k, **EMULATED)
    with pytest.raises(TypeError, match="^k: "):
        bitune.top_k(np.zeros(3, dtype="f4"), 1.5, **EMULATED)


def test_prepare_and_explain():
    x = np.zeros((4, 100), dtype="f4")
    bitune.prepare(x, "top_k", k=10, descending=True, **EMULATED)
    told = bitune.explain(x, "top_k", k=10, descending=True, **EMULATED)
    assert told["configuration"].startswith("lane_lists(")


def test_torch():
    torch = pytest.importorskip("torch")
    import bitune.torch  # noqa: F401

    generator = torch.Generator().manual_seed(1)
    x = torch.randn(6, 40, generator=generator, requires_grad=True)
    other = x.detach().clone().requires_grad_()
    weights = torch.randn(6, 7, generator=generator)
    values, indices = bitune.top_k(x, 7, **EMULATED)
    expected = torch.topk(other, 7)
    assert torch.equal(values, expected.values) and torch.equal(indices, expected.indices)
    (values * weights).sum().backward()
    (expected.values * weights).sum().backward()
    assert torch.equal(x.grad, other.grad)
    torch.library.opcheck(torch.ops.bitune.top_k, (x, 3, 0, False, "int32", "emulated"))
    compiled = torch.compile(lambda t: bitune.top_k(t * 2, 3, **EMULATED)[0] + 1, fullgraph=True, backend="aot_eager")
    assert torch.equal(compiled(x.detach()), torch.topk(x.detach() * 2, 3).values + 1)


def first_of_segments(x, k, offsets, ends, filling):
    """Row by row, what segments lack filled."""
    values = np.full((len(ends), k), filling, x.dtype)
    indices = np.full((len(ends), k), -1, "i8")
    for row, (begin, end) in enumerate(zip(offsets, ends)):
        order = np.argsort(-x[begin:end], kind="stable")[:k]
        values[row, : len(order)], indices[row, : len(order)] = x[begin:end][order], order
    return values, indices


@pytest.mark.parametrize("k", [1, 7, 400])
def test_segments(k):
    x = np.random.default_rng(3).integers(-9, 9, 300).astype("f4")
    offsets = [0, 0, 3, 40, 41, 41, 300]
    values, indices = bitune.top_k(x, k, offsets=np.array(offsets, "i4"), **EMULATED)
    expected, where = first_of_segments(x, k, offsets, offsets[1:], -np.nan)
    assert values.dtype == x.dtype and indices.dtype == np.int64
    np.testing.assert_array_equal(values[where >= 0], expected[where >= 0])
    np.testing.assert_array_equal(indices, where)
    begins, ends = [200, 10, 10], [290, 10, 140]
    indices = bitune.top_k(x, k, offsets=begins, ends=ends, index_dtype="int32", **EMULATED)[1]
    np.testing.assert_array_equal(indices, first_of_segments(x, k, begins, ends, 0)[1])


def test_segments_without_elements():
    values, indices = bitune.top_k(np.empty(0, "u2"), 3, offsets=[0, 0, 0], **EMULATED)
    assert values.tolist() == [[0] * 3] * 2 and indices.tolist() == [[-1] * 3] * 2
    assert bitune.top_k(np.zeros(3, "u2"), 3, offsets=[3], **EMULATED)[0].shape == (0, 3)


def test_segments_are_prepared_and_refused():
    x = np.zeros(100, dtype="f4")
    bitune.prepare(x, "top_k", k=200, segments=5, descending=True, **EMULATED)
    told = bitune.explain(x, "top_k", k=200, segments=5, descending=True, **EMULATED)
    assert "segments" in told["configuration"]
    with pytest.raises(ValueError, match="^k: from 1 on"):
        bitune.top_k(x, 0, offsets=[0, 100], **EMULATED)
    with pytest.raises(TypeError, match="^ends: "):
        bitune.top_k(x, 1, ends=[100], **EMULATED)
    with pytest.raises(bitune.Error, match="ends before it begins"):
        bitune.top_k(x, 1, offsets=[0, 5, 4], **EMULATED)
