from __future__ import annotations

import hashlib
import io
import struct
import warnings
import zlib
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from numpy.testing import assert_array_equal
from PIL import Image

from convergebench.errors import BadPicture
from convergebench.picture import Picture, decode, encode_png, resized_to
from convergebench.types import Pixels
from made_pictures import textured

any_pixels = arrays.arrays(np.uint8, st.tuples(st.integers(1, 64), st.integers(1, 64), st.just(3)))


def saved(image: Image.Image, kind: str = "PNG", **options: Any) -> bytes:
    file = io.BytesIO()
    image.save(file, kind, **options)
    return file.getvalue()


def chunk(name: bytes, content: bytes) -> bytes:
    return struct.pack(">I", len(content)) + name + content + struct.pack(">I", zlib.crc32(name + content))


def png(width: int, height: int, bits: int, colour: int, rows: bytes = b"") -> bytes:
    header = struct.pack(">IIBBBBB", width, height, bits, colour, 0, 0, 0)
    body = chunk(b"IDAT", zlib.compress(rows))
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + body + chunk(b"IEND", b"")


# Our own files


@given(any_pixels)
def test_what_is_encoded_decodes_to_the_same_pixels(pixels: Pixels) -> None:
    decoded, media_type = decode(encode_png(pixels))
    assert_array_equal(decoded, pixels)
    assert media_type == "image/png"


@given(any_pixels)
def test_pillow_and_opencv_read_our_files_as_we_do(pixels: Pixels) -> None:
    data = encode_png(pixels)
    assert_array_equal(np.asarray(Image.open(io.BytesIO(data))), pixels)
    seen = cv2.imdecode(np.frombuffer(data, np.uint8), cv2.IMREAD_COLOR)
    assert seen is not None
    assert_array_equal(seen[..., ::-1], pixels)


@settings(max_examples=30, deadline=None)
@given(st.lists(st.tuples(st.integers(1, 90), st.integers(1, 90)), max_size=7), st.integers(0, 2**32))
def test_a_batch_is_encoded_as_each_of_its_pictures(sizes: list[tuple[int, int]], seed: int) -> None:
    random = np.random.default_rng(seed)
    batch = [random.integers(0, 256, (height, width, 3), np.uint8) for height, width in sizes]
    pictures = Picture.all_from_pixels(batch)
    assert [(one.encoded, one.size) for one in pictures] == [
        (encode_png(pixels), (pixels.shape[1], pixels.shape[0])) for pixels in batch
    ]
    assert [one.digest for one in pictures] == [hashlib.sha256(one.encoded).hexdigest() for one in pictures]


def test_bytes_that_somebody_holds_are_not_overwritten_by_later_pictures() -> None:
    picture = Picture.from_pixels(textured(seed=1))
    held, copied = picture.content, bytes(picture.content)
    picture.release_encoded(lambda: b"")
    del picture
    others = Picture.all_from_pixels([textured(seed=seed) for seed in range(2, 60)])
    assert held == copied
    assert len({other.digest for other in others}) == 58


def test_a_view_that_is_not_contiguous_is_encoded_as_it_looks() -> None:
    pixels = textured()[::-1, ::2]
    assert_array_equal(decode(encode_png(pixels))[0], pixels)


@given(st.data())
def test_a_changed_byte_never_gives_other_pixels_silently(data: st.DataObject) -> None:
    pixels = textured(width=24, height=16)
    own = encode_png(pixels)
    foreign = saved(Image.fromarray(pixels), optimize=True)
    file = bytearray(data.draw(st.sampled_from([own, foreign])))
    place = data.draw(st.integers(0, len(file) - 1))
    file[place] ^= data.draw(st.integers(1, 255))
    for read in (Picture.from_bytes, Picture.from_intact_bytes):
        try:
            found = read(bytes(file))
        except BadPicture:
            continue
        assert_array_equal(found.pixels, pixels)


@given(st.integers(0, 2000))
def test_a_file_that_is_cut_off_is_refused(length: int) -> None:
    own = encode_png(textured())
    foreign = saved(Image.fromarray(textured()))
    for file in (own, foreign):
        for read in (decode, Picture.from_intact_bytes):
            with pytest.raises(BadPicture):
                read(file[: min(length, len(file) - 1)])


