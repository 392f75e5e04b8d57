"""The path of arrays in a GPU's memory, on the emulated device, whose memory is the host's.

Tensors of the CPU are said to lie on GPU 0. Everything else is as there: rows with gaps go to the library as they are,
the workspace comes from PyTorch, and what is not prepared is refused while a stream is captured.
"""

import threading

import pytest

torch = pytest.importorskip("torch")

import bitune  # noqa: E402
import bitune.torch  # noqa: E402, F401
from bitune import _arrays, _calls, _functions, _sorters, _tensors  # noqa: E402


@pytest.fixture(params=["module", "python"])
def gpu(monkeypatch, request):
    if request.param == "python":
        for function in _tensors.in_python:
            monkeypatch.setattr(_tensors, function.__name__, function)
    elif _tensors.sort in _tensors.in_python:
        pytest.skip("the module _short_way is not there")
    kind = _arrays.kind_of(torch.zeros(1))
    emulated = _sorters.sorter_named("emulated")
    emulated.workspaces.clear()
    taken = []

    def workspace(size, _gpu):
        taken.append(size)
        memory = torch.empty(size + 256, dtype=torch.uint8)
        return memory, memory.data_ptr() + -memory.data_ptr() % 256

    monkeypatch.setattr(kind, "location", lambda x: 0, raising=False)
    monkeypatch.setattr(kind, "current_stream", lambda gpu: 0, raising=False)
    monkeypatch.setattr(kind, "workspace", workspace, raising=False)
    monkeypatch.setattr(kind, "is_capturing", lambda: False, raising=False)
    monkeypatch.setattr(_calls, "sorter_for_gpu", lambda ordinal, device: emulated)
    bitune._short.calls.clear()
    yield kind, taken
    bitune._short.calls.clear()


@pytest.fixture
def no_long_way(monkeypatch):
    """After it is called, only the short way works."""

    def refuse(*_, **__):
        raise AssertionError("the long way was taken")

    return lambda: [monkeypatch.setattr(bitune, name, refuse) for name in ("sort_keys", "sort_indices", "sort_pairs")]


def test_rows_with_gaps(gpu):
    x = torch.randint(0, 100, (6, 9, 20), dtype=torch.int32)
    target = torch.full((6, 9, 20), -1, dtype=torch.int32)
    result = bitune.sort(x[:, :, 3:11], out=target[:, :, 5:13])
    assert torch.equal(result, torch.sort(x[:, :, 3:11]).values)
    assert (target[:, :, :5] == -1).all() and (target[:, :, 13:] == -1).all()


@pytest.mark.parametrize("axis", [0, 1, 2])
def test_axes(gpu, axis):
    x = torch.randn(4, 5, 6)
    assert torch.equal(bitune.sort(x, axis=axis), torch.sort(x, dim=axis).values)


def test_workspace_is_the_librarys_own(gpu):
    _, taken = gpu
    x = torch.randint(0, 50, (20000,))
    assert torch.equal(bitune.argsort(x), torch.argsort(x, stable=True))
    assert len(taken) == 1 and taken[0] > 0


@pytest.mark.parametrize("shape", [(500,), (7, 90), (1,), (2, 1, 40)])
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16, torch.int64, torch.uint8])
def test_packed_tensors_go_the_short_way(gpu, no_long_way, shape, dtype):
    no_long_way()
    x = torch.randint(0, 100, shape).to(dtype)
    for descending in (False, True, True):
        result = bitune.sort(x, descending=descending)
        assert torch.equal(result, torch.sort(x, descending=descending).values)
        assert result.data_ptr() != x.data_ptr() and result.is_contiguous()


def test_out_goes_the_short_way(gpu, no_long_way):
    no_long_way()
    x, target = torch.randn(7, 90), torch.empty(7, 90)
    expected = torch.sort(x).values
    for _ in range(2):
        assert bitune.sort(x, out=target) is target and torch.equal(target, expected)
        target.zero_()
    assert bitune.sort(x, out=x) is x and torch.equal(x, expected)
    with pytest.raises(ValueError, match="overlap"):
        bitune.sort(target.view(-1)[:400], out=target.view(-1)[200:600])


