"""How often Python looks for garbage while results are made."""

from __future__ import annotations

import contextlib
import gc
from collections.abc import Iterator

OBJECTS_PER_COLLECTION = 50_000
"""New objects before Python looks again, instead of its own 700 or 2,000: nearly all that is made is kept.
With 700, it took a tenth of the time of judging; and where the objects of a loaded model are searched, too,
fewer results were measured on a GPU, by a fifth."""


@contextlib.contextmanager
def rare_garbage_collection() -> Iterator[None]:
    usual = gc.get_threshold()
    if 0 < usual[0] < OBJECTS_PER_COLLECTION:
        gc.set_threshold(OBJECTS_PER_COLLECTION, *usual[1:])
    try:
        yield
    finally:
        gc.set_threshold(*usual)