@pytest.mark.parametrize("kind", ["PNG", "JPEG", "WEBP"])
@pytest.mark.parametrize("mode", ["RGB", "L", "RGBA"])
def test_an_intact_file_has_the_facts_of_a_decoded_one(kind: str, mode: str) -> None:
    file = saved(Image.fromarray(textured()).convert("RGB" if kind == "JPEG" else mode), kind)
    assert Picture.from_intact_bytes(file).facts == Picture.from_bytes(file).facts


@given(st.binary(max_size=300), st.sampled_from(["PNG", "JPEG", "WEBP", "BMP", "GIF", "TIFF"]))
def test_garbage_after_any_beginning_is_a_bad_picture_or_a_picture(garbage: bytes, kind: str) -> None:
    beginning = saved(Image.fromarray(textured(width=16, height=16)), kind)[:60]
    try:
        decoded, _ = decode(beginning + garbage)
    except BadPicture:
        return
    assert decoded.dtype == np.uint8
    assert decoded.shape[2] == 3


# Other programs' files


@given(any_pixels, st.integers(0, 9))
def test_foreign_png_files_decode_as_in_pillow(pixels: Pixels, level: int) -> None:
    assert_array_equal(decode(saved(Image.fromarray(pixels), compress_level=level))[0], pixels)


@pytest.mark.parametrize(
    ("kind", "media_type"),
    [("JPEG", "image/jpeg"), ("WEBP", "image/webp"), ("BMP", "image/bmp"), ("TIFF", "image/tiff")],
)
def test_common_formats_decode_as_in_pillow(kind: str, media_type: str) -> None:
    data = saved(Image.fromarray(textured()), kind)
    decoded, found = decode(data)
    assert_array_equal(decoded, np.asarray(Image.open(io.BytesIO(data)).convert("RGB")))
    assert found == media_type


def test_the_first_of_a_phones_several_pictures_is_taken() -> None:
    main, depth = (Image.fromarray(textured(seed=number)) for number in range(2))
    data = saved(main, "MPO", save_all=True, append_images=[depth])
    assert Image.open(io.BytesIO(data)).format == "MPO"
    decoded, media_type = decode(data)
    assert_array_equal(decoded, np.asarray(Image.open(io.BytesIO(data)).convert("RGB")))
    assert media_type == "image/jpeg"


def test_a_grey_picture_has_three_equal_channels() -> None:
    grey = textured()[..., 0]
    assert_array_equal(decode(saved(Image.fromarray(grey)))[0], np.stack([grey] * 3, axis=-1))


def test_sixteen_bit_grey_is_scaled_and_not_clipped() -> None:
    grey = np.arange(256, dtype=np.uint16).reshape(16, 16) * 257
    decoded, _ = decode(saved(Image.fromarray(grey)))
    assert_array_equal(decoded[..., 0], np.arange(256).reshape(16, 16))


def test_floating_point_grey_is_scaled_and_not_clipped() -> None:
    shares = np.linspace(0, 1, 256, dtype=np.float32).reshape(16, 16)
    picture = Picture.from_bytes(saved(Image.fromarray(shares), "TIFF"))
    assert_array_equal(picture.pixels[..., 1], np.arange(256).reshape(16, 16))
    assert_array_equal(decode(picture.normalised().encoded)[0], picture.pixels)


def test_sixteen_bit_rgb_keeps_its_eight_high_bits() -> None:
    pixels = textured(width=8, height=8)
    wide = (pixels.astype(">u2") * 257).reshape(8, -1)
    rows = b"".join(b"\x00" + row.tobytes() for row in wide)
    picture = Picture.from_bytes(png(8, 8, 16, 2, rows))
    assert_array_equal(picture.pixels, pixels)
    assert_array_equal(np.asarray(Image.open(io.BytesIO(picture.normalised().encoded))), pixels)
    assert picture.normalised() is not picture


def test_a_palette_is_looked_up() -> None:
    image = Image.fromarray(textured()).quantize(16)
    assert_array_equal(decode(saved(image))[0], np.asarray(image.convert("RGB")))


def test_transparency_is_shown_on_white() -> None:
    layered = Image.new("RGBA", (3, 1))
    for x, colour in enumerate([(10, 20, 30, 255), (10, 20, 30, 0), (0, 0, 0, 128)]):
        layered.putpixel((x, 0), colour)
    decoded, _ = decode(saved(layered))
    assert decoded[0, 0].tolist() == [10, 20, 30]
    assert decoded[0, 1].tolist() == [255, 255, 255]
    assert abs(decoded[0, 2].astype(int) - 127).max() <= 1


