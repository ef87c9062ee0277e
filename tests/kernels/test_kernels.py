"""The loops in C, against those that stand in where they were not built."""

from __future__ import annotations

import base64
import io
import zlib
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import cv2
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from PIL import Image
from skimage import data

from convergebench import kernels, picture
from convergebench.kernels import colour
from convergebench.kernels.png import png_deflated
from convergebench.metrics import load
from convergebench.metrics.base import Result
from convergebench.metrics.drift import _registration
from convergebench.metrics.drift._ciede2000 import TO_RELATIVE, ciede2000, lab_of, light_of_levels
from convergebench.metrics.drift.detail import detail, details_of_source
from convergebench.metrics.regions.map_parts import map_parts
from convergebench.picture.png import rgb_pixels
from convergebench.types import Pixels

built = pytest.mark.skipif(not kernels.available(), reason="there was no compiler when this was installed")


@st.composite
def pictures(draw: st.DrawFn) -> Pixels:
    """Noise, flat parts, slopes, and few colours far apart: what codes of every length come from."""
    shape = (draw(st.integers(1, 150)), draw(st.integers(1, 90)), 3)
    random = np.random.default_rng(draw(st.integers(0, 2**32)))
    kinds: dict[str, Callable[[], NDArray[np.int64]]] = {
        "noise": lambda: random.integers(0, 256, shape),
        "flat": lambda: np.full(shape, random.integers(0, 256)),
        "specks": lambda: random.integers(0, 256, shape) * (random.random(shape) < 0.02),
        "slopes": lambda: np.cumsum(random.geometric(0.5, shape), axis=0),
        "powers": lambda: np.cumsum(2 ** random.integers(0, 8, shape) * random.integers(0, 2, shape), axis=0),
    }
    return kinds[draw(st.sampled_from(sorted(kinds)))]().astype(np.uint8)


@built
@settings(max_examples=60, deadline=None)
@given(pictures())
def test_any_picture_is_the_same_after_zlib_and_after_pillow(pixels: Pixels) -> None:
    body = png_deflated(pixels)
    assert body is not None
    height, width, _ = pixels.shape
    assert len(zlib.decompress(body)) == height * (3 * width + 1)
    assert (np.asarray(Image.open(io.BytesIO(picture.encode_png(pixels)))) == pixels).all()


@built
@settings(max_examples=60, deadline=None)
@given(pictures(), st.integers(0, 9))
def test_files_of_pillow_are_read_as_pillow_reads_them(pixels: Pixels, level: int) -> None:
    file = io.BytesIO()
    Image.fromarray(pixels).save(file, "PNG", compress_level=level)
    read = rgb_pixels(file.getvalue())
    assert read is not None
    assert (read == pixels).all()


@built
@settings(max_examples=40, deadline=None)
@given(pictures())
def test_a_pixel_is_clipped_if_a_channel_is_at_either_end(pixels: Pixels) -> None:
    ends = (pixels == 0) | (pixels == 255)
    assert np.array_equal(colour.clipped(pixels), 255 * ends.any(axis=2).astype(np.uint8))


@built
@pytest.mark.parametrize("mode", ["RGBA", "L", "P", "LA", "I;16"])
def test_files_that_are_not_plain_rgb_are_left_to_pillow(mode: str) -> None:
    image = Image.fromarray(np.full((8, 8), 7, np.uint16)) if mode == "I;16" else Image.new(mode, (8, 8))
    file = io.BytesIO()
    image.save(file, "PNG")
    assert rgb_pixels(file.getvalue()) is None


@built
def test_a_file_that_says_how_it_is_turned_is_left_to_pillow() -> None:
    turned = Image.new("RGB", (8, 6))
    exif = turned.getexif()
    exif[0x0112] = 6
    file = io.BytesIO()
    turned.save(file, "PNG", exif=exif)
    assert rgb_pixels(file.getvalue()) is None
    assert picture.Picture.from_bytes(file.getvalue()).size == (6, 8)


