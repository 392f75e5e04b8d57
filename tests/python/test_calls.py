"""Refusals, threads, other producers of DLPack, and what is told of a problem."""

import json
import os
import subprocess
import sys
import threading

import numpy as np
import pytest

import bitune

EMULATED = {"device": "emulated"}
KEYS = np.array([3, 1, 2])


@pytest.mark.parametrize(
    ("kind", "argument", "call"),
    [
        (TypeError, "x", lambda: bitune.sort([3, 1, 2], **EMULATED)),
        (TypeError, "x", lambda: bitune.sort(np.array([True]), **EMULATED)),
        (TypeError, "x", lambda: bitune.sort(np.array([1j]), **EMULATED)),
        (TypeError, "x", lambda: bitune.sort(np.array(["a"]), **EMULATED)),
        (TypeError, "x", lambda: bitune.argsort(np.array([True]), **EMULATED)),
        (TypeError, "keys", lambda: bitune.sort_by_key(np.array([1j]), KEYS, **EMULATED)),
        (ValueError, "x", lambda: bitune.sort(np.array(3), **EMULATED)),
        (ValueError, "axis", lambda: bitune.sort(KEYS, axis=1, **EMULATED)),
        (TypeError, "axis", lambda: bitune.sort(KEYS, axis=None, **EMULATED)),
        (ValueError, "out", lambda: bitune.sort(KEYS, out=np.empty(2, "i8"), **EMULATED)),
        (TypeError, "out", lambda: bitune.sort(KEYS, out=np.empty(3, "i4"), **EMULATED)),
        (TypeError, "out", lambda: bitune.sort(KEYS, out=[0, 0, 0], **EMULATED)),
        (ValueError, "out", lambda: bitune.sort(KEYS, out=np.broadcast_to(np.int64(0), 3), **EMULATED)),
        (ValueError, "stream", lambda: bitune.sort(KEYS, stream=0, **EMULATED)),
        (TypeError, "device", lambda: bitune.sort(KEYS, device=True)),
        (TypeError, "index_dtype", lambda: bitune.argsort(KEYS, index_dtype="int8", **EMULATED)),
        (ValueError, "values", lambda: bitune.sort_by_key(KEYS, np.zeros(2), **EMULATED)),
        (TypeError, "values", lambda: bitune.sort_by_key(KEYS, np.zeros(3, "V3"), **EMULATED)),
        (TypeError, "values", lambda: bitune.sort_by_key(KEYS, np.zeros(3, object), **EMULATED)),
        (ValueError, "device_memory", lambda: bitune.sort(KEYS, device_memory=0, **EMULATED)),
        (TypeError, "device_memory", lambda: bitune.top_k(KEYS, 1, device_memory="4G", **EMULATED)),
        (ValueError, "operation", lambda: bitune.explain(KEYS, "shuffle", **EMULATED)),
        (ValueError, "shapes", lambda: bitune.tune([], **EMULATED)),
        (ValueError, "shapes", lambda: bitune.tune((0,), **EMULATED)),
        (TypeError, "dtype", lambda: bitune.tune(8, "bool", **EMULATED)),
        (TypeError, "dtype", lambda: bitune.tune(8, "S4", **EMULATED)),
        (TypeError, "dtype", lambda: bitune.tune(8, "no such", **EMULATED)),
        (TypeError, "dtype", lambda: bitune.tune(8, None, **EMULATED)),
    ],
)
def test_refusals_name_the_argument(kind, argument, call):
    with pytest.raises(kind, match=f"^{argument}: "):
        call()


@pytest.mark.parametrize("dtype", ["i4", "<i4", "intc", "int32", np.int32, np.dtype("i4")], ids=repr)
def test_types_are_named_as_numpy_names_them(dtype, tmp_path):
    assert bitune.argsort(KEYS, index_dtype=dtype, **EMULATED).dtype == np.int32
    refused = {"strategy": "none", "database": tmp_path / "t.db", **EMULATED}
    with pytest.raises(ValueError, match="strategy"):  # the type was taken
        bitune.tune(8, dtype, **refused)


def test_arrays_larger_than_the_memory_that_may_be_taken_are_sorted_in_parts(tmp_path):
    """Files mapped into memory, too. That there are parts is told by what is refused: the first of all parts are too many for one."""
    small = {"device_memory": 16 << 10, **EMULATED}
    x = np.random.default_rng(1).integers(0, 500, 6000).astype("f4")
    x.tofile(tmp_path / "keys.bin")
    order = np.argsort(x, kind="stable")
    mapped = np.memmap(tmp_path / "keys.bin", "f4", mode="r")
    out = np.memmap(tmp_path / "sorted.bin", "f4", mode="w+", shape=6000)
    assert bitune.sort(mapped, out=out, **small) is out
    np.testing.assert_array_equal(np.fromfile(tmp_path / "sorted.bin", "f4"), x[order])
    np.testing.assert_array_equal(bitune.argsort(x, **small), order)
    np.testing.assert_array_equal(bitune.sort_by_key(x, x.copy(), **small)[1], x[order])
    np.testing.assert_array_equal(bitune.top_k(x, 4, largest=False, **small)[1], order[:4])
    with pytest.raises(bitune.Error, match="in parts of"):
        bitune.top_k(x, 4000, **small)
    assert len(bitune.top_k(x, 4000, **EMULATED)[0]) == 4000


