"""Exchanges pictures with other programs as files."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from convergebench.errors import BadPicture
from convergebench.types import BadOutput, EditRequest, Refused

if TYPE_CHECKING:
    from convergebench.picture import Picture


def only_picture(request: EditRequest) -> Picture:
    if len(request.images) != 1:
        raise Refused(f"takes one picture, got {len(request.images)}")
    return request.image


def hand_over(request: EditRequest, path: Path) -> None:
    """Write the request's only picture as a PNG file."""
    from convergebench.picture import Picture

    picture = only_picture(request)
    if picture.facts.media_type != "image/png":
        picture = Picture.from_pixels(picture.pixels)
    path.write_bytes(picture.encoded)


def take_back(path: Path) -> Picture:
    """The picture in a file that another program wrote, with its bytes unchanged."""
    from convergebench.picture import Picture

    if not path.is_file():
        raise BadOutput("no picture was written")
    try:
        return Picture.from_bytes(path.read_bytes())
    except BadPicture as error:
        raise BadOutput(str(error)) from error
