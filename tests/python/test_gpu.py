"""The package on a GPU: PyTorch, CuPy, JAX and NumPy. Skipped where there is none."""

import concurrent.futures
import functools
import os
import shutil
import subprocess
import sys
import threading

import numpy as np
import pytest

import bitune
from conftest import indices_of_rows, torch_with_gpu

torch = torch_with_gpu()

import bitune.torch  # noqa: E402, F401

TYPES = ["uint8", "int8", "int16", "float16", "bfloat16", "int32", "float32", "int64", "float64"]


def keys(*shape, dtype="float32", seed=1, **options):
    """Random keys of few values, so that there are equal ones; of the GPU."""
    generator = torch.Generator("cuda").manual_seed(seed)
    drawn = torch.randint(0, 100, shape, generator=generator, device="cuda")
    return drawn.to(getattr(torch, dtype), **options)


LENGTHS = (1000, 70001)
ARGSORT, SORT_AND_INDICES = {"operation": "argsort"}, {"operation": "argsort", "return_keys": True}


def prepare_all(arrays, words=({}, ARGSORT, SORT_AND_INDICES)):
    """Compiles on several processors what calls with these arrays need."""
    with concurrent.futures.ThreadPoolExecutor() as pool:
        list(pool.map(lambda problem: bitune.prepare(problem[0], **problem[1]), [(x, word) for x in arrays for word in words]))


@pytest.mark.parametrize("dtype", TYPES)
def test_types(dtype):
    arrays = [keys(n, dtype=dtype) for n in LENGTHS]
    prepare_all(arrays)
    for x in arrays:
        expected = torch.sort(x, stable=True)
        assert torch.equal(bitune.sort(x), expected.values)
        indices, values = bitune.argsort(x, return_keys=True)
        assert torch.equal(indices, expected.indices) and torch.equal(values, expected.values)
        assert torch.equal(bitune.argsort(x), expected.indices)


@pytest.mark.parametrize("n", [1, 2, 33, 5000])
def test_descending_and_short_indices(n):
    x = keys(n, dtype="int32")
    expected = torch.sort(x, descending=True, stable=True)
    assert torch.equal(bitune.sort(x, descending=True), expected.values)
    assert torch.equal(bitune.argsort(x, descending=True, index_dtype=torch.int32), expected.indices.int())


def test_unsigned_types():
    for name in ("uint16", "uint32", "uint64"):
        x = np.random.default_rng(1).integers(0, np.iinfo(name).max, 5000, dtype=name)
        assert np.array_equal(bitune.sort(torch.from_numpy(x).cuda()).cpu().numpy(), np.sort(x))


@pytest.mark.parametrize("axis", [0, 1, -1])
def test_axes_and_strides(axis):
    x = keys(40, 60, 24)
    assert torch.equal(bitune.sort(x, axis=axis), torch.sort(x, dim=axis).values)
    part = x[::2, 3:50, 5:17]
    assert torch.equal(bitune.sort(part, axis=axis), torch.sort(part, dim=axis).values)


@pytest.mark.parametrize("dtype", ["float32", "bfloat16", "float16", "int64"])
@pytest.mark.parametrize("shape", [(300, 500), (40, 3, 33), (5, 20000)])
def test_rows_with_indices(shape, dtype):
    x = keys(*shape, dtype=dtype)
    expected = torch.sort(x, stable=True)
    indices, values = indices_of_rows(lambda: bitune.argsort(x, return_keys=True))
    assert torch.equal(indices, expected.indices) and torch.equal(values, expected.values)


@pytest.mark.parametrize("axis", [0, 1, 2])
def test_argsort_of_what_is_not_contiguous(axis):
    x = keys(30, 40, 50)
    for view in (x.transpose(0, 2), x[::3, 5:, ::2], x.flip(1), x[:, :1].expand(30, 40, 50)):
        assert torch.equal(bitune.argsort(view, axis=axis), torch.argsort(view, dim=axis, stable=True))


@pytest.mark.parametrize("dtype", ["bfloat16", "float16"])
def test_half_precision_with_special_values(dtype):
    x = torch.randn(5000, generator=torch.Generator("cuda").manual_seed(2), device="cuda")
    x[::7], x[1::11], x[2::13] = float("nan"), float("inf"), -float("inf")
    x = x.to(getattr(torch, dtype))
    expected = torch.sort(x, stable=True)
    assert torch.equal(bitune.sort(x).nan_to_num(9), expected.values.nan_to_num(9))
    assert torch.equal(bitune.argsort(x), expected.indices)


