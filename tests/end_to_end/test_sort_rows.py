"""Matrices, each row sorted on its own, against numpy.sort(axis=-1)."""

import json

import pytest

np = pytest.importorskip("numpy")

def matrix(dtype, shape):
    random = np.random.default_rng(8)
    if np.dtype(dtype).kind == "f":
        return random.standard_normal(shape).astype(dtype)
    bounds = np.iinfo(dtype)
    return random.integers(bounds.min, bounds.max, shape, dtype=dtype, endpoint=True)


@pytest.mark.parametrize("dtype", ["u1", "i2", "f2", "u4", "f4", "i8", "f8"])
def test_shapes(bitune, dtype):
    for shape in [(1, 1), (3, 1), (1000, 3), (7, 100), (2, 3, 65), (3, 1025), (5, 0)]:
        keys = matrix(f"<{dtype}", shape)
        np.save("in.npy", keys)
        bitune.sort("in.npy", "-o", "out.npy", "--rows", "auto", "--verify")
        got = np.load("out.npy")
        assert got.dtype == keys.dtype and got.shape == shape
        np.testing.assert_array_equal(got, np.sort(keys, axis=-1), err_msg=f"{dtype} {shape}")
    bitune.sort("in.npy", "-o", "out.npy", "--rows", "auto", "--descending")


def test_falling_order_in_one_launch(bitune):
    keys = matrix("<f4", (40, 30))
    np.save("in.npy", keys)
    told = json.loads(bitune.sort("in.npy", "-o", "out.npy", "--rows", "40", "--descending", "--json"))
    np.testing.assert_array_equal(np.load("out.npy"), np.sort(keys, axis=-1)[:, ::-1])
    assert told["problem"]["rows"] == 40 and told["problem"]["n"] == 30
    assert len(told["launches"]) == 1


def test_flat_file_in_rows(bitune):
    keys = matrix("<u2", 600)
    keys.tofile("in.bin")
    bitune.sort("in.bin", "--type", "u16", "--rows", "20", "-o", "out.bin")
    np.testing.assert_array_equal(np.fromfile("out.bin", "<u2").reshape(20, 30), np.sort(keys.reshape(20, 30), axis=-1))
