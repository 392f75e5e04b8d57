"""Sorts of segments against NumPy, segment by segment."""

import numpy as np
import pytest

import bitune

EMULATED = {"device": "emulated"}
OFFSETS = [0, 0, 3, 40, 41, 41, 300]


def keys_of(dtype, n=300):
    return np.random.default_rng(2).integers(0, 100, n).astype(dtype)


def by_segment(x, offsets, ends, function):
    result = x.copy()
    for begin, end in zip(offsets, ends):
        result[begin:end] = function(x[begin:end])
    return result


def indices_by_segment(x, offsets, ends, missing=-1):
    result = np.full(x.shape, missing, "i8")
    for begin, end in zip(offsets, ends):
        result[begin:end] = np.argsort(x[begin:end], kind="stable")
    return result


@pytest.mark.parametrize("dtype", ["u1", "f4", "i8"])
@pytest.mark.parametrize("width", ["i4", "u4", "i8", "u8"])
def test_keys(dtype, width):
    x = keys_of(dtype)
    given = x.copy()
    sorted_keys = bitune.segmented_sort(x, np.array(OFFSETS, width), **EMULATED)
    assert sorted_keys.dtype == x.dtype
    np.testing.assert_array_equal(sorted_keys, by_segment(x, OFFSETS, OFFSETS[1:], np.sort))
    np.testing.assert_array_equal(x, given)


def test_descending_in_place_and_gaps():
    x = keys_of("i4")
    begins, ends = [200, 10, 10, 150], [290, 10, 140, 199]
    expected = by_segment(x, begins, ends, lambda part: np.sort(part)[::-1])
    found = bitune.segmented_sort(x, begins, ends=ends, descending=True, **EMULATED)
    np.testing.assert_array_equal(found, expected)
    assert bitune.segmented_sort(x, begins, ends=ends, descending=True, out=x, **EMULATED) is x
    np.testing.assert_array_equal(x, expected)


def test_indices():
    x = keys_of("f4")
    found = bitune.segmented_argsort(x, OFFSETS, **EMULATED)
    assert found.dtype == np.int64
    np.testing.assert_array_equal(found, indices_by_segment(x, OFFSETS, OFFSETS[1:]))
    found = bitune.segmented_argsort(x, [5, 100], ends=[50, 300], index_dtype="int32", **EMULATED)
    assert found.dtype == np.int32
    np.testing.assert_array_equal(found, indices_by_segment(x, [5, 100], [50, 300]))


def test_values_travel():
    columns, data = keys_of("i4"), np.arange(300, dtype="f8")
    order = indices_by_segment(columns, OFFSETS, OFFSETS[1:]) + np.repeat(OFFSETS[:-1], np.diff(OFFSETS))
    sorted_columns, sorted_data = bitune.segmented_sort_by_key(columns, data, OFFSETS, **EMULATED)
    np.testing.assert_array_equal(sorted_columns, columns[order])
    np.testing.assert_array_equal(sorted_data, data[order])


def test_nothing_to_sort():
    x = keys_of("u4", 3)
    np.testing.assert_array_equal(bitune.segmented_sort(x, [1], **EMULATED), x)
    assert bitune.segmented_sort(x[:0], [0, 0, 0], **EMULATED).shape == (0,)
    np.testing.assert_array_equal(bitune.segmented_sort(x, [], ends=[], **EMULATED), x)


def test_what_is_wrong():
    x = keys_of("u4")
    for wrong, sentence in [
        ([0, 5, 4, 300], "segment 1 is of the keys 5 to 4: it ends before it begins"),
        ([0, 5, 301], "segment 1 is of the keys 5 to 301, and there are 300 keys"),
        ([-1, 5], "segment 0 is of the keys -1 to 5"),
    ]:
        with pytest.raises(bitune.UsageError, match=sentence):
            bitune.segmented_sort(x, wrong, **EMULATED)
    with pytest.raises(bitune.UsageError, match="segments 0 and 1 overlap"):
        bitune.segmented_sort(x, [0, 5], ends=[6, 9], **EMULATED)
    with pytest.raises(TypeError, match="^offsets: int32, uint32, int64 or uint64, not float64"):
        bitune.segmented_sort(x, np.array([0.0, 3.0]), **EMULATED)
    with pytest.raises(ValueError, match="^offsets: one more than there are segments"):
        bitune.segmented_sort(x, [], **EMULATED)
    with pytest.raises(ValueError, match="^ends: 1, and there are 2 offsets"):
        bitune.segmented_sort(x, [0, 1], ends=[3], **EMULATED)
    with pytest.raises(TypeError, match="^ends: elements of 4 bytes"):
        bitune.segmented_sort(x, [0, 1], ends=np.array([3, 4], "i4"), **EMULATED)
    with pytest.raises(ValueError, match="^x: segments lie in an array of one dimension"):
        bitune.segmented_sort(x.reshape(3, 100), [0, 1], **EMULATED)
    with pytest.raises(TypeError, match="^offsets: where the segments"):
        bitune.segmented_sort(x, **EMULATED)


def test_prepare_and_explain():
    x = keys_of("u4")
    bitune.prepare(x, "segmented_sort", segments=6, **EMULATED)
    told = bitune.explain(x, "segmented_sort", segments=5, **EMULATED)
    assert told["configuration"].startswith("segments")
    with pytest.raises(TypeError, match="^segments: how many"):
        bitune.prepare(x, "segmented_sort", **EMULATED)


def test_tensors():
    torch = pytest.importorskip("torch")
    x = torch.from_numpy(keys_of("f4"))
    offsets = torch.tensor(OFFSETS)
    found = bitune.segmented_sort(x, offsets, **EMULATED)
    np.testing.assert_array_equal(found.numpy(), by_segment(x.numpy(), OFFSETS, OFFSETS[1:], np.sort))
    nested = torch.nested.nested_tensor_from_jagged(x, offsets)
    for ours, given in zip(bitune.segmented_sort(nested, **EMULATED).unbind(), nested.unbind()):
        assert torch.equal(ours, given.sort().values)
    compiled = torch.compile(lambda t: bitune.segmented_sort(t, offsets, **EMULATED), fullgraph=True, backend="eager")
    assert torch.equal(compiled(x), found)
    wanted = x.clone().requires_grad_()
    weights = torch.arange(300, dtype=torch.float32)
    (bitune.segmented_sort(wanted, offsets, **EMULATED) * weights).sum().backward()
    by_hand = x.clone().requires_grad_()
    parts = [by_hand[a:b].sort(stable=True).values for a, b in zip(OFFSETS, OFFSETS[1:])]
    (torch.cat(parts) * weights).sum().backward()
    assert torch.equal(wanted.grad, by_hand.grad)
    order = bitune.segmented_argsort(nested, **EMULATED)
    for ours, given in zip(order.unbind(), nested.unbind()):
        assert torch.equal(ours, given.sort(stable=True).indices)
