"""Reads arrays from torch's legacy checkpoint format, without torch."""

from __future__ import annotations

import io
import pickle
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

_HEADER_PICKLES = 3
"""A magic number, the protocol's version, and the sizes of C's types."""


def read_vectors(content: bytes) -> dict[str, NDArray[np.float32]]:
    """The tensors of a flat checkpoint by name, each as one row of numbers.

    Raises UnpicklingError for anything but a dictionary of contiguous float32 tensors.
    """
    stream = io.BytesIO(content)
    for _ in range(_HEADER_PICKLES):
        _TensorsOnly(stream).load()
    tensors = _TensorsOnly(stream).load()
    storages = {key: _next_storage(stream) for key in _TensorsOnly(stream).load()}
    if not all(isinstance(tensor, _Tensor) for tensor in tensors.values()):
        raise pickle.UnpicklingError("the checkpoint contains something other than tensors")
    return {name: storages[tensor.storage][: tensor.size] for name, tensor in tensors.items()}


def _next_storage(stream: io.BytesIO) -> NDArray[np.float32]:
    count = int(np.frombuffer(stream.read(8), "<i8")[0])
    return np.frombuffer(stream.read(4 * count), "<f4")


@dataclass(frozen=True)
class _Tensor:
    storage: str
    size: int


def _tensor(storage: str, offset: int, shape: tuple[int, ...], *_: Any) -> _Tensor:
    if offset:
        raise pickle.UnpicklingError("a tensor begins inside the storage of another tensor")
    return _Tensor(storage, int(np.prod(shape)))


class _TensorsOnly(pickle.Unpickler):
    """Reads descriptions of tensors, and refuses everything else that a pickle could run."""

    def find_class(self, module: str, name: str) -> Any:
        if (module, name) == ("torch._utils", "_rebuild_tensor_v2"):
            return _tensor
        if (module, name) in (("torch", "FloatStorage"), ("collections", "OrderedDict")):
            return dict
        raise pickle.UnpicklingError(f"{module}.{name} is not allowed in a file of weights")

    def persistent_load(self, pid: Any) -> str:
        _, _, key, *_ = pid
        return str(key)