def test_a_transparent_palette_colour_is_shown_as_white() -> None:
    image = Image.new("P", (2, 1))
    image.putpalette([200, 0, 0, 0, 0, 200])
    image.putpixel((1, 0), 1)
    decoded, _ = decode(saved(image, transparency=0))
    assert decoded.tolist() == [[[255, 255, 255], [0, 0, 200]]]


def test_cmyk_becomes_rgb() -> None:
    ink = Image.new("CMYK", (16, 16), (0, 255, 255, 0))
    decoded, _ = decode(saved(ink, "JPEG", quality=100))
    assert abs(decoded.astype(int) - [255, 0, 0]).max() <= 2


def test_exif_behind_the_pixels_of_a_png_turns_it_too() -> None:
    exif = Image.Exif()
    exif[0x0112] = 6
    data = saved(Image.fromarray(textured(40, 20)), exif=exif)
    start = data.index(b"eXIf") - 4
    end = start + 12 + int.from_bytes(data[start : start + 4], "big")
    behind = data[:start] + data[end:-12] + data[start:end] + data[-12:]
    for one in (data, behind):
        assert Picture.from_bytes(one).normalised().size == (20, 40)
    plain = Picture.from_bytes(saved(Image.fromarray(textured(40, 20))))
    assert plain.normalised() is plain


@pytest.mark.parametrize("orientation", range(1, 9))
def test_a_picture_turned_by_exif_is_upright(orientation: int) -> None:
    upright = textured(width=32, height=16)
    transposed = upright.swapaxes(0, 1)
    as_stored = [
        upright, upright[:, ::-1], upright[::-1, ::-1], upright[::-1],
        transposed, np.rot90(upright), transposed[::-1, ::-1], np.rot90(upright, -1),
    ]  # fmt: skip
    exif = Image.Exif()
    exif[0x0112] = orientation
    data = saved(Image.fromarray(np.ascontiguousarray(as_stored[orientation - 1])), exif=exif)
    assert_array_equal(decode(data)[0], upright)


def test_a_plain_picture_is_kept_as_it_is_and_others_become_plain() -> None:
    plain = Picture.from_bytes(saved(Image.fromarray(textured()), "JPEG"))
    assert plain.normalised() is plain
    layered = Picture.from_bytes(saved(Image.fromarray(textured()).convert("RGBA")))
    assert_array_equal(np.asarray(Image.open(io.BytesIO(layered.normalised().encoded))), textured())


# What is refused


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "the file is empty"),
        (b"To whom it may concern", "unknown picture format"),
        (png(30_000, 30_000, 8, 2), "make it smaller than 100 megapixels"),
        (png(11_000, 10_000, 8, 2), "11000 × 10000; make it smaller"),
        (saved(Image.fromarray(textured()), "PPM"), "PPM files are not supported; use PNG"),
        (png(64, 64, 8, 2, b"\x00\x01"), "damaged"),
        (saved(Image.fromarray(textured()[..., 0].astype(np.float32)), "TIFF"), "not from 0 to 1; export it"),
        (cv2.imencode(".tiff", textured() / np.float32(255))[1].tobytes(), "with 8 or 16 bits a channel"),
    ],
    ids=[
        "empty",
        "text",
        "30000 squared",
        "110 megapixels",
        "format",
        "too few rows",
        "floats over 1",
        "floating-point RGB",
    ],
)
def test_what_is_no_picture_for_us_says_why(content: bytes, said: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", Image.DecompressionBombWarning)
        with pytest.raises(BadPicture, match=said):
            Picture.from_bytes(content)


def test_an_error_about_a_file_names_it(tmp_path: Path) -> None:
    (tmp_path / "empty.png").touch()
    for name in ("empty.png", "absent.png"):
        with pytest.raises(BadPicture, match=name):
            Picture.from_file(tmp_path / name)
    with pytest.raises(BadPicture, match="directory"):
        Picture.from_file(tmp_path)


# Sizes


def test_resizing_is_pillows_lanczos_and_leaves_the_right_size_alone() -> None:
    pixels = textured()
    assert resized_to(pixels, 64, 48) is pixels
    expected = Image.fromarray(pixels).resize((20, 30), Image.Resampling.LANCZOS)
    assert_array_equal(resized_to(pixels, 20, 30), np.asarray(expected))


def test_a_picture_knows_its_size_and_its_digest() -> None:
    picture = Picture.from_pixels(textured(width=30, height=20))
    assert picture.size == (30, 20)
    assert Picture.from_bytes(picture.encoded).facts == picture.facts
