"""Dask's arrays and frames against NumPy and pandas, and a cluster of four workers."""

import json
import os
import signal
import subprocess
import sys

import numpy as np
import pytest

pytest.importorskip("distributed")
import dask  # noqa: E402
import dask.array as da  # noqa: E402
import distributed  # noqa: E402

import bitune.dask  # noqa: E402

TYPES = ["u1", "i1", "u2", "i2", "f2", "u4", "i4", "f4", "u8", "i8", "f8"]
CHUNKS = {
    "one": (60,),
    "even": (20, 20, 20),
    "uneven": (1, 37, 5, 17),
    "empty": (0, 30, 0, 0, 29, 1, 0),
}


@pytest.fixture(autouse=True)
def in_this_thread():
    with dask.config.set(scheduler="synchronous"):
        yield


def drawn(dtype, n=60, seed=1, few=False):
    """Numbers of all signs; of floating point NaN and infinity, too. No -0, which NumPy takes for +0."""
    generator = np.random.default_rng(seed)
    x = generator.integers(-3 if few else -100, 4 if few else 100, n)
    x = x.astype(dtype) if dtype[0] != "u" else np.abs(x).astype(dtype)
    if dtype[0] == "f":
        x[::7], x[3], x[5] = np.nan, np.inf, -np.inf
        x[7] = -x[7]  # a NaN with a sign
    return x


def order_of(x, descending):
    """A stable order as bitune has it: in a descending one NaN comes first."""
    ranks = np.unique(x, return_inverse=True)[1]
    return np.argsort(-ranks if descending else ranks, kind="stable")


@pytest.mark.parametrize("chunks", CHUNKS.values(), ids=CHUNKS)
@pytest.mark.parametrize("descending", [False, True])
@pytest.mark.parametrize("dtype", TYPES)
def test_arrays(dtype, descending, chunks):
    x = drawn(dtype, few=dtype in ("i4", "f8"))
    lazy = da.from_array(x, chunks=(chunks,))
    order = order_of(x, descending)
    found = bitune.dask.sort(lazy, descending=descending)
    assert found.chunks == (chunks,) and found.dtype == x.dtype
    indices = bitune.dask.argsort(lazy, descending=descending)
    keys, values = bitune.dask.sort_by_key(lazy, da.arange(60, chunks=20), descending=descending)
    first, places = bitune.dask.top_k(lazy, 11, largest=descending)
    found, indices, keys, values, first, places = dask.compute(found, indices, keys, values, first, places)
    np.testing.assert_array_equal(found, x[order])
    np.testing.assert_array_equal(indices, order)
    np.testing.assert_array_equal(keys, x[order])
    np.testing.assert_array_equal(values, order)
    np.testing.assert_array_equal(first, x[order[:11]])
    np.testing.assert_array_equal(places, order[:11])


@pytest.mark.parametrize("x", [np.zeros(4000, "f4"), np.arange(4000.0), np.arange(4000)[::-1], np.arange(4000) % 3], ids=["equal", "sorted", "reversed", "few"])
def test_lengths_are_exact_whatever_the_keys(x, monkeypatch):
    from bitune import _dask_cuts

    monkeypatch.setattr(_dask_cuts, "samples_each", lambda parts: 8)
    lazy = da.from_array(x, chunks=((900, 100, 1000, 1, 999, 1000),))
    parts = dask.compute(*bitune.dask.argsort(lazy).to_delayed())
    assert [len(part) for part in parts] == [900, 100, 1000, 1, 999, 1000]
    np.testing.assert_array_equal(np.concatenate(parts), np.argsort(x, kind="stable"))


def test_what_is_sampled_narrows_to_few_keys(monkeypatch):
    """Of 2^16 keys in eight chunks few are left for the last step."""
    from bitune import _dask_cuts

    monkeypatch.setattr(_dask_cuts, "samples_each", lambda parts: 64)
    left = []
    decide = _dask_cuts.decide

    def watched(windows, ranges, wanted):
        left.append(sum(len(codes) for run, _ in windows for codes in run))
        return decide(windows, ranges, wanted)

    monkeypatch.setattr(_dask_cuts, "decide", watched)
    x = np.random.default_rng(2).permutation(1 << 16)
    np.testing.assert_array_equal(bitune.dask.sort(da.from_array(x, chunks=1 << 13)).compute(), np.arange(1 << 16))
    assert len(left) == 1 and left[0] < 1 << 12


def test_unknown_lengths():
    x = np.arange(100) * 37 % 101
    lazy = da.from_array(x, chunks=(13,))
    odd = lazy[lazy % 2 == 1]
    expected = x[x % 2 == 1]
    parts = dask.compute(*bitune.dask.sort(odd).to_delayed())
    np.testing.assert_array_equal(np.concatenate(parts), np.sort(expected))
    assert max(map(len, parts)) - min(map(len, parts)) <= 1
    np.testing.assert_array_equal(bitune.dask.argsort(odd, descending=True).compute(), np.argsort(-expected))
    keys, values = bitune.dask.sort_by_key(odd, odd * 2)
    np.testing.assert_array_equal(values.compute(), np.sort(expected) * 2)
    np.testing.assert_array_equal(bitune.dask.top_k(odd, 3)[1].compute(), np.argsort(-expected)[:3])
    with pytest.raises(ValueError, match="^k: from 1 to the 50 keys"):
        bitune.dask.top_k(odd, 60)[0].compute()
    with pytest.raises(ValueError, match="^values: "):
        dask.compute(bitune.dask.sort_by_key(odd, lazy[lazy % 3 == 1]))