def test_short_way_of_indices_and_pairs(gpu, no_long_way):
    no_long_way()
    x, values = torch.randint(0, 9, (300,)), torch.arange(300.0)
    for descending in (False, True):
        expected = torch.sort(x, stable=True, descending=descending)
        indices, keys = bitune.argsort(x, descending=descending, return_keys=True)
        assert torch.equal(indices, expected.indices) and torch.equal(keys, expected.values)
        short = bitune.argsort(x, descending=descending, index_dtype="int32")
        assert short.dtype == torch.int32 and torch.equal(short.long(), expected.indices)
        sorted_keys, sorted_values = bitune.sort_by_key(x, values, descending=descending)
        assert torch.equal(sorted_keys, expected.values) and torch.equal(sorted_values, values[expected.indices])


def test_what_the_short_way_leaves_to_the_long_one(gpu):
    """Calls that differ in nothing but what is asked here from one that went the short way before."""
    x = torch.randn(8, 8)
    assert torch.equal(bitune.sort(x), torch.sort(x).values)
    assert torch.equal(bitune.sort(x.t()), torch.sort(x.t()).values)
    assert torch.equal(bitune.sort(x, axis=0), torch.sort(x, dim=0).values)
    negated = torch.complex(x, x).conj().imag
    assert torch.equal(bitune.sort(torch._neg_view(x)), torch.sort(-x).values)
    assert torch.equal(bitune.sort(negated), torch.sort(-x).values)
    order = torch.argsort(x[0])
    for values in (torch.complex(x, -x)[0], torch.complex(x, x).conj()[0]):
        assert torch.equal(bitune.sort_by_key(x[0], values)[1], values[order])
    with pytest.raises(TypeError, match="^x: "):
        bitune.sort(torch.eye(8).to_sparse())
    with pytest.raises(TypeError, match="^axis: "):
        bitune.sort(x, axis=-1.0)
    with pytest.raises(ValueError, match="^axis: "):
        bitune.sort(x, axis=2)
    with pytest.raises(TypeError, match="^index_dtype: "):
        bitune.argsort(x[0], index_dtype=[])
    with pytest.raises(ValueError, match="^values: "):
        bitune.sort_by_key(x[0], x[0, :7])
    assert torch.equal(bitune.sort(x, out=torch.empty(8, 8).t()), torch.sort(x).values)
    with pytest.raises(ValueError, match="^out: "):
        bitune.sort(x, out=torch.empty(4, 8))
    with pytest.raises(TypeError, match="^out: "):
        bitune.sort(x, out=torch.empty(8, 8, dtype=torch.float64))
    with pytest.raises(TypeError, match="^out: "):
        bitune.sort(x, out=torch.empty(8, 8).numpy())
    wanted = x[0].clone().requires_grad_()
    (bitune.sort(wanted) * torch.arange(8.0)).sum().backward()
    assert wanted.grad.sum() == 28


def test_the_short_way_forgets_sorters(gpu):
    bitune.sort(torch.randn(9))
    assert bitune._short.calls
    _sorters.forget_sorters()
    assert not bitune._short.calls


def test_threads_of_the_short_way(gpu):
    x, wrong = torch.randn(64), []

    def work():
        for _ in range(50):
            if not torch.equal(bitune.sort(x), torch.sort(x).values):
                wrong.append(1)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_capture_wants_a_prepared_problem(gpu, monkeypatch):
    kind, _ = gpu
    monkeypatch.setattr(kind, "is_capturing", lambda: True, raising=False)
    x = torch.randn(123)
    with pytest.raises(bitune.Error, match="bitune.prepare") as caught:
        bitune.sort(x)
    assert caught.value.code == "capture"
    bitune.prepare(x)
    assert torch.equal(bitune.sort(x), torch.sort(x).values)


class ProtocolStream:
    def __cuda_stream__(self):
        return (0, 77)


def test_addresses_of_streams():
    assert _arrays.stream_pointer(5) == 5
    assert _arrays.stream_pointer(ProtocolStream()) == 77
    with pytest.raises(TypeError, match="^stream: "):
        _arrays.stream_pointer("default")


def test_a_gpus_array_is_sorted_there():
    with pytest.raises(ValueError, match="^device: "):
        _sorters.sorter_for_gpu(0, "emulated")


@pytest.mark.parametrize("return_keys", [False, True])
def test_indices_of_long_arrays_are_made_wider(gpu, no_long_way, monkeypatch, return_keys):
    monkeypatch.setattr(_functions, "WIDEN_FROM", 400)
    no_long_way()
    x = torch.randint(0, 30, (500,))
    found = bitune.argsort(x, return_keys=return_keys)
    indices = found[0] if return_keys else found
    assert indices.dtype == torch.int64
    assert torch.equal(indices, torch.argsort(x, stable=True))
