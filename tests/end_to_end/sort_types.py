"""Sorts .npy files of all key types with bitune and compares them with numpy.sort, bit for bit."""

import subprocess
import sys

import numpy as np

bitune = sys.argv[1]
random = np.random.default_rng(5)


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


def run(*arguments, stdin=None):
    done = subprocess.run([bitune, "sort", "--device", "emulated", *arguments], input=stdin, capture_output=True)
    assert done.returncode == 0, (arguments, done.stderr.decode())
    return done.stdout


def check(name, got, expected):
    assert got.dtype == expected.dtype and got.shape == expected.shape, (name, got.dtype, got.shape)
    assert got.tobytes() == expected.tobytes(), (name, got, expected)


def sample(dtype, n):
    bits = np.frombuffer(random.bytes(n * np.dtype(dtype).itemsize), dtype=f"u{np.dtype(dtype).itemsize}").copy()
    array = bits.view(dtype)
    if array.dtype.kind == "f" and n > 12:
        array[:10] = [np.nan, -np.nan, np.inf, -np.inf, 0.0, -0.0, 0.0, -0.0, 1.5, -1.5]
    return array


for dtype in ["u1", "i1", "u2", "i2", "f2", "u4", "i4", "f4", "u8", "i8", "f8"]:
    keys = sample(f"<{dtype}", 333)
    np.save("in.npy", keys)
    run("in.npy", "-o", "out.npy", "--verify")
    check(dtype, np.load("out.npy"), ordered(keys))
    # numpy.sort agrees on everything but the bits of NaNs and the order of the two zeros.
    np.testing.assert_array_equal(np.load("out.npy"), np.sort(keys))
    run("in.npy", "-o", "out.npy", "--verify", "--descending")
    check(dtype + " descending", np.load("out.npy"), ordered(keys)[::-1])

# bf16: as ml_dtypes saves it, and as plain bits; its order is that of the float32 it begins.
bits = sample("<u2", 300)
wide = ordered((bits.astype("<u4") << 16).view("<f4")).view("<u4")
expected = (wide >> 16).astype("<u2")
np.save("in.npy", bits.view("V2"))
run("in.npy", "-o", "out.npy", "--verify")
assert np.load("out.npy").dtype == np.dtype("V2")
check("bf16", np.load("out.npy").view("<u2"), expected)
np.save("in.npy", bits)
run("in.npy", "-o", "out.npy", "--type", "bf16")
check("bf16 bits", np.load("out.npy"), expected)

for n in [0, 1, 2, 3, 255, 256, 257, 4097]:
    keys = sample("<i4", n)
    np.save("in.npy", keys)
    run("in.npy", "-o", "out.npy", "--verify")
    check(f"n={n}", np.load("out.npy"), np.sort(keys))

# Rows, over one and two leading dimensions.
matrix = sample("<f4", 60).reshape(5, 12)
np.save("in.npy", matrix)
run("in.npy", "-o", "out.npy", "--rows", "5", "--verify")
check("rows", np.load("out.npy"), np.stack([ordered(row) for row in matrix]))
np.save("in.npy", sample("<u2", 60).reshape(2, 3, 10))
run("in.npy", "-o", "out.npy", "--rows", "auto")
check("leading dimensions", np.load("out.npy"), np.sort(np.load("in.npy"), axis=-1))
np.save("in.npy", np.zeros((0, 4), "<u4"))
run("in.npy", "-o", "out.npy", "--rows", "auto")
assert np.load("out.npy").shape == (0, 4)

# Other formats, pipes, and from one format to another; a file may be sorted onto itself.
keys = sample("<u8", 100)
keys.tofile("in.bin")
run("in.bin", "--type", "u64", "-o", "in.bin")
check("raw", np.fromfile("in.bin", "<u8"), np.sort(keys))
check("pipe", np.frombuffer(run("-", "--format", "raw", "--type", "u64", stdin=keys.tobytes()), "<u8"), np.sort(keys))
np.save("in.npy", keys)
with open("in.npy", "rb") as file:
    run("-", "-o", "out.npy", stdin=file.read())
check("npy on a pipe", np.load("out.npy"), np.sort(keys))
run("in.npy", "-o", "out.bin")
check("npy to raw", np.fromfile("out.bin", "<u8"), np.sort(keys))
assert run("-", stdin=b"3\n-1\n2") == b"-1\n2\n3\n"
assert run("-", "--descending", stdin=b"0.5\nnan\n-0.0\n0\n-inf\n") == b"nan\n0.5\n0\n-0\n-inf\n"
floats = random.standard_normal(200)
np.savetxt("in.csv", floats, fmt="%.17g")
run("in.csv", "-o", "out.npy", "--type", "f64")
check("text to npy", np.load("out.npy"), np.sort(floats))