@pytest.mark.parametrize("axis", [0, 1])
def test_more_dimensions(axis):
    x = np.random.default_rng(3).integers(0, 9, (6, 8)).astype("f4")
    lazy = da.from_array(x, chunks=(2, 3))
    order = np.argsort(x, axis, kind="stable")
    keys, values = bitune.dask.sort_by_key(lazy, -lazy, axis=axis)
    first, places = bitune.dask.top_k(lazy, 2, axis=axis, largest=False, index_dtype=np.uint32)
    found = dask.compute(bitune.dask.sort(lazy, axis=axis), bitune.dask.argsort(lazy, axis=axis), keys, values, first, places)
    np.testing.assert_array_equal(found[0], np.sort(x, axis))
    np.testing.assert_array_equal(found[1], order)
    np.testing.assert_array_equal(found[2], np.sort(x, axis))
    np.testing.assert_array_equal(found[3], -np.sort(x, axis))
    np.testing.assert_array_equal(found[4], np.sort(x, axis).take([0, 1], axis))
    np.testing.assert_array_equal(found[5], order.take([0, 1], axis))
    assert found[5].dtype == np.uint32 and first.shape == found[4].shape


def test_signed_zeros_bfloat16_big_endian_and_values_of_any_type():
    zeros = da.from_array(np.array([0.0, -0.0, 0.0, -0.0, -1.0]), chunks=2)
    np.testing.assert_array_equal(np.signbit(bitune.dask.sort(zeros).compute()), [True, True, True, False, False])
    ml_dtypes = pytest.importorskip("ml_dtypes")
    x = np.array([3, -1, np.nan, 2, -0.5], ml_dtypes.bfloat16)
    np.testing.assert_array_equal(bitune.dask.argsort(da.from_array(x, chunks=2)).compute(), [1, 4, 3, 0, 2])
    big = da.from_array(np.array([3, 1, 2], ">i4"), chunks=2)
    names = da.from_array(np.array(["three", "one", "two"]), chunks=2)
    np.testing.assert_array_equal(bitune.dask.sort_by_key(big, names)[1].compute(), ["one", "two", "three"])


@pytest.mark.parametrize(
    ("kind", "argument", "call"),
    [
        (TypeError, "x", lambda x: bitune.dask.sort(np.arange(3))),
        (TypeError, "x", lambda x: bitune.dask.sort(x > 3)),
        (ValueError, "axis", lambda x: bitune.dask.sort(x, axis=1)),
        (TypeError, "axis", lambda x: bitune.dask.argsort(x, axis=None)),
        (ValueError, "axis", lambda x: bitune.dask.sort(x[x > 1][:, None], axis=0)),
        (TypeError, "index_dtype", lambda x: bitune.dask.argsort(x, index_dtype="int8")),
        (TypeError, "values", lambda x: bitune.dask.sort_by_key(x, np.arange(9))),
        (ValueError, "values", lambda x: bitune.dask.sort_by_key(x, x[:5])),
        (ValueError, "values", lambda x: bitune.dask.sort_by_key(x[x > 3], x[:5][x[:5] > 3])),
        (ValueError, "k", lambda x: bitune.dask.top_k(x, 0)),
        (ValueError, "k", lambda x: bitune.dask.top_k(x, 10)),
        (TypeError, "k", lambda x: bitune.dask.top_k(x, 1.5)),
    ],
)
def test_refusals_name_the_argument(kind, argument, call):
    with pytest.raises(kind, match=f"^{argument}: "):
        call(da.arange(9, chunks=3))


def test_numpy_sorts_where_there_is_no_gpu_and_says_so_once():
    if any(device["selector"] != "emulated" for device in bitune.devices()):
        pytest.skip("there is a GPU")
    code = "import bitune.dask, dask.array as da; [bitune.dask.sort(da.arange(9, chunks=3)).compute() for _ in range(2)]"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stderr.count("this worker has no GPU") == 1


@pytest.fixture
def frame():
    """Columns of all kinds, each with equal elements and (where there are such) missing ones."""
    pandas = pytest.importorskip("pandas")
    generator = np.random.default_rng(4)
    n = 40
    whole = generator.integers(-2, 3, n)
    return pandas.DataFrame(
        {
            "f": np.where(whole == 2, np.nan, whole * 0.0 + np.sign(whole)),
            "i": whole,
            "b": whole > 0,
            "t": np.where(whole == 1, np.datetime64("NaT"), np.datetime64("2026-01-01", "s") + whole),
            "n": pandas.array([None if number == 0 else number for number in whole.tolist()], "Int64"),
            "s": [f"s{number}" for number in whole.tolist()],
            "row": np.arange(n),
        }
    )