def test_out_is_written_between_what_stays():
    x, target = keys(50, 64), torch.full((50, 80), -1.0, device="cuda")
    assert bitune.sort(x, out=target[:, 8:72]).data_ptr() == target[:, 8:].data_ptr()
    assert torch.equal(target[:, 8:72], torch.sort(x).values)
    assert (target[:, :8] == -1).all() and (target[:, 72:] == -1).all()
    assert bitune.sort(x, out=x) is x and torch.equal(x, target[:, 8:72])


@pytest.mark.parametrize("value_type", ["uint8", "float16", "int32", "float64", "complex128"])
def test_values_travel(value_type):
    x = keys(3000)
    values = torch.arange(3000, device="cuda").to(getattr(torch, value_type))
    order = torch.argsort(x, stable=True)
    sorted_keys, sorted_values = bitune.sort_by_key(x, values)
    assert torch.equal(sorted_keys, x[order]) and torch.equal(sorted_values, values[order])


def test_nan_comes_last_and_minus_zero_first():
    x = torch.tensor([0.0, float("nan"), -0.0, -1.0, float("inf")], device="cuda")
    result = bitune.sort(x).cpu()
    assert result[:1].tolist() == [-1.0] and torch.signbit(result[1:3]).tolist() == [True, False] and result[4].isnan()


def test_views_that_negate():
    x = torch.randn(500, dtype=torch.complex64, device="cuda").conj().imag
    assert x.is_neg() and torch.equal(bitune.sort(x), torch.sort(x).values)


def test_empty():
    assert bitune.sort(torch.empty(0, device="cuda")).shape == (0,)
    assert bitune.argsort(torch.empty(3, 0, device="cuda")).shape == (3, 0)


def test_large():
    x = torch.randn(1 << 24, device="cuda")
    expected = torch.sort(x, stable=True)
    assert torch.equal(bitune.sort(x), expected.values)
    assert torch.equal(bitune.argsort(x), expected.indices)


def most_memory(call):
    """The most memory of PyTorch's allocator that a call takes at once, its result included."""
    torch.cuda.synchronize()
    torch.cuda.empty_cache()
    before = torch.cuda.memory_allocated()
    torch.cuda.reset_peak_memory_stats()
    call()
    torch.cuda.synchronize()
    return torch.cuda.max_memory_allocated() - before


@pytest.mark.parametrize("index_dtype", [torch.int32, torch.int64])
def test_memory_of_argsort(index_dtype):
    """Against torch.argsort, whose indices are int64. All of it is of PyTorch's allocator."""
    x = torch.randn(1 << 24, device="cuda")
    bitune.prepare(x, "argsort", index_dtype=index_dtype)
    mine, theirs = most_memory(lambda: bitune.argsort(x, index_dtype=index_dtype)), most_memory(lambda: torch.argsort(x, stable=True))
    print(f"{index_dtype}: {mine >> 20} MB, torch.argsort {theirs >> 20} MB")
    assert mine <= 0.6 * theirs


def test_streams():
    """What was enqueued before on the stream is waited for, whichever way the stream is named."""
    x = keys(1 << 16)
    expected = torch.sort(x * 3).values
    bitune.prepare(x)
    side = torch.cuda.Stream()
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        mine = bitune.sort(x * 3)
        tripled = x * 3
    named = bitune.sort(tripled, stream=side)
    numbered = bitune.sort(tripled, stream=side.cuda_stream)
    side.synchronize()
    for result in (mine, named, numbered):
        assert torch.equal(result, expected)


def test_threads_with_streams():
    wrong = []

    def work(seed):
        with torch.cuda.stream(torch.cuda.Stream()):
            for n in (1000, 70001):
                x = keys(n, seed=seed)
                if not torch.equal(bitune.sort(x), torch.sort(x).values):
                    wrong.append((seed, n))
                if not torch.equal(bitune.argsort(x), torch.argsort(x, stable=True)):
                    wrong.append((seed, n, "indices"))

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


@pytest.mark.parametrize("n", [1000, 70001])
def test_graphs(n):
    x, indices = keys(n), torch.empty(n, dtype=torch.int64, device="cuda")
    bitune.prepare(x)
    bitune.prepare(x, "argsort")
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        result = bitune.sort(x)
        bitune.argsort(x, out=indices)
    for seed in (2, 3):
        x.copy_(keys(n, seed=seed))
        graph.replay()
        assert torch.equal(result, torch.sort(x).values)
        assert torch.equal(indices, torch.argsort(x, stable=True))


