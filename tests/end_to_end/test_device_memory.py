"""`--device-memory`: files that take more of it are sorted in parts, and say so."""

import pytest

np = pytest.importorskip("numpy")


@pytest.fixture
def keys():
    keys = np.random.default_rng(1).integers(0, 500, 6000).astype("f4")
    np.save("keys.npy", keys)
    return keys


SMALL = ["--device", "emulated", "--device-memory", "16K", "--verify"]


def test_sort(bitune, keys):
    report = bitune.json("sort", "keys.npy", "-o", "sorted.npy", *SMALL)
    assert report["parts"] > 1 and report["verified"]
    np.testing.assert_array_equal(np.load("sorted.npy"), np.sort(keys))
    assert "parts" in bitune("sort", "keys.npy", "-o", "sorted.npy", *SMALL).err


def test_argsort(bitune, keys):
    assert bitune.json("argsort", "keys.npy", "-o", "order.npy", *SMALL)["parts"] > 1
    np.testing.assert_array_equal(np.load("order.npy"), np.argsort(keys, kind="stable"))


def test_all_fits(bitune, keys):
    assert bitune.json("sort", "keys.npy", "-o", "sorted.npy", "--device", "emulated")["parts"] == 1


def test_what_is_no_size(bitune, keys):
    assert "is not a size" in bitune("sort", "keys.npy", "--device-memory", "much", code=2).err