@pytest.mark.parametrize("na_position", ["first", "last"])
@pytest.mark.parametrize("by", [["f"], ["i"], ["b"], ["t"], ["n"], ["s"], ["f", "n"], ["t", "s", "i"]], ids="-".join)
def test_partitions(frame, by, na_position):
    for ascending in (True, False, [position % 2 == 0 for position in range(len(by))]):
        found = bitune.dask.sort_partition(frame, by, ascending, na_position, ignore_index=True)
        # pandas sorts by several columns stably anyway.
        expected = frame.sort_values(by, ascending=ascending, na_position=na_position, kind="stable", ignore_index=True)
        assert found.equals(expected)


def test_frames(frame):
    pandas, dd = pytest.importorskip("pandas"), pytest.importorskip("dask.dataframe")
    lazy = dd.from_pandas(frame, npartitions=4)
    # Rows that differ in some column of `by`, since Dask's shuffle promises no order of equal ones. Dask has texts of its own type.
    found = bitune.dask.sort_values(lazy, ["f", "row"], ascending=[False, True]).compute()
    pandas.testing.assert_frame_equal(found, frame.sort_values(["f", "row"], ascending=[False, True]), check_dtype=False)
    found = bitune.dask.sort_values(lazy, "row", ascending=False).compute()
    pandas.testing.assert_frame_equal(found, frame[::-1], check_dtype=False)


# ---------------------------------------------------------------------------------------------------------- a cluster


@pytest.fixture(scope="module")
def client():
    """Four workers, each a process of one thread, with a scheduler that uses no fixed port."""
    with distributed.LocalCluster(n_workers=4, threads_per_worker=1, processes=True, dashboard_address=None, memory_limit=0) as cluster:
        with distributed.Client(cluster) as found:
            with dask.config.set(scheduler=found):
                yield found


def of_cluster(client, *arrays):
    return client.gather(client.compute(list(arrays)))


def killing(marker, *needed):
    """Keys of the last chunk, from a worker that ends the first time, with all that it has."""
    try:
        os.close(os.open(marker, os.O_CREAT | os.O_EXCL))
    except FileExistsError:
        return np.arange(1000) % 7
    os.kill(os.getpid(), signal.SIGKILL)


def test_a_killed_worker_is_made_up_for(client, tmp_path):
    marker = str(tmp_path / "killed")
    first = da.from_array(np.arange(7000) * 31 % 7, chunks=1000)
    sorted_before = bitune.dask.sort(first)  # some of it lies on the worker that is killed
    last = da.from_delayed(dask.delayed(killing)(marker, *sorted_before.to_delayed()), (1000,), meta=np.empty(0, first.dtype))
    x = da.concatenate([first, last])
    indices, before = of_cluster(client, bitune.dask.argsort(x), sorted_before)
    assert os.path.exists(marker)
    whole = np.concatenate([np.arange(7000) * 31 % 7, np.arange(1000) % 7])
    np.testing.assert_array_equal(indices, np.argsort(whole, kind="stable"))
    np.testing.assert_array_equal(before, np.sort(whole[:7000]))
    client.wait_for_workers(4)  # another is started in its place, which the tests to come count on


def test_a_cluster_sorts_by_the_kernels(client):
    """By the emulated device, asked for by its name."""
    x = np.random.default_rng(5).integers(0, 50, 240).astype("u4")
    lazy = da.from_array(x, chunks=60)
    indices, (first, places) = bitune.dask.argsort(lazy, device="emulated"), bitune.dask.top_k(lazy, 5, device="emulated")
    indices, first, places = of_cluster(client, indices, first, places)
    np.testing.assert_array_equal(indices, np.argsort(x, kind="stable"))
    np.testing.assert_array_equal(places, order_of(x, True)[:5])
    np.testing.assert_array_equal(first, x[places])


def test_tuning_is_shared_out(client, tmp_path):
    if all(device["selector"] == "emulated" for device in bitune.devices()):
        with pytest.raises(bitune.Error, match="^device: no worker has a GPU"):
            bitune.dask.tune(client, 64)
    with pytest.raises(TypeError, match="^progress: "):
        bitune.dask.tune(client, 64, progress=print)
    addresses = sorted(client.scheduler_info(n_workers=-1)["workers"])
    # Each worker has a database of its own, as on hosts of their own.
    for number, address in enumerate(addresses):
        client.run(os.environ.__setitem__, "BITUNE_DB", str(tmp_path / f"worker{number}.db"), workers=[address])
    found = bitune.dask.tune(client, [64], "uint8", device="emulated", budget_evaluations=2, samples=3)
    assert found["told"] == addresses
    (kind,) = found["kinds"]
    assert kind["workers"] == addresses and kind["worker"] in addresses and kind["report"]["problems"]
    known = [json.dumps(bitune.Database(tmp_path / f"worker{number}.db").best()) for number in range(4)]
    assert len(json.loads(known[0])) == 1 and len(set(known)) == 1