def test_capture_wants_a_prepared_problem():
    x = keys(4321)
    graph = torch.cuda.CUDAGraph()
    with pytest.raises(bitune.Error, match="bitune.prepare") as caught, torch.cuda.graph(graph):
        bitune.sort(x)
    assert caught.value.code == "capture"


def test_operators():
    x, values = keys(700), torch.arange(700.0, device="cuda")
    torch.library.opcheck(torch.ops.bitune.sort, (x, -1, False, True, "auto"))
    torch.library.opcheck(torch.ops.bitune.argsort, (x, -1, False, True, "int64", True, "auto"))
    torch.library.opcheck(torch.ops.bitune.sort_by_key, (x, values, -1, False, True, "auto"))


@functools.lru_cache
def has_inductor():
    """Whether PyTorch's own compiler works here: it wants a C compiler and the headers of Python."""
    if shutil.which("cc") is None and shutil.which("gcc") is None:
        return False
    try:
        torch.compile(lambda t: t * 2 + 1)(torch.ones(8, device="cuda"))
    except Exception:
        return False
    return True


@pytest.mark.parametrize("backend", ["aot_eager", "inductor"])
def test_compile_without_a_break(backend):
    if backend == "inductor" and not has_inductor():
        pytest.skip("PyTorch compiles nothing here")

    def work(t):
        indices, values = bitune.argsort(t - 1, descending=True, return_keys=True)
        return bitune.sort(t * 2) + 1, indices, values

    x = keys(900)
    expected = torch.sort(x - 1, descending=True, stable=True)
    result, indices, values = torch.compile(work, fullgraph=True, backend=backend)(x)
    assert torch.equal(result, torch.sort(x * 2).values + 1)
    assert torch.equal(indices, expected.indices) and torch.equal(values, expected.values)


def test_gradients_of_what_is_compiled():
    x = torch.randn(900, device="cuda", requires_grad=True)
    other, weights = x.detach().clone().requires_grad_(), torch.randn(900, device="cuda")
    (torch.compile(lambda t: bitune.sort(t * 2), fullgraph=True, backend="aot_eager")(x) * weights).sum().backward()
    (torch.sort(other * 2).values * weights).sum().backward()
    assert torch.equal(x.grad, other.grad)


def test_gradient():
    x = torch.randn(2000, device="cuda", requires_grad=True)
    other, weights = x.detach().clone().requires_grad_(), torch.randn(2000, device="cuda")
    (bitune.sort(x) * weights).sum().backward()
    (torch.sort(other).values * weights).sum().backward()
    assert torch.equal(x.grad, other.grad)


def test_numpy_is_staged():
    x = np.random.default_rng(1).standard_normal((30, 500)).astype("f4")
    np.testing.assert_array_equal(bitune.sort(x), np.sort(x))
    np.testing.assert_array_equal(bitune.sort(x, device=0), np.sort(x))
    np.testing.assert_array_equal(bitune.argsort(x[0]), np.argsort(x[0], kind="stable"))


@pytest.mark.parametrize("pinned", [False, True])
def test_tensors_of_the_host_are_staged(pinned):
    x = torch.randn(5000, pin_memory=pinned)
    expected = torch.sort(x, stable=True)
    assert torch.equal(bitune.sort(x), expected.values)
    assert torch.equal(bitune.argsort(x), expected.indices)


def test_numpy_in_pinned_memory():
    """NumPy's view of page-locked memory, sorted in place."""
    x = torch.randn(40, 3000, pin_memory=True).numpy()
    expected = np.sort(x)
    assert bitune.sort(x, out=x) is x
    np.testing.assert_array_equal(x, expected)


