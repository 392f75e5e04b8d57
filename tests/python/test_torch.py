"""PyTorch as a citizen: operators, compiling, gradients. Tensors of the CPU go to the emulated device."""

import functools

import pytest

torch = pytest.importorskip("torch")

import bitune  # noqa: E402
import bitune.torch  # noqa: E402, F401

EMULATED = {"device": "emulated"}
SORT = (-1, False, True, "emulated")


def keys(*shape, **options):
    return torch.randn(*shape, generator=torch.Generator().manual_seed(1), **options)


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16, torch.float16, torch.int64, torch.uint8])
@pytest.mark.parametrize("axis", [0, 1, -1])
def test_sort(dtype, axis):
    x = (100 * keys(5, 9, 4)).abs().to(dtype)
    result = bitune.sort(x, axis=axis, **EMULATED)
    assert result.dtype == dtype and result.is_contiguous()
    assert torch.equal(result, torch.sort(x, dim=axis).values)


def test_sort_into_a_view():
    x, target = keys(6, 8), torch.zeros(6, 10)
    assert bitune.sort(x[:, 1:5], out=target[:, 2:6], **EMULATED).data_ptr() == target[:, 2:].data_ptr()
    assert torch.equal(target[:, 2:6], torch.sort(x[:, 1:5]).values)
    assert not target[:, :2].any() and not target[:, 6:].any()


def test_argsort():
    x = torch.tensor([2, 1, 2, 1])
    assert bitune.argsort(x, index_dtype=torch.int32, **EMULATED).tolist() == [1, 3, 0, 2]
    assert bitune.argsort(x, descending=True, **EMULATED).tolist() == [0, 2, 1, 3]


def test_gradient_of_sort():
    x, weights = keys(50).requires_grad_(), keys(50)
    other = x.detach().clone().requires_grad_()
    (bitune.sort(x, descending=True, **EMULATED) * weights).sum().backward()
    (torch.sort(other, descending=True).values * weights).sum().backward()
    assert torch.equal(x.grad, other.grad)


@pytest.mark.parametrize("compiled", [False, True])
@pytest.mark.parametrize("index_dtype", [torch.int64, torch.int32])
def test_gradient_of_keys_with_indices(index_dtype, compiled):
    x, weights = keys(6, 9).requires_grad_(), keys(6, 9)
    other = x.detach().clone().requires_grad_()
    call = functools.partial(bitune.argsort, axis=0, index_dtype=index_dtype, return_keys=True, **EMULATED)
    if compiled:
        call = torch.compile(call, fullgraph=True, backend="aot_eager")
    indices, sorted_keys = call(x)
    (sorted_keys * weights).sum().backward()
    (torch.sort(other, dim=0).values * weights).sum().backward()
    assert torch.equal(x.grad, other.grad)
    assert not indices.requires_grad and not bitune.argsort(x, **EMULATED).requires_grad


def test_gradient_of_pairs():
    x = torch.tensor([2.0, 1.0, 2.0], requires_grad=True)
    values = torch.tensor([5.0, 6.0, 7.0], requires_grad=True)
    sorted_keys, sorted_values = bitune.sort_by_key(x, values, **EMULATED)
    (sorted_values * torch.tensor([1.0, 10.0, 100.0])).sum().backward()
    assert values.grad.tolist() == [10, 1, 100]
    with pytest.raises(ValueError, match="^stable: "):
        bitune.sort_by_key(x, values, stable=False, **EMULATED)[1].sum().backward()


def test_compile_without_a_break():
    compiled = torch.compile(lambda t: bitune.sort(t * 2, **EMULATED) + 1, fullgraph=True, backend="aot_eager")
    x = keys(40)
    assert torch.equal(compiled(x), torch.sort(x * 2).values + 1)


@pytest.mark.parametrize("wants_gradient", [False, True])
def test_opcheck(wants_gradient):
    x, values = keys(20, requires_grad=wants_gradient), keys(20, requires_grad=wants_gradient)
    torch.library.opcheck(torch.ops.bitune.sort, (x, *SORT))
    # Where the first result is of integers, its check of gradients cannot add up the results.
    torch.library.opcheck(torch.ops.bitune.argsort, (x.detach(), -1, False, True, "int32", True, "emulated"))
    torch.library.opcheck(torch.ops.bitune.sort_by_key, (x, values, *SORT))


def test_refusals():
    with pytest.raises(TypeError, match="^x: "):
        bitune.sort(torch.tensor([True]), **EMULATED)
    with pytest.raises(TypeError, match="^x: "):
        bitune.sort(torch.eye(2).to_sparse(), **EMULATED)
    with pytest.raises(TypeError, match="^values: "):
        bitune.sort_by_key(torch.zeros(2), torch.zeros(2).numpy(), **EMULATED)
    with pytest.raises(TypeError, match="^values: a sparse"):
        bitune.sort_by_key(torch.zeros(2), torch.zeros(2).to_sparse(), **EMULATED)
