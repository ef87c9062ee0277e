"""What a located edit has on the device: the return of its round is compared with it soon."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from convergebench.metrics._gpu.pictures import brought
from convergebench.metrics.regions.footprint import LocatedEdit
from convergebench.types import Pixels

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from torch import Tensor


class LocatedParts(NamedTuple):
    """Of edits of one size, along the first axis."""

    small: Tensor
    """Forward pictures at the footprint's size, aligned to their inputs."""
    masks: Tensor
    cores: Tensor

    def rows(self) -> Tensor:
        """All bytes of each edit in one row."""
        import torch

        return torch.cat([part.flatten(1) for part in self], dim=1)

    @classmethod
    def of_rows(cls, rows: Tensor, height: int, width: int) -> LocatedParts:
        import torch

        size = height * width
        small, masks, cores = rows[:, : 3 * size], rows[:, 3 * size : 4 * size], rows[:, 4 * size :]
        return cls(
            small.view(-1, height, width, 3),
            *(part.view(-1, height, width).view(torch.bool) for part in (masks, cores)),
        )


class EditOnDevice(NamedTuple):
    """A row of `LocatedParts`."""

    numbers: Tensor
    height: int
    width: int

    def small(self) -> Pixels:
        """On the processor, where hardly any edit needs it."""
        pixels: Pixels = self.numbers[: 3 * self.height * self.width].cpu().numpy()
        return pixels.reshape(self.height, self.width, 3)


def located_parts(edits: Sequence[LocatedEdit], device: str) -> LocatedParts:
    """Of edits of one size; those that were located elsewhere are copied to the device together."""
    import torch

    rows = {place: _row(edit, device) for place, edit in enumerate(edits)}
    missing = [place for place, row in rows.items() if row is None]
    if missing:
        rows |= zip(missing, brought([_bytes(edits[place]) for place in missing], device), strict=True)
    height, width = edits[0].footprint.mask.shape
    known = [row for row in rows.values() if row is not None]
    return LocatedParts.of_rows(torch.stack(known), height, width)


def _row(edit: LocatedEdit, device: str) -> Tensor | None:
    there = edit.on_device
    if isinstance(there, EditOnDevice) and there.numbers.device.type == device:
        return there.numbers
    return None


def _bytes(edit: LocatedEdit) -> NDArray[np.uint8]:
    parts = (edit.small, edit.footprint.mask, edit.footprint.core)
    return np.concatenate([part.ravel().view(np.uint8) for part in parts])