@built
def test_a_body_that_is_too_short_or_too_long_is_left_to_pillow() -> None:
    def with_body(rows: bytes) -> bytes:
        body = zlib.compress(rows)
        chunks = [(b"IHDR", bytes.fromhex("0000000200000002 0802000000")), (b"IDAT", body), (b"IEND", b"")]
        parts = [len(c).to_bytes(4, "big") + n + c + zlib.crc32(n + c).to_bytes(4, "big") for n, c in chunks]
        return b"\x89PNG\r\n\x1a\n" + b"".join(parts)

    assert rgb_pixels(with_body(bytes(14))) is not None
    assert rgb_pixels(with_body(bytes(13))) is None
    assert rgb_pixels(with_body(bytes(15))) is None
    assert rgb_pixels(with_body(b"\x05" + bytes(13))) is None


@built
def test_without_the_loops_everything_gives_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    random = np.random.default_rng(1)
    source, result = random.integers(0, 256, (2, 90, 70, 3), dtype=np.uint8)

    def ssim() -> float:
        metric = load("ssim")
        return metric.compare([metric.prepare(source)], [result])[0]

    file = io.BytesIO()
    Image.fromarray(source).save(file, "PNG")
    fast = ssim()
    monkeypatch.setattr(kernels, "compiled", lambda: False)
    assert ssim() == pytest.approx(fast, abs=1e-7)
    assert (picture.Picture.from_bytes(picture.encode_png(source)).pixels == source).all()
    assert (picture.Picture.from_bytes(file.getvalue()).pixels == source).all()


def test_a_picture_of_which_the_sampled_rows_tell_nothing_still_fits() -> None:
    """Noise in every row but those whose symbols are counted: each byte takes the longest code."""
    random = np.random.default_rng(3)
    pixels = np.zeros((128, 256, 3), np.uint8)
    for row in range(1, 128):
        is_sampled = (row % 64 * 2654435769 & 0xFFFFFFFF) >> 30 == 0
        pixels[row] = pixels[row - 1] if is_sampled else random.integers(0, 256, (256, 3))
    file = picture.encode_png(pixels)
    assert (np.asarray(Image.open(io.BytesIO(file))) == pixels).all()
    assert len(file) < 2 * pixels.size


@given(st.lists(st.binary(max_size=300)))
def test_parts_are_joined_as_python_joins_them(parts: list[bytes]) -> None:
    assert kernels.joined(parts) == b"".join(parts)


@built
@given(st.binary(max_size=300))
def test_base64_is_that_of_the_standard_library(data: bytes) -> None:
    assert kernels.base64_encoded(data) == base64.b64encode(data)


def test_threads_that_encode_at_the_same_time_do_not_share_memory() -> None:
    random = np.random.default_rng(4)
    several = [random.integers(0, 256, (64 + 8 * place, 96, 3), dtype=np.uint8) for place in range(16)] * 8
    with ThreadPoolExecutor(8) as threads:
        files = list(threads.map(picture.encode_png, several))
    assert all((picture.decode(file)[0] == pixels).all() for file, pixels in zip(files, several, strict=True))


