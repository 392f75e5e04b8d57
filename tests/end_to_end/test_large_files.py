"""Files larger than the device's memory (or `--device-memory`) stay where they are: keys are mapped, and so are results."""

import os
import resource
import signal
import subprocess

import pytest

np = pytest.importorskip("numpy")

SMALL = ["--device", "emulated", "--device-memory", "16K"]


@pytest.fixture
def keys():
    keys = np.random.default_rng(1).integers(0, 500, 6000).astype("f4")
    np.save("keys.npy", keys)
    keys.tofile("keys.bin")
    return keys


# Less than the file takes: so it is not read.
LITTLE = ["--max-bytes", "8K"]


def test_sort_of_a_file_that_may_not_be_read(bitune, keys):
    report = bitune.json("sort", "keys.npy", "-o", "sorted.npy", "--verify", *SMALL, *LITTLE)
    assert report["parts"] > 1 and report["verified"]
    np.testing.assert_array_equal(np.load("sorted.npy"), np.sort(keys))
    np.testing.assert_array_equal(np.load("keys.npy"), keys)


def test_raw_keys_to_npy_descending(bitune, keys):
    bitune("sort", "keys.bin", "--type", "f32", "--descending", "-o", "sorted.npy", *SMALL, *LITTLE)
    np.testing.assert_array_equal(np.load("sorted.npy"), np.sort(keys)[::-1])


def test_a_file_onto_itself_and_in_rows(bitune, keys):
    np.save("keys.npy", keys.reshape(3, 2000))
    bitune("sort", "keys.npy", "--rows", "auto", "-o", "keys.npy", *SMALL, *LITTLE)
    np.testing.assert_array_equal(np.load("keys.npy"), np.sort(keys.reshape(3, 2000)))


def test_all_fits_the_device_but_not_the_limit(bitune, keys):
    report = bitune.json("sort", "keys.npy", "-o", "sorted.bin", "--device", "emulated", *LITTLE)
    assert report["parts"] == 1
    np.testing.assert_array_equal(np.fromfile("sorted.bin", "f4"), np.sort(keys))


@pytest.mark.parametrize("values", ["values.npy", "values.bin"])
def test_values_travel(bitune, keys, values):
    numbers = np.arange(6000, dtype="i8")
    np.save(values, numbers) if values.endswith("npy") else numbers.tofile(values)
    report = bitune.json("sort", "keys.npy", "--values", values, "-o", "sorted.npy", "--values-out", "with.npy", "--verify", *SMALL, *LITTLE)
    assert report["parts"] > 1
    order = np.argsort(keys, kind="stable")
    np.testing.assert_array_equal(np.load("sorted.npy"), keys[order])
    found = np.load("with.npy") if values.endswith("npy") else np.fromfile("with.npy", "i8")
    np.testing.assert_array_equal(found, order)


def test_argsort_and_topk(bitune, keys):
    order = np.argsort(keys, kind="stable")
    bitune("argsort", "keys.npy", "-o", "order.npy", "--verify", *SMALL, *LITTLE)
    np.testing.assert_array_equal(np.load("order.npy"), order)
    bitune("topk", "keys.npy", "-k", "5", "-o", "first.npy", "--indices", "where.npy", "--verify", *SMALL, *LITTLE)
    np.testing.assert_array_equal(np.load("first.npy"), keys[order[:5]])
    np.testing.assert_array_equal(np.load("where.npy"), order[:5])


@pytest.mark.parametrize("what", ["big endian", "to text", "to standard output"])
def test_what_must_be_converted_is_read_and_limited(bitune, keys, what):
    if what == "big endian":
        np.save("keys.npy", keys.astype(">f4"))
    output = {"big endian": ["-o", "sorted.npy"], "to text": ["-o", "sorted.txt"], "to standard output": []}[what]
    assert "--max-bytes" in bitune("sort", "keys.npy", *output, *SMALL, *LITTLE, code=1).err
    assert not os.path.exists("sorted.npy")


def with_limit(bitune, size, *arguments):
    """The command where no file may be longer: as on a full disk. The signal of that limit is ignored, so that it is an error."""

    def limited():
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))

    return subprocess.run([bitune.executable, *arguments], env=bitune.environment, capture_output=True, text=True, preexec_fn=limited, restore_signals=False)


def test_no_room_on_the_disk_is_an_error_and_leaves_nothing(bitune, keys):
    bitune("sort", "keys.npy", "-o", "sorted.npy", *SMALL)  # so that the kernels are there
    os.remove("sorted.npy")
    before = sorted(os.listdir())
    done = with_limit(bitune, 20000, "sort", "keys.npy", "-o", "sorted.npy", *SMALL)
    assert done.returncode > 0 and "cannot write sorted.npy, which takes 24128 bytes" in done.stderr
    assert sorted(os.listdir()) == before


def test_a_kill_leaves_only_what_the_next_sort_sweeps(bitune, keys):
    np.save("large.npy", np.tile(keys, 4))
    command = [bitune.executable, "sort", "large.npy", "-o", "sorted.npy", "--device", "emulated", "--device-memory", "16K"]
    process = subprocess.Popen(command, env=bitune.environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        while not [name for name in os.listdir() if ".bitune-" in name]:
            assert process.poll() is None
    finally:
        process.kill()
        process.wait()
    left = [name for name in os.listdir() if ".bitune-" in name]
    assert len(left) <= 1 and not os.path.exists("sorted.npy")
    bitune("sort", "keys.npy", "-o", "sorted.npy", *SMALL)
    assert not [name for name in os.listdir() if ".bitune-" in name]
