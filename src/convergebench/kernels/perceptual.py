"""A network whose features make two pictures comparable: from levels to features in one call.

Compiled like `convolution`, whose `available` says whether it can be used.
"""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from functools import cache, lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from convergebench import kernels
from convergebench.kernels.addresses import address
from convergebench.kernels.convolution import PackedKernel, empty_plane, kept_room, widest_lanes
from convergebench.types import Pixels

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Plane = NDArray[np.float32]


class Folding(NamedTuple):
    """How a kernel with a stride becomes one without: squares of stride × stride pixels are folded into
    channels."""

    side: int = 1
    """Of the kernel before."""
    stride: int = 1
    border: int = 0

    def kernel(self, given: NDArray[np.float32]) -> NDArray[np.float32]:
        """From outputs × channels × side × side, for a plane that is folded and has a border."""
        outputs, channels, side, _ = given.shape
        assert side == self.side
        cells = -(-side // self.stride)
        whole = np.zeros((outputs, channels, cells * self.stride, cells * self.stride), np.float32)
        whole[:, :, :side, :side] = given
        split = whole.reshape(outputs, channels, cells, self.stride, cells, self.stride)
        return split.transpose(0, 3, 5, 1, 2, 4).reshape(outputs, self.stride**2 * channels, cells, cells)


class Stage(NamedTuple):
    """A convolution, after pooling of this side where there is one. Its outputs are features if there are
    gains: each pixel's channels at unit length, times the gain of each."""

    kernel: PackedKernel
    pooled: int
    gains: NDArray[np.float32] | None


class FeatureDistances(NamedTuple):
    """At each stage with features, the mean squared difference of each pixel's; the sum of their means."""

    maps: tuple[NDArray[np.float32], ...]
    distance: float


class FeatureNetwork:
    """Safe to share between threads."""

    def __init__(
        self,
        folding: Folding,
        stages: Sequence[Stage],
        scale: NDArray[np.float32],
        shift: NDArray[np.float32],
        lanes: int | None = None,
    ) -> None:
        """`folding` comes before the first stage, which sees levels times the scale of their channel, plus
        its shift. `lanes` as for `convolved`."""
        self._stages, rows = stages, np.array([_words_of(stage) for stage in stages], np.int64)
        words = (
            *(scale.ctypes.data, shift.ctypes.data, folding.stride, folding.border, folding.side),
            *(rows.ctypes.data, len(stages), lanes or widest_lanes()),
        )
        network = np.array(words, np.int64)
        self._address, self._kept = network.ctypes.data, (network, rows, scale, shift)
        self._shapes = lru_cache(maxsize=64)(self._shapes_of)

    def features(self, picture: Pixels) -> tuple[Plane, ...]:
        picture = np.ascontiguousarray(picture)
        features = tuple(empty_plane(shape) for shape in self._shapes(*picture.shape[:2]).features)
        self._run(picture, features, None, None)
        return features

    def compared(self, features: Sequence[Plane], picture: Pixels) -> FeatureDistances:
        """The picture with the features of one of its size."""
        picture = np.ascontiguousarray(picture)
        shapes = self._shapes(*picture.shape[:2])
        assert [one.shape for one in features] == shapes.features
        room, means = np.empty(shapes.ends[-1], np.float32), np.empty(len(features))
        maps = tuple(
            room[start:end].reshape(shape[:2])
            for (start, end), shape in zip(pairwise(shapes.ends), shapes.features, strict=True)
        )
        self._run(picture, features, maps, means)
        return FeatureDistances(maps, float(means.sum()))

    def _run(
        self,
        picture: Pixels,
        features: Sequence[Plane],
        maps: Sequence[NDArray[np.float32]] | None,
        means: NDArray[np.float64] | None,
    ) -> None:
        height, width, _ = picture.shape
        room = kept_room(self._shapes(height, width).room)
        given = _addresses(features), maps and _addresses(maps), None if means is None else address(means)
        if _functions().run_network(self._address, address(picture), height, width, address(room), *given):
            raise MemoryError

    def _shapes_of(self, height: int, width: int) -> _Shapes:
        sizes = np.empty((len(self._stages), 2), np.int64)
        _functions().network_sizes(self._address, height, width, sizes.ctypes.data)
        features = [
            (int(rows), int(columns), len(stage.kernel.bias))
            for (rows, columns), stage in zip(sizes, self._stages, strict=True)
            if stage.gains is not None
        ]
        ends = np.cumsum([0, *(rows * columns for rows, columns, _ in features)]).tolist()
        return _Shapes(features, ends, int(_functions().network_room(self._address, height, width)))


class _Shapes(NamedTuple):
    """What follows from the size of a picture."""

    features: list[tuple[int, int, int]]
    ends: list[int]
    """Of the maps, if they lie one after the other; first of all 0."""
    room: int
    """Floats that are needed during a call."""


def _words_of(stage: Stage) -> tuple[int, ...]:
    kernel, gains = stage.kernel, stage.gains
    addresses = (
        kernel.weights.ctypes.data,
        kernel.bias.ctypes.data,
        0 if gains is None else gains.ctypes.data,
    )
    shape = (kernel.channels, len(kernel.bias), kernel.side, kernel.border, kernel.step, stage.pooled)
    return addresses + shape


def _addresses(arrays: Sequence[NDArray[np.float32]]) -> Any:
    return (ctypes.c_void_p * len(arrays))(*(address(array) for array in arrays))


@cache
def _functions() -> Any:
    library = kernels.loaded()
    pointer, size = ctypes.c_void_p, ctypes.c_int64
    library.network_room.argtypes, library.network_room.restype = (pointer, size, size), size
    library.network_sizes.argtypes, library.network_sizes.restype = (pointer, size, size, pointer), None
    library.run_network.argtypes = (pointer, pointer, size, size, *[pointer] * 4)
    return library
