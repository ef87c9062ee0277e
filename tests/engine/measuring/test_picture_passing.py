"""Pictures in memory that two processes share."""

from __future__ import annotations

import gc
import os
import socket

import numpy as np
import pytest

from convergebench.engine.measuring.picture_passing import (
    Channel,
    SeenRoom,
    SharedRoom,
    can_pass_pictures,
    received,
    shared_alone,
)
from convergebench.picture import Picture
from made_pictures import textured

pytestmark = pytest.mark.skipif(not can_pass_pictures(), reason="this system has no such memory")

PICTURE = Picture.from_pixels(textured(width=30, height=20, seed=1))
OTHER = Picture.from_pixels(textured(width=30, height=20, seed=2))


def test_pixels_are_the_same_on_the_other_side_and_cannot_be_changed_there() -> None:
    room = SharedRoom(2**20)
    [at] = room.place([PICTURE.pixels])
    assert at is not None
    seen = SeenRoom(os.dup(room.descriptor), lambda place: None).pixels(at, PICTURE.facts)
    np.testing.assert_array_equal(seen, PICTURE.pixels)
    with pytest.raises(ValueError, match="read-only"):
        seen[0, 0, 0] = 1


def test_a_place_is_free_when_the_last_view_of_it_is_gone() -> None:
    room = SharedRoom(2**20)
    released: list[int] = []
    [at] = room.place([PICTURE.pixels])
    assert at is not None
    seen = SeenRoom(os.dup(room.descriptor), released.append).pixels(at, PICTURE.facts)
    part = seen[5:, ::2]
    del seen
    gc.collect()
    assert released == []
    np.testing.assert_array_equal(part, PICTURE.pixels[5:, ::2])
    del part
    gc.collect()
    assert released == [at]


def test_a_place_is_used_again_once_it_is_released_and_not_before() -> None:
    room = SharedRoom(2**20)
    first, second = room.place([PICTURE.pixels, OTHER.pixels])
    assert first is not None and second is not None and first != second
    room.release([first])
    assert room.place([OTHER.pixels]) == [first]


def test_mapping_all_of_a_room_changes_nothing_in_it() -> None:
    room = SharedRoom(2**20)
    [at] = room.place([PICTURE.pixels])
    assert at is not None
    room.map_all()
    [other] = room.place([OTHER.pixels])
    assert other is not None
    seen = SeenRoom(os.dup(room.descriptor), lambda place: None)
    np.testing.assert_array_equal(seen.pixels(at, PICTURE.facts), PICTURE.pixels)
    np.testing.assert_array_equal(seen.pixels(other, OTHER.facts), OTHER.pixels)


def test_a_full_room_has_no_place() -> None:
    room = SharedRoom(4096)
    assert room.place([PICTURE.pixels, OTHER.pixels]) == [0, None]


def test_a_picture_in_memory_of_its_own_outlives_its_sender() -> None:
    with shared_alone(PICTURE.pixels) as descriptor:
        pixels = received(os.dup(descriptor), PICTURE.facts)
    np.testing.assert_array_equal(pixels, PICTURE.pixels)


def test_messages_arrive_in_order_with_what_came_with_them() -> None:
    one, other = (Channel(end) for end in socket.socketpair())
    with shared_alone(PICTURE.pixels) as descriptor:
        one.send("first", descriptor)
    one.send(list(range(1000)))
    first, descriptor = other.receive()
    assert first == "first" and descriptor is not None
    np.testing.assert_array_equal(received(descriptor, PICTURE.facts), PICTURE.pixels)
    assert other.receive() == (list(range(1000)), None)


def test_the_end_of_the_other_side_is_noticed() -> None:
    one, other = (Channel(end) for end in socket.socketpair())
    one.close()
    with pytest.raises(EOFError):
        other.receive()
