"""The path of arrays in a GPU's memory, on the emulated device, whose memory is the host's.

Tensors of the CPU are said to lie on GPU 0. Everything else is as there: rows with gaps go to the library as they are,
the workspace comes from PyTorch, and what is not prepared is refused while a stream is captured.
"""

import pytest

torch = pytest.importorskip("torch")

import bitune  # noqa: E402
from bitune import _arrays, _functions, _sorters  # noqa: E402


@pytest.fixture
def gpu(monkeypatch):
    kind = _arrays.kind_of(torch.zeros(1))
    emulated = _sorters.sorter_named("emulated")
    taken = []

    def workspace(size, _gpu):
        taken.append(size)
        memory = torch.empty(size + 256, dtype=torch.uint8)
        return memory, memory.data_ptr() + -memory.data_ptr() % 256

    monkeypatch.setattr(kind, "location", lambda x: 0, raising=False)
    monkeypatch.setattr(kind, "current_stream", lambda gpu: 0, raising=False)
    monkeypatch.setattr(kind, "workspace", workspace, raising=False)
    monkeypatch.setattr(kind, "is_capturing", lambda: False, raising=False)
    monkeypatch.setattr(_functions, "sorter_for_gpu", lambda ordinal, device: emulated)
    return kind, taken


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
    x = torch.randint(0, 50, (3000,))
    assert torch.equal(bitune.argsort(x), torch.argsort(x, stable=True))
    assert len(taken) == 1 and taken[0] > 0


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