@built
def test_without_fused_multiply_add_only_loops_over_whole_numbers_are_used(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    pixels = np.random.default_rng(5).integers(0, 256, (64, 96, 3), dtype=np.uint8)
    file = picture.encode_png(pixels)
    monkeypatch.setattr(kernels, "_fuses_multiply_add", lambda: False)
    assert not kernels.available()
    assert picture.encode_png(pixels) == file, "not by the slower encoder, whose bytes are others"


def without_kernels(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kernels, "available", lambda: False)


@st.composite
def related(draw: st.DrawFn, least: int = 1) -> tuple[Pixels, Pixels]:
    """A picture, and the same with some noise, a cast or another picture altogether."""
    shape = (draw(st.integers(least, 90)), draw(st.integers(least, 120)), 3)
    random = np.random.default_rng(draw(st.integers(0, 2**32)))
    slopes = np.add.outer(np.arange(shape[0]) * draw(st.integers(0, 4)), np.arange(shape[1]))[..., None]
    source = (slopes * random.integers(0, 4, 3) + random.integers(0, 40, shape)) % 256
    strength = draw(st.sampled_from([0, 1, 8, 255]))
    result = np.clip(source + random.integers(-strength, strength + 1, shape), 0, 255)
    return source.astype(np.uint8), result.astype(np.uint8)


@built
@settings(max_examples=80, deadline=None)
@given(related())
def test_the_mean_colour_difference_is_that_of_numpy(pair: tuple[Pixels, Pixels]) -> None:
    source, result = without_opposite_hues(*pair)
    expected = ciede2000(*(lab_of(each).astype(np.float64) for each in (source, result))).sum()
    found = colour.delta_e_total(source, result, light_of_levels(), TO_RELATIVE)
    assert found == pytest.approx(float(expected), rel=1e-4, abs=1e-4)


def without_opposite_hues(source: Pixels, result: Pixels) -> tuple[Pixels, Pixels]:
    """Equal colours in place of those whose hues are opposite, as of green and magenta with as much red as
    blue: there CIEDE2000 jumps, and rounding decides to which side."""
    (_, a1, b1), (_, a2, b2) = (
        np.moveaxis(lab_of(each).astype(np.float64), -1, 0) for each in (source, result)
    )
    is_opposite = (a1 * a2 + b1 * b2 < 0) & (
        np.abs(a1 * b2 - b1 * a2) < 1e-3 * np.hypot(a1, b1) * np.hypot(a2, b2)
    )
    return source, np.where(is_opposite[..., None], source, result)


@built
@pytest.mark.parametrize("most_lanes", [0, 8])
def test_colour_differences_do_not_depend_on_the_width_of_registers(most_lanes: int) -> None:
    pair = np.random.default_rng(0).integers(0, 256, (2, 37, 53, 3)).astype(np.uint8)
    constants = (light_of_levels(), TO_RELATIVE)
    narrow, wide = (colour.lab_blocks(pair[0], *constants, lanes) for lanes in (most_lanes, 16))
    assert np.array_equal(narrow, wide)
    found = colour.delta_e_total(*pair, *constants, most_lanes=most_lanes)
    assert found == colour.delta_e_total(*pair, *constants)


@built
def test_equal_colours_have_no_difference_beside_others() -> None:
    source = np.random.default_rng(0).integers(0, 256, (1, 256, 3)).astype(np.uint8)
    result = source.copy()
    result[0, 0] = 255 - source[0, 0]
    together = colour.delta_e_total(source, result, light_of_levels(), TO_RELATIVE)
    alone = colour.delta_e_total(source[:, :1], result[:, :1], light_of_levels(), TO_RELATIVE)
    assert together == alone


@built
def test_every_pair_of_grey_primary_and_opposite_colours_has_its_difference() -> None:
    """Hues that do not exist or lie opposite each other take branches of the formula."""
    levels = np.array([0, 1, 127, 128, 254, 255], np.uint8)
    colours = np.stack(np.meshgrid(levels, levels, levels), axis=-1).reshape(-1, 1, 3)
    for shift in range(0, len(colours), 7):
        other = np.roll(colours, shift, axis=0)
        each = ciede2000(*(lab_of(both).astype(np.float64) for both in (colours, other)))[:, 0]
        for one, another, expected in zip(colours, other, each, strict=True):
            found = colour.delta_e_total(one[None], another[None], light_of_levels(), TO_RELATIVE)
            assert found == pytest.approx(float(expected), rel=1e-3, abs=2e-3)


@built
@pytest.mark.parametrize("move", [(1, 0, 0, 0), (1.01, 0.01, 1.7, -2.3), (0.9, 0, 8, 5), (1, 0, 500, 0)])
def test_a_step_of_registration_sums_the_same_equations(
    monkeypatch: pytest.MonkeyPatch, move: tuple[float, float, float, float]
) -> None:
    coffee = np.asarray(data.coffee(), np.uint8)
    zoom, turn, right, down = move
    result = np.clip(coffee.astype(int) + np.random.default_rng(0).integers(-9, 10, coffee.shape), 0, 255)
    matrix = _registration._similarity(zoom - 1, turn, right / coffee.shape[1], down / coffee.shape[1])
    level = _registration.pyramid(coffee)[-1]
    plane = _registration.planes_of(result.astype(np.uint8))[-1]

    def step() -> tuple[_registration._Equations, float]:
        likeness = _registration._likeness_after(level.plane, plane, matrix)
        return _registration._equations(level, plane, matrix), likeness

    fast = step()
    without_kernels(monkeypatch)
    slow = step()
    scale = np.abs(slow[0].left).max() + 1e-9
    assert fast[0].left / scale == pytest.approx(slow[0].left / scale, abs=1e-4)
    assert fast[0].right == pytest.approx(slow[0].right, rel=1e-3, abs=1e-4 * np.abs(slow[0].right).max())
    assert fast[0].variance == pytest.approx(slow[0].variance, rel=1e-4)
    assert fast[1] == pytest.approx(slow[1], abs=1e-5)


@built
@settings(max_examples=40, deadline=None)
@given(related(least=8))
def test_noise_and_block_borders_are_those_of_numpy(pair: tuple[Pixels, Pixels]) -> None:
    fast = detail(details_of_source(pair[0]), Result(pair[1], (pair[1].shape[1], pair[1].shape[0])))
    with pytest.MonkeyPatch.context() as patched:
        without_kernels(patched)
        slow = detail(details_of_source(pair[0]), Result(pair[1], (pair[1].shape[1], pair[1].shape[0])))
    for name in slow:
        if isinstance(slow[name], str):
            assert fast[name] == slow[name]
        else:
            assert fast[name] == pytest.approx(slow[name], rel=1e-3, abs=2e-3)


@built
def test_a_registration_ends_where_its_steps_one_by_one_end(monkeypatch: pytest.MonkeyPatch) -> None:
    coffee = np.asarray(data.coffee(), np.uint8)
    turned = cv2.getRotationMatrix2D((300, 200), 1.5, 1.04)
    moved = np.asarray(cv2.warpAffine(coffee, turned, (600, 400), borderMode=cv2.BORDER_REFLECT), np.uint8)
    levels = _registration.pyramid(coffee)
    fast = _registration.register(levels, moved)
    without_kernels(monkeypatch)
    slow = _registration.register(levels, moved)
    assert fast.matrix == pytest.approx(slow.matrix, abs=1e-5)
    assert fast.likeness == pytest.approx(slow.likeness, abs=1e-4)
    flat = np.full((64, 64, 3), 128, np.uint8)
    assert _registration.register(_registration.pyramid(flat), flat).error == np.inf


@built
@pytest.mark.parametrize("noise", [2, 40, 255])
def test_ms_ssim_is_that_of_opencv(monkeypatch: pytest.MonkeyPatch, noise: int) -> None:
    source = np.asarray(data.coffee(), np.uint8)[:301, :243]
    added = np.random.default_rng(noise).integers(-noise, noise + 1, source.shape)
    result = np.clip(source + added, 0, 255).astype(np.uint8)
    metric = load("ms_ssim")
    fast = metric.compare([metric.prepare(source)], [result])
    without_kernels(monkeypatch)
    assert metric.compare([metric.prepare(source)], [result]) == pytest.approx(fast, abs=2e-6)


@built
@given(st.integers(1, 40), st.integers(1, 40), st.integers(0, 99), st.booleans())
def test_the_parts_of_a_map_have_the_sums_of_numpy(height: int, width: int, seed: int, whole: bool) -> None:
    random = np.random.default_rng(seed)
    found = np.round(random.random((height, width)), 2).astype(np.float32)  # edges of bins among them
    region = random.random((height, width)) < 0.3
    covered = None if whole else random.random((height, width)) < 0.8
    fast = map_parts(found, region, covered)
    with pytest.MonkeyPatch.context() as patched:
        without_kernels(patched)
        slow = map_parts(found, region, covered)
    for one, other in zip(fast, slow, strict=True):
        assert one._replace(unlike=0) == other._replace(unlike=0)
        assert one.unlike == pytest.approx(other.unlike, rel=1e-9)
