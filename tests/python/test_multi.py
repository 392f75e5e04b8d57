"""One array over several devices, which are all the emulated one."""

import os

import pytest

np = pytest.importorskip("numpy")

import bitune  # noqa: E402

THREE = ["emulated"] * 3
KEYS = np.random.default_rng(1).integers(0, 50, 61).astype("f4")


@pytest.fixture
def sorter():
    sorter = bitune.MultiSorter(THREE, time_limit=86400)
    yield sorter
    sorter.close()


def parts_of(array):
    return [array[:40], array[40:40], array[40:]]


def test_sort(sorter):
    assert sorter.ranks == 3
    found = sorter.sort(parts_of(KEYS))
    assert [len(part) for part in found] == [21, 20, 20]
    np.testing.assert_array_equal(np.concatenate(found), np.sort(KEYS))
    gaps = sorter.sort([KEYS[:40:2], KEYS[40:], KEYS[1:40:2]], descending=True)
    np.testing.assert_array_equal(np.concatenate(gaps), np.sort(KEYS)[::-1])


def test_argsort(sorter):
    found = sorter.argsort(parts_of(KEYS))
    assert found[0].dtype == np.int64
    np.testing.assert_array_equal(np.concatenate(found), np.argsort(KEYS, kind="stable"))


def test_sort_by_key(sorter):
    places = np.arange(len(KEYS), dtype="u2")
    keys, values = sorter.sort_by_key(parts_of(KEYS), parts_of(places))
    np.testing.assert_array_equal(np.concatenate(keys), np.sort(KEYS))
    np.testing.assert_array_equal(np.concatenate(values), np.argsort(KEYS, kind="stable"))


def test_refusals(sorter):
    for kind, words, call in (
        (ValueError, "2 arrays were given for 3 ranks", lambda: sorter.sort([KEYS, KEYS])),
        (TypeError, "one library and type", lambda: sorter.sort([KEYS, KEYS, KEYS.astype("f8")])),
        (ValueError, "one dimension", lambda: sorter.sort([KEYS.reshape(1, -1)] * 3)),
        (TypeError, "arrays of PyTorch or CuPy", lambda: sorter.sort([[1], [2], [3]])),
        (TypeError, "cannot be sorted", lambda: sorter.sort([KEYS != 0] * 3)),
        (ValueError, "as many as keys", lambda: sorter.sort_by_key(parts_of(KEYS), parts_of(KEYS)[::-1])),
        (TypeError, "devices: a list", lambda: bitune.MultiSorter("emulated")),
        (ValueError, "devices: name at least one", lambda: bitune.MultiSorter([])),
        (ValueError, "devices: numbers of GPUs", lambda: bitune.MultiSorter(["GPU-1"])),
        (ValueError, "x has rows", lambda: bitune.sort(KEYS[:60].reshape(2, 30), devices=THREE)),
        (ValueError, "devices: without", lambda: bitune.sort(KEYS, devices=THREE, device="emulated")),
    ):
        with pytest.raises(kind, match=words):
            call()
    sorter.close()
    with pytest.raises(ValueError, match="was closed"):
        sorter.sort(parts_of(KEYS))


def test_part_elsewhere():
    if all(device["selector"] == "emulated" for device in bitune.devices()):
        with pytest.raises(bitune.Error, match="there is no GPU"):
            bitune.MultiSorter("all")
    else:
        with pytest.raises(ValueError, match="must lie in GPU 0"):
            bitune.MultiSorter([0]).sort([KEYS])


def test_array_of_the_host():
    np.testing.assert_array_equal(bitune.sort(KEYS, devices=THREE), np.sort(KEYS))
    out = np.empty_like(KEYS)
    assert bitune.sort(KEYS[::-1], out=out, descending=True, devices=THREE) is out
    np.testing.assert_array_equal(out, np.sort(KEYS)[::-1])
    assert len(bitune.sort(KEYS[:0], devices=THREE)) == 0


def test_in_parts_by_way_of_a_folder(tmp_path):
    keys = np.tile(KEYS, 150)
    small = {"device": "emulated", "device_memory": 16 << 10}
    np.testing.assert_array_equal(bitune.sort(keys, scratch_folder=tmp_path, **small), np.sort(keys))
    assert not os.listdir(tmp_path)
    with pytest.raises(bitune.Error, match="as much room in"):
        bitune.argsort(keys, scratch_folder=tmp_path / "none", **small)