def test_cupy():
    cupy = pytest.importorskip("cupy")
    drawn = np.random.default_rng(1).integers(0, 100, (20, 900), dtype="i4")
    x = cupy.asarray(drawn)
    result = bitune.sort(x)
    assert isinstance(result, cupy.ndarray)
    np.testing.assert_array_equal(result.get(), np.sort(drawn))
    np.testing.assert_array_equal(bitune.sort(x, axis=0).get(), np.sort(drawn, axis=0))
    np.testing.assert_array_equal(bitune.sort(x[::2, 100:700]).get(), np.sort(drawn[::2, 100:700]))
    np.testing.assert_array_equal(bitune.argsort(x).get(), np.argsort(drawn, kind="stable"))
    sorted_keys, values = bitune.sort_by_key(x[0], cupy.arange(900, dtype="f8"))
    np.testing.assert_array_equal(values.get(), np.argsort(drawn[0], kind="stable"))
    target = cupy.empty_like(x)
    assert bitune.sort(x, out=target) is target
    np.testing.assert_array_equal(target.get(), np.sort(drawn))


def test_streams_of_cupy():
    cupy = pytest.importorskip("cupy")
    drawn = np.random.default_rng(1).standard_normal(1 << 16).astype("f4")
    x, stream = cupy.asarray(drawn), cupy.cuda.Stream(non_blocking=True)
    cupy.cuda.Device().synchronize()
    with stream:
        current = bitune.sort(x)
    named = bitune.sort(x, stream=stream)
    stream.synchronize()
    for result in (current, named):
        np.testing.assert_array_equal(result.get(), np.sort(drawn))


def test_cuda_array_interface():
    """An array of a library that has nothing else, as Numba's."""

    class Array:
        def __init__(self, tensor):
            self.kept, self.__cuda_array_interface__ = tensor, tensor.__cuda_array_interface__

    x = keys(700, dtype="int32")
    assert np.array_equal(np.asarray(bitune.sort(Array(x)).tolist()), torch.sort(x).values.cpu().numpy())


@pytest.fixture
def jax(monkeypatch):
    monkeypatch.setenv("XLA_PYTHON_CLIENT_PREALLOCATE", "false")
    jax = pytest.importorskip("jax")
    if jax.default_backend() != "gpu":
        pytest.skip("this JAX finds no GPU")
    return jax


@pytest.mark.parametrize("dtype", ["float32", "bfloat16", "int32"])
def test_jax(jax, dtype):
    x = (100 * jax.random.normal(jax.random.key(1), (30, 400))).astype(dtype)
    result = bitune.sort(x)
    assert isinstance(result, jax.Array) and result.dtype == x.dtype and result.devices() == x.devices()
    assert (result == jax.numpy.sort(x)).all()
    indices = bitune.argsort(x, axis=0, index_dtype="int32")
    assert isinstance(indices, jax.Array) and (indices == jax.numpy.argsort(x, axis=0, stable=True)).all()


def test_arrays_of_jax_may_go_at_once(jax):
    """The memory of an argument that nobody else holds is JAX's again when the call returns."""
    x = jax.random.normal(jax.random.key(1), (1 << 20,))
    expected = jax.numpy.sort(x + 1)
    for _ in range(20):
        result = bitune.sort(x + 1)
        filled = jax.numpy.full((1 << 20,), -5.0)
        assert (result == expected).all() and (filled == -5).all()


def test_prepare_and_explain():
    x = keys(2222, dtype="int64")
    bitune.prepare(x)
    told = bitune.explain(x)
    assert told["configuration"] and told["reason"] and told["launches"]


def test_other_gpus_are_refused():
    with pytest.raises(ValueError, match="^device: "):
        bitune.sort(keys(8), device="emulated")


STAND_IN = """
import torch, bitune
x = torch.randn(1 << 18, device="cuda")
expected = torch.sort(x, stable=True, descending=True)
def is_right():
    indices, keys = bitune.argsort(x, descending=True, return_keys=True)
    return torch.equal(keys, expected.values) and torch.equal(indices, expected.indices)
assert is_right()
awaited = bitune.explain(x, "argsort", descending=True, return_keys=True)["awaited"]
if prepares:
    bitune.prepare(x, "argsort", descending=True, return_keys=True)
    told = bitune.explain(x, "argsort", descending=True, return_keys=True)
    assert not told["awaited"] and awaited in ("", told["configuration"]) and is_right()
"""


@pytest.mark.parametrize("prepares", [True, False])
def test_the_first_sort_of_a_fresh_machine_and_the_end_of_its_process(prepares, tmp_path):
    """Something sorts, whatever is compiled meanwhile. The end waits for the compiler, and nothing breaks."""
    environment = os.environ | {"BITUNE_CACHE": str(tmp_path), "BITUNE_STAND_INS": "1"}
    subprocess.run([sys.executable, "-c", f"prepares = {prepares}{STAND_IN}"], env=environment, check=True)
