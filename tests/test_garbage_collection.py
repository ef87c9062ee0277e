from __future__ import annotations

import gc
from collections.abc import Iterator

import pytest

from convergebench.garbage_collection import OBJECTS_PER_COLLECTION, rare_garbage_collection


@pytest.fixture(autouse=True)
def usual_collection() -> Iterator[None]:
    usual = gc.get_threshold()
    yield
    gc.set_threshold(*usual)


def test_garbage_is_looked_for_rarely_and_afterwards_as_before() -> None:
    gc.set_threshold(700, 11, 12)
    with rare_garbage_collection():
        assert gc.get_threshold() == (OBJECTS_PER_COLLECTION, 11, 12)
    assert gc.get_threshold() == (700, 11, 12)


def test_it_is_as_before_after_an_error_too() -> None:
    gc.set_threshold(700, 11, 12)
    with pytest.raises(ZeroDivisionError), rare_garbage_collection():
        raise ZeroDivisionError
    assert gc.get_threshold() == (700, 11, 12)


@pytest.mark.parametrize("wanted", [0, 2 * OBJECTS_PER_COLLECTION])
def test_who_wants_it_never_or_more_rarely_keeps_that(wanted: int) -> None:
    gc.set_threshold(wanted, 11, 12)
    with rare_garbage_collection():
        assert gc.get_threshold()[0] == wanted
