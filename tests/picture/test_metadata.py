from __future__ import annotations

import io
from typing import Any

import numpy as np
import pytest
from PIL import Image, PngImagePlugin

from convergebench.picture import Picture
from convergebench.picture.metadata import without_metadata
from made_pictures import textured

SECRET = "taken at /home/jane"


def file_of(kind: str, **options: Any) -> bytes:
    file = io.BytesIO()
    Image.fromarray(textured()).save(file, kind, **options)
    return file.getvalue()


def exif(orientation: int = 1) -> Image.Exif:
    found = Image.Exif()
    found[0x010E], found[0x0112] = SECRET, orientation
    return found


def png_text() -> PngImagePlugin.PngInfo:
    text = PngImagePlugin.PngInfo()
    text.add_text("prompt", SECRET)
    return text


FILES = {
    "PNG text": file_of("PNG", pnginfo=png_text()),
    "PNG EXIF": file_of("PNG", exif=exif()),
    "JPEG EXIF": file_of("JPEG", exif=exif()),
    "JPEG comment": file_of("JPEG", comment=SECRET),
    "progressive JPEG": file_of("JPEG", progressive=True, exif=exif()),
    "turned JPEG": file_of("JPEG", exif=exif(orientation=6)),
    "WebP": file_of("WEBP", exif=exif(), lossless=True),
    "TIFF": file_of("TIFF", description=SECRET),
    "data behind the end": file_of("PNG") + SECRET.encode(),
}


@pytest.mark.parametrize("data", FILES.values(), ids=FILES)
def test_metadata_are_gone_and_every_pixel_stays(data: bytes) -> None:
    assert SECRET.encode() in data
    plain = without_metadata(data)
    assert SECRET.encode() not in plain
    assert np.array_equal(Picture.from_bytes(plain).pixels, Picture.from_bytes(data).pixels)
    assert without_metadata(plain) == plain


@pytest.mark.parametrize("kind", ["PNG", "JPEG", "WEBP", "BMP"])
def test_a_file_without_metadata_stays_as_it_is(kind: str) -> None:
    data = file_of(kind)
    assert without_metadata(data) is data
    assert (
        without_metadata(Picture.from_pixels(textured()).encoded) == Picture.from_pixels(textured()).encoded
    )


def test_a_kind_that_can_be_cut_stays_the_same_kind() -> None:
    assert Picture.from_bytes(without_metadata(FILES["JPEG EXIF"])).facts.media_type == "image/jpeg"
