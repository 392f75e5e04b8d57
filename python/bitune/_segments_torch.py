"""The operator `torch.ops.bitune.segmented_sort`. It is registered by bitune.torch."""

from __future__ import annotations

from typing import Any, Optional, Tuple

import torch
from torch import Tensor

from . import _segments


@torch.library.custom_op("bitune::segmented_sort", mutates_args=())
def segmented_sort(
    x: Tensor,
    offsets: Tensor,
    ends: Optional[Tensor] = None,
    descending: bool = False,
    stable: bool = True,
    device: str = "auto",
) -> Tensor:
    """As bitune.segmented_sort."""
    found: Tensor = _segments.sort_segments(x.detach(), offsets, ends, descending, None, None, device)
    return found


@segmented_sort.register_fake
def _(
    x: Tensor,
    offsets: Tensor,
    ends: Optional[Tensor] = None,
    descending: bool = False,
    stable: bool = True,
    device: str = "auto",
) -> Tensor:
    return torch.empty(x.shape, dtype=x.dtype, device=x.device)


def _keep(ctx: Any, inputs: Tuple[Any, ...], output: Any) -> None:
    x, offsets, ends, ctx.descending, _, ctx.device = inputs
    # Where both are given, elements in no segment have a place, too.
    ctx.save_for_backward(x, offsets if ends is not None else offsets[:-1], ends if ends is not None else offsets[1:])


def _backward(ctx: Any, gradient: Any) -> Tuple[Any, ...]:
    """Forward writes no indices: backward sorts places with the keys, and each gradient goes back to where its element was."""
    x, begins, ends = ctx.saved_tensors
    places = torch.arange(x.shape[0], device=x.device)
    _, places = _segments.sort_segment_pairs(x.detach(), places, begins, ends, ctx.descending, True, None, ctx.device)
    return (torch.zeros_like(gradient).scatter(0, places, gradient), None, None, None, None, None)


segmented_sort.register_autograd(_backward, setup_context=_keep)