def test_an_unknown_device_is_an_error_of_the_library():
    with pytest.raises(bitune.Error):
        bitune.sort(KEYS, device="GPU-none")


def run_python(code, **environment):
    return subprocess.run(
        [sys.executable, "-W", "always", "-c", code], env={**os.environ, **environment}, capture_output=True, text=True, check=True
    )


def test_the_emulated_device_says_once_that_it_is_slow():
    code = "import bitune, numpy as n; [bitune.sort(n.arange(3), device='emulated') for _ in range(2)]"
    assert run_python(code).stderr.count("RuntimeWarning") == 1


def test_no_gpu_is_an_error_and_no_emulation():
    if any(device["selector"] != "emulated" for device in bitune.devices()):
        pytest.skip("there is a GPU")
    with pytest.raises(bitune.Error, match="^device: there is no GPU") as caught:
        bitune.sort(KEYS)
    assert caught.value.code == "unavailable"


def test_importing_imports_no_array_library():
    found = json.loads(run_python("import bitune, sys, json; print(json.dumps(list(sys.modules)))").stdout)
    assert not {"numpy", "torch", "cupy", "jax"} & set(found)


def test_threads():
    """Each thread sorts its own arrays, of lengths that others sort, too."""
    wrong = []

    def work(seed):
        random = np.random.default_rng(seed)
        for n in (5, 700, 33, 4000):
            array = random.integers(0, 100, n).astype("i4")
            if not np.array_equal(bitune.sort(array, **EMULATED), np.sort(array)):
                wrong.append((seed, n))
            try:
                bitune.sort(array, axis=seed + 1, **EMULATED)
                wrong.append((seed, "no error"))
            except ValueError as error:
                if f"axis: {seed + 1} " not in str(error):
                    wrong.append((seed, str(error)))

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


def test_a_fork_after_threads_have_sorted():
    """The child has none of the threads that its parent's library keeps."""
    code = """if True:
        import os, threading, bitune, numpy
        keys = numpy.arange(3000, dtype="u4")[::-1].copy()
        wrong = []
        def work():
            if not numpy.array_equal(bitune.sort(keys, device="emulated"), keys[::-1]):
                wrong.append("keys")
        threads = [threading.Thread(target=work) for _ in range(3)]
        for thread in threads: thread.start()
        for thread in threads: thread.join()
        child = os.fork()
        work()
        if child == 0:
            os._exit(len(wrong))
        assert os.waitpid(child, 0)[1] == 0 and not wrong
        """
    run_python(code)


class Producer:
    """An array of no library that bitune knows: DLPack is all it has."""

    def __init__(self, array):
        self.array = array

    def __dlpack__(self, **arguments):
        return self.array.__dlpack__(**arguments)

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()


def test_dlpack():
    np.testing.assert_array_equal(bitune.sort(Producer(KEYS.copy()), **EMULATED), [1, 2, 3])
    np.testing.assert_array_equal(bitune.argsort(Producer(KEYS.copy()), **EMULATED), [1, 2, 0])


def test_jax():
    jax = pytest.importorskip("jax")
    x = jax.numpy.array([3.0, 1.0, 2.0])
    assert bitune.sort(x, **EMULATED).tolist() == [1, 2, 3]
    values, indices = bitune.top_k(x, 2, **EMULATED)
    assert isinstance(values, jax.Array) and values.tolist() == [3, 2] and indices.tolist() == [0, 2]
    for transformed in (jax.jit, jax.vmap, jax.grad):
        with pytest.raises(TypeError, match="^x: JAX is tracing it"):
            transformed(lambda t: bitune.sort(t, **EMULATED))(x)


def test_prepare_then_nothing_is_compiled():
    array = np.zeros(77, dtype="u2")
    bitune.prepare(array, **EMULATED)
    told = bitune.explain(array, **EMULATED)
    assert told["match"] == "default" and told["configuration"] and told["reason"]


def test_a_device_that_is_none_is_named():
    with pytest.raises(ValueError, match="^device: 'nonsense' names no device"):
        bitune.sort(KEYS, device="nonsense")


def test_devices():
    emulated = bitune.devices()[-1]
    assert emulated["selector"] == "emulated" and emulated["info"]["kind"] == "emulated"


def test_a_missing_database_is_an_error(tmp_path):
    with pytest.raises(bitune.Error):
        bitune.Database(tmp_path / "none.db").best()
