"""top_k on a GPU: against a stable sort of PyTorch, whose own topk may give equal elements in any order."""

import pytest

import bitune
from conftest import torch_with_gpu

torch = torch_with_gpu()

import bitune.torch  # noqa: E402, F401


def keys(*shape, dtype="float32", seed=1):
    """Random keys of few values, so that there are equal ones."""
    generator = torch.Generator("cuda").manual_seed(seed)
    return torch.randint(0, 100, shape, generator=generator, device="cuda").to(getattr(torch, dtype))


def first(x, k, dim=-1, largest=True):
    """The first k of a stable sort."""
    found = torch.sort(x, dim=dim, descending=largest, stable=True)
    return found.values.narrow(dim, 0, k), found.indices.narrow(dim, 0, k)


def assert_is_first(found, x, k, dim=-1, largest=True):
    values, indices = first(x, k, dim, largest)
    assert found[0].dtype == x.dtype and found[0].shape == values.shape
    assert torch.equal(found[0], values) and torch.equal(found[1].long(), indices)


@pytest.mark.parametrize("dtype", ["uint8", "int16", "bfloat16", "float16", "int32", "float32", "int64", "float64"])
@pytest.mark.parametrize("largest", [True, False])
def test_types(dtype, largest):
    x = keys(64, 1000, dtype=dtype)
    assert_is_first(bitune.top_k(x, 50, largest=largest), x, 50, largest=largest)


@pytest.mark.parametrize("n, k", [(1, 1), (33, 33), (5000, 1), (5000, 100), (1 << 20, 100), (1 << 20, 5000), (1 << 22, 1 << 18)])
def test_arrays(n, k):
    x = torch.randn(n, device="cuda")
    assert_is_first(bitune.top_k(x, k), x, k)
    assert_is_first(bitune.top_k(x, k, largest=False, index_dtype=torch.int32), x, k, largest=False)


@pytest.mark.parametrize("rows, n, k", [(4096, 128, 8), (300, 5000, 50), (16, 131072, 64), (7, 50257, 2048)])
def test_rows(rows, n, k):
    """As many as experts, neighbours and vocabularies have."""
    x = torch.randn(rows, n, device="cuda")
    assert_is_first(bitune.top_k(x, k), x, k)


@pytest.mark.parametrize("axis", [0, 1, 2])
def test_axes_and_strides(axis):
    x = keys(30, 40, 50)
    for view in (x, x.transpose(0, 2), x[::3, 5:, ::2]):
        assert_is_first(bitune.top_k(view, 7, axis=axis), view, 7, dim=axis)


def test_sorted_is_for_the_array_api():
    x = keys(20, 300)
    ordered, as_they_come = bitune.top_k(x, 9), bitune.top_k(x, 9, sorted=False)
    assert torch.equal(ordered[0], as_they_come[0]) and torch.equal(ordered[1], as_they_come[1])


def test_like_torch():
    """Without equal elements both give the same."""
    x = torch.randperm(100000, device="cuda").view(10, 10000).float()
    for largest in (True, False):
        expected = torch.topk(x, 40, largest=largest)
        values, indices = bitune.top_k(x, 40, largest=largest)
        assert torch.equal(values, expected.values) and torch.equal(indices, expected.indices)


def test_nan_is_the_largest():
    x = torch.tensor([1.0, float("nan"), -float("inf"), float("inf"), float("nan")], device="cuda")
    assert bitune.top_k(x, 3)[1].tolist() == [1, 4, 3]
    assert bitune.top_k(x, 4, largest=False)[1].tolist() == [2, 0, 3, 1]


def test_gradient():
    x = torch.randn(6, 4000, device="cuda", requires_grad=True)
    other, weights = x.detach().clone().requires_grad_(), torch.randn(6, 31, device="cuda")
    (bitune.top_k(x, 31)[0] * weights).sum().backward()
    (torch.topk(other, 31).values * weights).sum().backward()
    assert torch.equal(x.grad, other.grad)
    rows = torch.randn(500, 6, device="cuda", requires_grad=True)
    bitune.top_k(rows, 3, axis=0, index_dtype="int32")[0].sum().backward()
    assert rows.grad.sum() == 18 and (rows.grad.sum(0) == 3).all()


@pytest.mark.parametrize("wants_gradient", [False, True])
def test_opcheck(wants_gradient):
    x = torch.randn(20, 700, device="cuda", requires_grad=wants_gradient)
    torch.library.opcheck(torch.ops.bitune.top_k, (x, 5, -1, True, "int64", "auto"))
    torch.library.opcheck(torch.ops.bitune.top_k, (x, 3, 0, False, "int32", "auto"))


def test_compile_without_a_break():
    def work(t):
        values, indices = bitune.top_k(t * 2, 20)
        return values + 1, indices

    x = torch.randn(5, 900, device="cuda")
    values, indices = torch.compile(work, fullgraph=True, backend="aot_eager")(x)
    expected = torch.topk(x * 2, 20)
    assert torch.equal(values, expected.values + 1) and torch.equal(indices, expected.indices)


def test_graph():
    x = keys(8, 20000)
    bitune.prepare(x, "top_k", k=30, descending=True)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        found = bitune.top_k(x, 30)
    for seed in (2, 3):
        x.copy_(keys(8, 20000, seed=seed))
        graph.replay()
        assert_is_first(found, x, 30)


def test_streams():
    x = keys(1 << 18)
    side = torch.cuda.Stream()
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        found = bitune.top_k(x * 3, 100)
    named = bitune.top_k(x, 100, stream=side)
    side.synchronize()
    assert_is_first(found, x * 3, 100)
    assert_is_first(named, x, 100)


def test_refusals():
    x = torch.zeros(3, device="cuda")
    with pytest.raises(ValueError, match="^k: from 1 to the 3 keys"):
        bitune.top_k(x, 4)
    with pytest.raises(TypeError, match="^k: "):
        bitune.top_k(x, 1.5)
