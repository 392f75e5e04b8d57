"""The operator `torch.ops.bitune.top_k`. It is registered by bitune.torch."""

from __future__ import annotations

from typing import Any, Tuple

import torch
from torch import Tensor

from . import _top_k


@torch.library.custom_op("bitune::top_k", mutates_args=())
def top_k(
    x: Tensor, k: int, axis: int = -1, largest: bool = True, index_dtype: str = "int64", device: str = "auto"
) -> Tuple[Tensor, Tensor]:
    """As bitune.top_k."""
    found: Tuple[Tensor, Tensor] = _top_k.first_keys(x.detach(), k, axis, largest, index_dtype, None, device)
    return found


@top_k.register_fake
def _(
    x: Tensor, k: int, axis: int = -1, largest: bool = True, index_dtype: str = "int64", device: str = "auto"
) -> Tuple[Tensor, Tensor]:
    shape = list(x.shape)
    shape[axis] = k
    values = torch.empty(shape, dtype=x.dtype, device=x.device)
    return values, torch.empty(shape, dtype=getattr(torch, index_dtype), device=x.device)


def _keep_indices(ctx: Any, inputs: Tuple[Any, ...], output: Any) -> None:
    ctx.mark_non_differentiable(output[1])
    ctx.save_for_backward(output[1])
    ctx.shape, ctx.axis = inputs[0].shape, inputs[2]


def _backward(ctx: Any, values: Any, _: Any) -> Tuple[Any, ...]:
    """The gradient of each key goes back to where it stood."""
    if values is None:
        return (None,) * 6
    (indices,) = ctx.saved_tensors
    return (values.new_zeros(ctx.shape).scatter(ctx.axis, indices.long(), values), None, None, None, None, None)


top_k.register_autograd(_backward, setup_context=_keep_indices)
