"""Values that several metrics of a set need of the same pictures: computed once for all of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any, TypeVar

from convergebench.types import Pixels

if TYPE_CHECKING:
    from torch import Tensor

_Value = TypeVar("_Value")

_known: ContextVar[dict[tuple[object, ...], tuple[Any, Any]] | None] = ContextVar("known", default=None)


@contextmanager
def sharing() -> Iterator[None]:
    """Within it, `shared` remembers. No picture may change meanwhile."""
    token = _known.set({})
    try:
        yield
    finally:
        _known.reset(token)


def shared(function: Callable[..., _Value], *pictures: Pixels | Tensor) -> _Value:
    """The function of these pictures; within `sharing`, computed once for the same arrays or tensors."""
    known = _known.get()
    if known is None:
        return function(*pictures)
    key = (function, *map(id, pictures))
    if key not in known:
        known[key] = pictures, function(*pictures)  # the pictures too, so that their ids stay their own
    value: _Value = known[key][1]
    return value
