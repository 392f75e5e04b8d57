"""The package on a GPU: PyTorch, CuPy, JAX and NumPy. Skipped where there is none."""

import concurrent.futures
import os
import threading

import numpy as np
import pytest

import bitune

if all(device["selector"] == "emulated" for device in bitune.devices()):
    pytest.skip("there is no GPU", allow_module_level=True)
torch = pytest.importorskip("torch")
if not torch.cuda.is_available():
    pytest.skip("this PyTorch finds no GPU", allow_module_level=True)

import bitune.torch  # noqa: E402, F401
from conftest import indices_of_rows  # noqa: E402

TYPES = ["uint8", "int8", "int16", "float16", "bfloat16", "int32", "float32", "int64", "float64"]


def keys(*shape, dtype="float32", seed=1, **options):
    """Random keys of few values, so that there are equal ones; of the GPU."""
    generator = torch.Generator("cuda").manual_seed(seed)
    drawn = torch.randint(0, 100, shape, generator=generator, device="cuda")
    return drawn.to(getattr(torch, dtype), **options)


LENGTHS = (1000, 70001)
ARGSORT, SORT_AND_INDICES = {"operation": "argsort"}, {"operation": "argsort", "return_keys": True}


@pytest.fixture(autouse=True, scope="module")
def compiled():
    """Compiles on all processors most of what the tests below need."""
    wanted = [(n, dtype, words) for dtype in TYPES for n in LENGTHS for words in ({}, ARGSORT, SORT_AND_INDICES)]

    def one(problem):
        n, dtype, words = problem
        bitune.prepare(torch.empty(n, dtype=getattr(torch, dtype), device="cuda"), **words)

    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        list(pool.map(one, wanted))


@pytest.mark.parametrize("dtype", TYPES)
def test_types(dtype):
    for n in LENGTHS:
        x = keys(n, dtype=dtype)
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


def test_argsort_of_rows():
    x = keys(300, 500)
    assert torch.equal(indices_of_rows(lambda: bitune.argsort(x)), torch.argsort(x, stable=True))


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
    assert torch.equal(bitune.sort(x), torch.sort(x).values)


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


def test_compile_without_a_break():
    compiled = torch.compile(lambda t: bitune.sort(t * 2) + 1, fullgraph=True, backend="aot_eager")
    x = keys(900)
    assert torch.equal(compiled(x), torch.sort(x * 2).values + 1)


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


def test_tensors_of_the_host_are_staged():
    x = torch.randn(5000)
    assert torch.equal(bitune.sort(x), torch.sort(x).values)


def test_cupy():
    cupy = pytest.importorskip("cupy")
    x = cupy.random.default_rng(1).integers(0, 100, (20, 900), dtype="i4")
    cupy.testing.assert_array_equal(bitune.sort(x), cupy.sort(x))
    cupy.testing.assert_array_equal(bitune.sort(x, axis=0), cupy.sort(x, axis=0))
    expected = np.argsort(x[0].get(), kind="stable")
    assert np.array_equal(bitune.argsort(x[0]).get(), expected)
    with cupy.cuda.Stream() as stream:
        result = bitune.sort(x[0])
    stream.synchronize()
    cupy.testing.assert_array_equal(result, cupy.sort(x[0]))


def test_jax(monkeypatch):
    monkeypatch.setenv("XLA_PYTHON_CLIENT_PREALLOCATE", "false")
    jax = pytest.importorskip("jax")
    if jax.default_backend() != "gpu":
        pytest.skip("this JAX finds no GPU")
    x = jax.random.normal(jax.random.key(1), (4000,))
    result = bitune.sort(x)
    assert isinstance(result, jax.Array) and (result == jax.numpy.sort(x)).all()
    assert (bitune.argsort(x, index_dtype="int32") == jax.numpy.argsort(x, stable=True)).all()


def test_prepare_and_explain():
    x = keys(2222, dtype="int64")
    bitune.prepare(x)
    told = bitune.explain(x)
    assert told["configuration"] and told["reason"] and told["launches"]


def test_other_gpus_are_refused():
    with pytest.raises(ValueError, match="^device: "):
        bitune.sort(keys(8), device="emulated")
