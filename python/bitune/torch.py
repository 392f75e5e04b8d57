"""Operators of PyTorch: `torch.ops.bitune.sort`, `argsort`, `sort_by_key`, `top_k` and `segmented_sort`.

They can be compiled (`torch.compile(fullgraph=True)`), and have gradients: those of argsort are of the keys that it returns.
`bitune.sort` and its sisters call them where they must; import this module where you use `torch.ops.bitune` yourself.
"""

from __future__ import annotations

import sys
from types import SimpleNamespace
from typing import Any, Tuple

import torch
from torch import Tensor

import bitune

from . import _functions
from ._segments_torch import segmented_sort as segmented_sort
from ._tensors import ShortWay
from ._top_k_torch import top_k as top_k

_plain = (Tensor, torch.nn.Parameter)


def wants_operator(x: Any) -> bool:
    """Whether PyTorch must see an operator: it compiles, wants a gradient, or x is a tensor of another class."""
    if torch.compiler.is_compiling():
        return isinstance(x, Tensor)
    if not isinstance(x, Tensor):
        return False
    return (x.requires_grad and torch.is_grad_enabled()) or type(x) not in _plain


@torch.library.custom_op("bitune::sort", mutates_args=())
def sort(x: Tensor, axis: int = -1, descending: bool = False, stable: bool = True, device: str = "auto") -> Tensor:
    """As bitune.sort."""
    found: Tensor = _functions.sort_keys(x.detach(), axis, descending, None, None, device)
    return found


@torch.library.custom_op("bitune::argsort", mutates_args=())
def argsort(
    x: Tensor,
    axis: int = -1,
    descending: bool = False,
    stable: bool = True,
    index_dtype: str = "int64",
    return_keys: bool = False,
    device: str = "auto",
) -> Tuple[Tensor, Tensor]:
    """As bitune.argsort; the keys are empty where they were not asked for."""
    indices, keys = _functions.sort_indices(
        x.detach(), axis, descending, stable, index_dtype, return_keys, None, None, device
    )
    return indices, x.new_empty((0,)) if keys is None else keys


@torch.library.custom_op("bitune::sort_by_key", mutates_args=())
def sort_by_key(
    keys: Tensor, values: Tensor, axis: int = -1, descending: bool = False, stable: bool = True, device: str = "auto"
) -> Tuple[Tensor, Tensor]:
    """As bitune.sort_by_key."""
    found: Tuple[Tensor, Tensor] = _functions.sort_pairs(
        keys.detach(), values.detach(), axis, descending, stable, None, device
    )
    return found


def _like(x: Tensor, dtype: Any = None) -> Tensor:
    return torch.empty(x.shape, dtype=x.dtype if dtype is None else dtype, device=x.device)


@sort.register_fake
def _(x: Tensor, axis: int = -1, descending: bool = False, stable: bool = True, device: str = "auto") -> Tensor:
    return _like(x)


@argsort.register_fake
def _(
    x: Tensor,
    axis: int = -1,
    descending: bool = False,
    stable: bool = True,
    index_dtype: str = "int64",
    return_keys: bool = False,
    device: str = "auto",
) -> Tuple[Tensor, Tensor]:
    return _like(x, getattr(torch, index_dtype)), _like(x) if return_keys else x.new_empty((0,))


@sort_by_key.register_fake
def _(
    keys: Tensor, values: Tensor, axis: int = -1, descending: bool = False, stable: bool = True, device: str = "auto"
) -> Tuple[Tensor, Tensor]:
    return _like(keys), _like(values)


def _keep_keys(ctx: Any, inputs: Tuple[Any, ...], output: Any) -> None:
    """Forward writes no indices: who needs no gradient does not pay for them. Backward finds them again."""
    ctx.save_for_backward(inputs[0])
    ctx.arguments = inputs[-4:]


def _scattered(ctx: Any, *gradients: Any) -> Tuple[Any, ...]:
    """Each gradient goes back to where its element came from."""
    (keys,) = ctx.saved_tensors
    axis, descending, _, device = ctx.arguments
    # Stable, so that equal keys and their values are paired as the forward pass paired them. Unstable ones may be
    # paired otherwise: any pairing is a subgradient of keys, and values are refused below.
    indices, _ = torch.ops.bitune.argsort(keys, axis, descending, True, "int64", False, device)
    return tuple(
        None if gradient is None else torch.zeros_like(gradient).scatter(axis, indices, gradient) for gradient in gradients
    )


def _sort_backward(ctx: Any, gradient: Any) -> Tuple[Any, ...]:
    return (*_scattered(ctx, gradient), None, None, None, None)


def _pairs_backward(ctx: Any, keys: Any, values: Any) -> Tuple[Any, ...]:
    if values is not None and not ctx.arguments[2]:
        raise ValueError("stable: values have a gradient only where equal keys keep their order; sort with stable=True")
    return (*_scattered(ctx, keys, values), None, None, None, None)


def _keep_indices(ctx: Any, inputs: Tuple[Any, ...], output: Any) -> None:
    indices, _ = output
    _, ctx.axis, _, _, _, return_keys, _ = inputs
    ctx.mark_non_differentiable(*(output[:1] if return_keys else output))
    ctx.save_for_backward(indices)


def _argsort_backward(ctx: Any, _: Any, keys: Any) -> Tuple[Any, ...]:
    (indices,) = ctx.saved_tensors
    found = None if keys is None else torch.zeros_like(keys).scatter(ctx.axis, indices.long(), keys)
    return (found, None, None, None, None, None, None)


argsort.register_autograd(_argsort_backward, setup_context=_keep_indices)
sort.register_autograd(_sort_backward, setup_context=_keep_keys)
sort_by_key.register_autograd(_pairs_backward, setup_context=_keep_keys)

operators = SimpleNamespace(
    sort=torch.ops.bitune.sort,
    argsort=torch.ops.bitune.argsort,
    sort_by_key=torch.ops.bitune.sort_by_key,
    top_k=torch.ops.bitune.top_k,
    segmented_sort=torch.ops.bitune.segmented_sort,
)
bitune._torch = sys.modules[__name__]
bitune._short = ShortWay()
