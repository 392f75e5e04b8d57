"""`bitune sort` on .npy files of all key types, against numpy.sort, bit for bit."""

import pytest

np = pytest.importorskip("numpy")

WIDTHS = ["u1", "i1", "u2", "i2", "f2", "u4", "i4", "f4", "u8", "i8", "f8"]


def ordered(array):
    """numpy.sort, with -0 before +0; positive NaNs by rising payload, then negative ones by falling payload."""
    if array.dtype.kind != "f":
        return np.sort(array)
    bits = array.view(f"u{array.itemsize}")
    nan = np.isnan(array)
    numbers, nans = array[~nan], bits[nan]
    sign = np.where(np.signbit(numbers), 0, 1)
    numbers = numbers[np.lexsort((sign, numbers))]
    negative = nans >> (8 * array.itemsize - 1) == 1
    nans = np.concatenate([np.sort(nans[~negative]), np.sort(nans[negative])[::-1]])
    return np.concatenate([numbers, nans.view(array.dtype)])


def assert_same(got, expected):
    assert got.dtype == expected.dtype and got.shape == expected.shape
    assert got.tobytes() == expected.tobytes(), (got, expected)


def sample(dtype, n):
    """Random bits: every kind of NaN is among them; and the special values."""
    bits = np.frombuffer(np.random.default_rng(n).bytes(n * np.dtype(dtype).itemsize), dtype=f"u{np.dtype(dtype).itemsize}").copy()
    array = bits.view(dtype)
    if array.dtype.kind == "f" and n > 12:
        array[:10] = [np.nan, -np.nan, np.inf, -np.inf, 0.0, -0.0, 0.0, -0.0, 1.5, -1.5]
    return array


def sorted_by(bitune, keys, *options):
    np.save("in.npy", keys)
    bitune.sort("in.npy", "-o", "out.npy", *options)
    return np.load("out.npy")


@pytest.mark.parametrize("dtype", WIDTHS)
def test_key_type(bitune, dtype):
    keys = sample(f"<{dtype}", 333)
    got = sorted_by(bitune, keys, "--verify")
    assert_same(got, ordered(keys))
    # numpy.sort agrees on everything but the bits of NaNs and the order of the two zeros.
    np.testing.assert_array_equal(got, np.sort(keys))
    assert_same(sorted_by(bitune, keys, "--verify", "--descending"), ordered(keys)[::-1])


def test_bf16(bitune):
    """As ml_dtypes saves it, and as plain bits; its order is that of the float32 it begins."""
    bits = sample("<u2", 300)
    wide = ordered((bits.astype("<u4") << 16).view("<f4")).view("<u4")
    expected = (wide >> 16).astype("<u2")
    got = sorted_by(bitune, bits.view("V2"), "--verify")
    assert got.dtype == np.dtype("V2")
    assert_same(got.view("<u2"), expected)
    assert_same(sorted_by(bitune, bits, "--type", "bf16"), expected)


def test_lengths(bitune):
    for n in [0, 1, 2, 3, 255, 256, 257, 4097]:
        keys = sample("<i4", n)
        assert_same(sorted_by(bitune, keys, "--verify"), np.sort(keys))


def test_rows_over_one_and_two_leading_dimensions(bitune):
    matrix = sample("<f4", 60).reshape(5, 12)
    assert_same(sorted_by(bitune, matrix, "--rows", "5", "--verify"), np.stack([ordered(row) for row in matrix]))
    keys = sample("<u2", 60).reshape(2, 3, 10)
    assert_same(sorted_by(bitune, keys, "--rows", "auto"), np.sort(keys, axis=-1))
    assert sorted_by(bitune, np.zeros((0, 4), "<u4"), "--rows", "auto").shape == (0, 4)


def test_other_formats_and_pipes(bitune):
    keys = sample("<u8", 100)
    keys.tofile("in.bin")
    bitune.sort("in.bin", "--type", "u64", "-o", "in.bin")
    assert_same(np.fromfile("in.bin", "<u8"), np.sort(keys))  # a file may be sorted onto itself
    piped = bitune.sort("-", "--format", "raw", "--type", "u64", stdin=keys.tobytes())
    assert_same(np.frombuffer(piped, "<u8"), np.sort(keys))
    np.save("in.npy", keys)
    with open("in.npy", "rb") as file:
        bitune.sort("-", "-o", "out.npy", stdin=file.read())
    assert_same(np.load("out.npy"), np.sort(keys))
    bitune.sort("in.npy", "-o", "out.bin")
    assert_same(np.fromfile("out.bin", "<u8"), np.sort(keys))


def test_text(bitune):
    assert bitune.sort("-", stdin=b"3\n-1\n2") == b"-1\n2\n3\n"
    assert bitune.sort("-", "--descending", stdin=b"0.5\nnan\n-0.0\n0\n-inf\n") == b"nan\n0.5\n0\n-0\n-inf\n"
    floats = np.random.default_rng(5).standard_normal(200)
    np.savetxt("in.csv", floats, fmt="%.17g")
    bitune.sort("in.csv", "-o", "out.npy", "--type", "f64")
    assert_same(np.load("out.npy"), np.sort(floats))


def test_zeros_have_one_order(bitune):
    """NumPy takes -0 and +0 for equal, and leaves them as they come; here -0 is first."""
    zeros = np.array([0.0, -0.0, 1.0, -0.0, 0.0, -1.0], dtype="f4")
    np.save("zeros.npy", zeros)
    bitune("sort", "zeros.npy", "-o", "sorted.npy", "--device", "emulated")
    got = np.load("sorted.npy")
    assert (got == np.sort(zeros)).all()
    assert np.signbit(got).tolist() == [True, True, True, False, False, False]
