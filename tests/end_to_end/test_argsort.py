"""`bitune argsort`, and `bitune sort --values`, against NumPy's stable sorts."""

import pytest

np = pytest.importorskip("numpy")

from test_sort_types import WIDTHS, sample  # noqa: E402


def stable_order(keys, descending=False):
    """Where the sorted keys come from: all NaNs are equal and last, -0 is before +0, ties by index."""
    index = np.arange(keys.size)
    if keys.dtype.kind != "f":
        places = np.unique(keys, return_inverse=True)[1]
    else:
        nan = np.isnan(keys)
        zeroed = np.where(nan, 0, keys)
        positive_zero = (zeroed == 0) & ~np.signbit(zeroed)
        order = np.lexsort((positive_zero, zeroed, nan))
        new = np.concatenate([[False], [(zeroed[a], positive_zero[a], nan[a]) != (zeroed[b], positive_zero[b], nan[b])
                                        for a, b in zip(order, order[1:])]])
        places = np.empty(keys.size, dtype=int)
        places[order] = np.cumsum(new[: keys.size])
    return np.lexsort((index, -places if descending else places))


def argsort(bitune, keys, *options):
    np.save("keys.npy", keys)
    bitune("argsort", "--device", "emulated", "keys.npy", "-o", "order.npy", *options)
    return np.load("order.npy")


@pytest.mark.parametrize("dtype", WIDTHS)
def test_key_type(bitune, dtype):
    keys = sample(f"<{dtype}", 333)
    keys[100:200] = keys[:100]
    order = argsort(bitune, keys, "--verify")
    assert order.dtype == np.uint32
    np.testing.assert_array_equal(order, stable_order(keys))
    no_zeros = keys[keys != 0]  # NumPy takes both zeros for equal
    np.testing.assert_array_equal(argsort(bitune, no_zeros), np.argsort(no_zeros, kind="stable"))


def test_descending_keeps_equal_keys_in_order(bitune):
    keys = np.array([1, 2, np.nan, 2, 1, -np.nan, -0.0, 0.0], dtype="f4")
    np.testing.assert_array_equal(argsort(bitune, keys, "--descending", "--index", "u64"), [2, 5, 1, 3, 0, 4, 7, 6])
    assert np.load("order.npy").dtype == np.uint64


@pytest.mark.parametrize("shape", [(7, 100), (2, 3, 33), (4, 1), (0, 5)])
def test_rows(bitune, shape):
    keys = np.random.default_rng(2).integers(0, 20, shape).astype("f4")
    np.testing.assert_array_equal(argsort(bitune, keys, "--rows", "auto", "--verify"), np.argsort(keys, axis=-1, kind="stable"))
    np.testing.assert_array_equal(argsort(bitune, keys, "--rows", "1"), np.argsort(keys, axis=None, kind="stable"))
    values = np.arange(keys.size, dtype="i8").reshape(shape)
    np.save("values.npy", values)
    bitune.sort("keys.npy", "--values", "values.npy", "--rows", "auto", "-o", "out.npy", "--values-out", "values_out.npy",
                "--verify")
    order = np.argsort(keys, axis=-1, kind="stable")
    np.testing.assert_array_equal(np.load("out.npy"), np.take_along_axis(keys, order, -1))
    np.testing.assert_array_equal(np.load("values_out.npy"), np.take_along_axis(values, order, -1))


def test_few_keys(bitune):
    for n in (0, 1):
        order = argsort(bitune, np.zeros(n, dtype="i8"), "--verify")
        np.testing.assert_array_equal(order, np.arange(n))


def test_text_and_json(bitune):
    with open("in.txt", "w") as file:
        file.write("30\n10\n20\n")
    output = bitune.json("argsort", "--device", "emulated", "in.txt", "-o", "order.txt", "--verify")
    assert output["problem"]["operation"] == "argsort" and output["verified"] is True
    assert output["configuration"].startswith("rows_by_place(")
    with open("order.txt") as file:
        assert file.read() == "1\n2\n0\n"


@pytest.mark.parametrize("dtype", ["|b1", "<f2", "<i4", ">f8", "<M8[ns]", "<c16", "|S2", "<U4"])
def test_values_of_any_dtype(bitune, dtype):
    keys = sample("<f4", 333)
    size = np.dtype(dtype).itemsize
    values = np.frombuffer(np.random.default_rng(1).integers(0, 2, 333 * size, dtype="u1").tobytes(), dtype=dtype)
    np.save("keys.npy", keys)
    np.save("values.npy", values)
    bitune.sort("keys.npy", "--values", "values.npy", "-o", "out.npy", "--values-out", "values_out.npy", "--verify")
    order = stable_order(keys)
    got = np.load("values_out.npy")
    assert got.dtype == values.dtype and got.tobytes() == values[order].tobytes()
    assert np.load("out.npy").tobytes() == keys[order].tobytes()


def test_raw_values(bitune):
    keys = sample("<u2", 100)
    values = np.arange(100, dtype="<u8")
    keys.tofile("keys.bin")
    values.tofile("values.bin")
    bitune.sort("keys.bin", "--type", "u16", "--values", "values.bin", "-o", "out.bin", "--values-out", "values_out.bin",
                "--descending")
    np.testing.assert_array_equal(np.fromfile("values_out.bin", dtype="<u8"), stable_order(keys, descending=True))


def test_refusals(bitune, tmp_path):
    np.save("keys.npy", np.arange(10, dtype="f4"))
    np.save("matrix.npy", np.zeros((2, 5), dtype="f4"))
    np.save("short.npy", np.arange(9))
    np.save("wide.npy", np.zeros(10, dtype="S24"))
    to = ("-o", "out.npy", "--values-out", "values_out.npy")
    device = ("--device", "emulated")
    bitune.refuses(2, "give --rows 2", "argsort", "matrix.npy", "-o", "out.npy", *device)
    bitune.refuses(2, "u32 or u64", "argsort", "keys.npy", "-o", "out.npy", "--index", "i32", *device)
    bitune.refuses(1, "9 values, and there are 10 keys", "sort", "keys.npy", "--values", "short.npy", *to, *device)
    bitune.refuses(1, "values of 24 bytes", "sort", "keys.npy", "--values", "wide.npy", *to, *device)
    bitune.refuses(2, "--values-out FILE", "sort", "keys.npy", "--values", "short.npy", "-o", "out.npy", *device)
    bitune.refuses(2, "give --rows 2", "sort", "matrix.npy", "--values", "keys.npy", *to, *device)
    np.save("turned.npy", np.zeros((5, 2)))
    bitune.refuses(1, "give a value for each key, in rows as they are", "sort", "matrix.npy", "--rows", "auto", "--values",
                   "turned.npy", *to, *device)
    left = {path.name for path in tmp_path.iterdir()} - {"home"}
    assert left == {"keys.npy", "matrix.npy", "short.npy", "turned.npy", "wide.npy"}
