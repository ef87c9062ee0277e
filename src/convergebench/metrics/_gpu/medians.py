"""Medians of many rows at once."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from torch import Tensor


def medians_within(values: Tensor, there: Tensor) -> Tensor:
    """Along the last axis, of the values that are there; 0 without any."""
    import torch

    ordered = values.masked_fill(~there, torch.inf).sort(dim=-1).values
    count = there.sum(-1)
    low, high = ((each.clamp(min=0))[..., None] for each in ((count - 1) // 2, count // 2))
    high = torch.minimum(high, (count - 1).clamp(min=0)[..., None])
    middle = (ordered.gather(-1, low) + ordered.gather(-1, high))[..., 0] / 2
    return torch.where(count > 0, middle, 0.0)
