"""Sorts matrices with bitune, each row on its own, and compares them with numpy.sort(axis=-1)."""

import json
import subprocess
import sys

import numpy as np

bitune = sys.argv[1]
random = np.random.default_rng(8)


def run(*arguments):
    done = subprocess.run([bitune, "sort", "--device", "emulated", *arguments], capture_output=True)
    assert done.returncode == 0, (arguments, done.stderr.decode())
    return done.stdout


def matrix(dtype, shape):
    if np.dtype(dtype).kind == "f":
        return random.standard_normal(shape).astype(dtype)
    bounds = np.iinfo(dtype)
    return random.integers(bounds.min, bounds.max, shape, dtype=dtype, endpoint=True)


for dtype in ["u1", "i2", "f2", "u4", "f4", "i8", "f8"]:
    for shape in [(1, 1), (3, 1), (1000, 3), (7, 100), (2, 3, 65), (3, 1025), (5, 0)]:
        keys = matrix(f"<{dtype}", shape)
        np.save("in.npy", keys)
        run("in.npy", "-o", "out.npy", "--rows", "auto", "--verify")
        got = np.load("out.npy")
        assert got.dtype == keys.dtype and got.shape == shape, (dtype, shape, got.shape)
        np.testing.assert_array_equal(got, np.sort(keys, axis=-1), err_msg=f"{dtype} {shape}")
    run("in.npy", "-o", "out.npy", "--rows", "auto", "--descending")

# Falling order, and what is told of it: all rows are sorted at once.
keys = matrix("<f4", (40, 30))
np.save("in.npy", keys)
report = json.loads(run("in.npy", "-o", "out.npy", "--rows", "40", "--descending", "--json"))
np.testing.assert_array_equal(np.load("out.npy"), np.sort(keys, axis=-1)[:, ::-1])
assert report["problem"]["rows"] == 40 and report["problem"]["n"] == 30, report
assert len(report["launches"]) == 1, report["launches"]

# A flat file in rows.
keys = matrix("<u2", 600)
keys.tofile("in.bin")
run("in.bin", "--type", "u16", "--rows", "20", "-o", "out.bin")
np.testing.assert_array_equal(np.fromfile("out.bin", "<u2").reshape(20, 30), np.sort(keys.reshape(20, 30), axis=-1))
