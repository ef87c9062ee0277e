"""A picture: its original bytes, and its pixels decoded on first use."""

from __future__ import annotations

import hashlib
import io
import struct
import zlib
from collections.abc import Callable, Sequence
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from convergebench import kernels
from convergebench.errors import BadPicture
from convergebench.kernels.png import png_deflated, png_files
from convergebench.picture.png import plain_size, png_chunk, rgb_pixels
from convergebench.picture.stable_png import stable_png
from convergebench.types import Digest, PictureFacts, Pixels

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from PIL import Image as PILImage

MAX_MEGAPIXELS = 100
MEDIA_TYPES = {"PNG": "image/png", "JPEG": "image/jpeg", "WEBP": "image/webp", "BMP": "image/bmp",
               "TIFF": "image/tiff", "GIF": "image/gif", "MPO": "image/jpeg"}  # fmt: skip
SUFFIXES = {"image/png": ".png", "image/jpeg": ".jpg", "image/webp": ".webp", "image/bmp": ".bmp",
            "image/tiff": ".tif", "image/gif": ".gif"}  # fmt: skip
_EXIF_ORIENTATION = 0x0112
_SIGNATURE = b"\x89PNG\r\n\x1a\n"
_TIFF = (b"II*\x00", b"MM\x00*")
_EXIF_CHUNKS = (b"eXIf", b"tEXt", b"zTXt", b"iTXt")
"""Some programs write EXIF data as a text."""
_UP = 2
_OWN_BODY = 8 + 25 + 8
"""The offset of the only IDAT in our PNG files: after the signature, the header, and its length and name."""
_OWN_TAIL = 4 + 12
_END = png_chunk(b"IEND", b"")
_OF_BODY_NAME = zlib.crc32(b"IDAT")


class Picture:
    """Encoded bytes and decoded pixels of one picture; each is computed from the other on first use."""

    def __init__(
        self,
        facts: PictureFacts,
        *,
        encoded: bytes | memoryview | None = None,
        pixels: Pixels | None = None,
        load: Callable[[], bytes] | None = None,
        kept_in: object | None = None,
    ) -> None:
        self.facts = facts
        self.kept_in = kept_in
        """The store from which it was opened, and in which it need not be stored again."""
        self._encoded = encoded
        self._pixels = pixels
        self._load = load
        self._was_encoded_here = False

    @classmethod
    def from_bytes(cls, data: bytes, digest: Digest | None = None) -> Picture:
        """A file's content, unchanged. It is decoded immediately, so that invalid content is found here. The
        digest is computed unless it is given."""
        pixels, media_type = decode(data)
        height, width = pixels.shape[:2]
        facts = PictureFacts(digest or digest_of(data), width, height, media_type)
        return cls(facts, encoded=data, pixels=pixels)

    @classmethod
    def from_intact_bytes(cls, data: bytes) -> Picture:
        """A file's content, unchanged, for those who need no pixels; BadPicture if it is damaged.

        A plain PNG file is as its program wrote it if all its checksums are right, which takes a fraction of
        the time of decoding. Any other kind is decoded.
        """
        size = _intact_png_size(data)
        if size is None:
            return cls.from_bytes(data)
        return cls(PictureFacts(digest_of(data), *size, "image/png"), encoded=data)

    @classmethod
    def from_file(cls, path: Path) -> Picture:
        return _from_file(path, cls.from_bytes)

    @classmethod
    def from_intact_file(cls, path: Path) -> Picture:
        return _from_file(path, cls.from_intact_bytes)

    @classmethod
    def from_pixels(cls, pixels: Pixels) -> Picture:
        (picture,) = cls.all_from_pixels([pixels])
        return picture

    @classmethod
    def all_from_pixels(cls, batch: Sequence[Pixels]) -> list[Picture]:
        """The pictures of a batch, encoded together on several cores."""
        pictures = []
        for pixels, (data, digest) in zip(batch, _encoded_with_digests(batch), strict=True):
            height, width = pixels.shape[:2]
            picture = cls(PictureFacts(digest, width, height, "image/png"), encoded=data, pixels=pixels)
            picture._was_encoded_here = True
            pictures.append(picture)
        return pictures

    @classmethod
    def stable(cls, pixels: Pixels) -> Picture:
        """As a file that is identical on every machine, because sources are identified by their digest."""
        data = stable_png(pixels)
        height, width = pixels.shape[:2]
        return cls(PictureFacts(digest_of(data), width, height, "image/png"), encoded=data, pixels=pixels)

    @property
    def digest(self) -> Digest:
        return self.facts.digest

    @property
    def size(self) -> tuple[int, int]:
        """Width and height."""
        return self.facts.width, self.facts.height

    @property
    def is_read(self) -> bool:
        """Whether its bytes are in memory."""
        return self._encoded is not None

    @property
    def is_decoded(self) -> bool:
        """Whether its pixels are in memory."""
        return self._pixels is not None

    @property
    def encoded(self) -> bytes:
        content = self.content
        if not isinstance(content, bytes):
            content = self._encoded = bytes(content)
        return content

    @property
    def content(self) -> bytes | memoryview:
        """The encoded bytes, for those who only write them."""
        content = self._encoded  # another thread may store it and release them
        if content is None:
            assert self._load is not None
            content = self._encoded = self._load()
        return content

    @property
    def pixels(self) -> Pixels:
        if self._pixels is None:
            self._pixels, _ = decode(self.encoded)
        return self._pixels

    def release_encoded(self, load: Callable[[], bytes]) -> None:
        """After it was stored, free the bytes that were made from its pixels, which alone are used from then
        on; `load` reads them again. Memory that is free soon is used again, and new memory takes as long to
        get as a picture to encode while many threads do so."""
        if self._was_encoded_here:
            self._load = load
            self._encoded = None

    def normalised(self) -> Picture:
        """The same pixels as a plain RGB file, for pictures whose bytes a program could read otherwise:
        turned by EXIF, with alpha or a palette, CMYK, 16 bits a channel."""
        data = self.encoded
        if plain_size(data) or is_plain(_open(data), may_be_turned=_may_hold_exif(data)):
            return self
        return Picture.stable(self.pixels)


def _intact_png_size(data: bytes) -> tuple[int, int] | None:
    """None if it is not a plain PNG file; raises BadPicture if a checksum is wrong."""
    size = plain_size(data)
    if size is None or not 0 < size[0] * size[1] <= MAX_MEGAPIXELS * 1_000_000:
        return None
    _check_png(data)
    return size


def _from_file(path: Path, read: Callable[[bytes], Picture]) -> Picture:
    try:
        return read(path.read_bytes())
    except (BadPicture, OSError) as error:
        reason = f"{error.strerror}; check the name" if isinstance(error, OSError) else error
        raise BadPicture(f"{path}: {reason}") from error


def digest_of(data: bytes) -> Digest:
    return hashlib.sha256(data).hexdigest()


def encode_png(pixels: Pixels) -> bytes:
    """A PNG file with the `up` filter throughout: far faster than the usual encoders, about as small."""
    from isal import isal_zlib

    height, width, _ = pixels.shape
    body: bytes | memoryview
    body = png_deflated(pixels) if kernels.compiled() else isal_zlib.compress(_filtered(pixels), 1)
    checksum = isal_zlib.crc32(body, _OF_BODY_NAME).to_bytes(4, "big")
    before = _own_start(width, height) + len(body).to_bytes(4, "big") + b"IDAT"
    return kernels.joined((before, body, checksum + _END))


def _encoded_with_digests(batch: Sequence[Pixels]) -> Sequence[tuple[bytes | memoryview, Digest]]:
    """The files of `encode_png`. Where possible, all is done in one step: threads that store pictures wait
    for the GIL after each."""
    made = png_files(batch, _own_start, _END) if batch else []
    if made is not None:
        return made
    files = [encode_png(pixels) for pixels in batch]
    return [(data, digest_of(data)) for data in files]


def _filtered(pixels: Pixels) -> Pixels:
    height, width, _ = pixels.shape
    rows = np.ascontiguousarray(pixels).reshape(height, width * 3)
    filtered = np.empty((height, width * 3 + 1), np.uint8)
    filtered[:, 0] = _UP
    filtered[0, 1:] = rows[0]
    np.subtract(rows[1:], rows[:-1], out=filtered[1:, 1:])
    return filtered


@lru_cache(maxsize=64)
def _own_start(width: int, height: int) -> bytes:
    """Signature and header: eight bits a channel, RGB, not interlaced."""
    return _SIGNATURE + png_chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0))


def decode(data: bytes) -> tuple[Pixels, str]:
    """Pixels as a person sees them, and the media type: rotated upright, transparency on white, 8-bit RGB."""
    own = _decode_own_png(data)
    if own is not None:
        return own, "image/png"
    image = _open(data)
    media_type = MEDIA_TYPES[image.format or ""]
    if media_type == "image/png":
        _check_png(data)
        plain = rgb_pixels(data)
        if plain is not None:
            return plain, media_type
    try:
        return np.asarray(upright_rgb(image)), media_type
    except BadPicture:
        raise
    except Exception as error:  # decoders raise many kinds of errors for damaged files
        raise BadPicture(f"the picture is damaged ({error}); download or export it again") from error


def _check_png(data: bytes) -> None:
    """Verify the checksum of every chunk, because Pillow skips those of the pixels."""
    from isal import isal_zlib

    start, name = len(_SIGNATURE), b""
    while name != b"IEND":
        length = int.from_bytes(data[start : start + 4], "big")
        name, end = data[start + 4 : start + 8], start + 8 + length
        if end + 4 > len(data):
            raise BadPicture("the picture is damaged (it ends too early); download or export it again")
        if isal_zlib.crc32(memoryview(data)[start + 4 : end]) != int.from_bytes(data[end : end + 4], "big"):
            raise BadPicture("the picture is damaged (a checksum is wrong); download or export it again")
        start = end + 4


def _own_size(data: bytes) -> tuple[int, int] | None:
    """Width and height of a file with our header and a single body that extends to the end."""
    start, end = _OWN_BODY, len(data) - _OWN_TAIL
    if end < start:
        return None
    width, height = struct.unpack(">II", data[16:24])
    if data[:start] != _own_start(width, height) + (end - start).to_bytes(4, "big") + b"IDAT":
        return None
    return (width, height) if 0 < width * height <= MAX_MEGAPIXELS * 1_000_000 else None


def _decode_own_png(data: bytes) -> Pixels | None:
    """Decode the output of encode_png in half the time of a general decoder; None for any other file."""
    from isal import isal_zlib

    size = _own_size(data)
    if size is None:
        return None
    width, height = size
    start, end = _OWN_BODY, len(data) - _OWN_TAIL
    try:
        filtered = isal_zlib.decompress(memoryview(data)[start:end], bufsize=height * (width * 3 + 1))
    except isal_zlib.error:  # type: ignore[misc]  # a class, whatever its stub says
        return None
    rows = np.frombuffer(filtered, np.uint8)
    if rows.size != height * (width * 3 + 1) or not (rows[:: width * 3 + 1] == _UP).all():
        return None
    pixels = rows.reshape(height, -1)[:, 1:].copy()
    for below, above in zip(pixels[1:], pixels, strict=False):
        below += above
    return pixels.reshape(height, width, 3)


def _open(data: bytes) -> PILImage.Image:
    from PIL import Image, UnidentifiedImageError

    if not data:
        raise BadPicture("the file is empty; download or export it again")
    try:
        image = Image.open(io.BytesIO(data))
    except Image.DecompressionBombError as error:
        raise BadPicture(
            f"the picture is too large; make it smaller than {MAX_MEGAPIXELS} megapixels"
        ) from error
    except UnidentifiedImageError as error:
        if data.startswith(_TIFF):
            raise BadPicture("unknown kind of TIFF; export it with 8 or 16 bits a channel") from error
        raise BadPicture("unknown picture format; use PNG, JPEG or WebP") from error
    except Exception as error:  # decoders raise many kinds of errors for damaged files
        raise BadPicture(f"the picture is damaged ({error}); download or export it again") from error
    if image.format not in MEDIA_TYPES:
        raise BadPicture(f"{image.format} files are not supported; use PNG, JPEG or WebP")
    if image.width * image.height > MAX_MEGAPIXELS * 1_000_000:
        raise BadPicture(
            f"the picture is {image.width} × {image.height}; make it smaller than {MAX_MEGAPIXELS} megapixels"
        )
    return image


def is_plain(image: PILImage.Image, *, may_be_turned: bool = True) -> bool:
    """Whether every program reads the same pixels from it."""
    return (
        image.mode == "RGB"
        and not any("16" in str(tile[3]) for tile in getattr(image, "tile", ()))  # Pillow calls these RGB too
        and "transparency" not in image.info
        and (not may_be_turned or image.getexif().get(_EXIF_ORIENTATION, 1) == 1)
    )


def _may_hold_exif(data: bytes) -> bool:
    """Whether EXIF data must be looked for. In a PNG file it may stand behind the pixels, and Pillow decodes
    all of them to find out that there is none; the names of the chunks say so at once."""
    if not data.startswith(_SIGNATURE):
        return True
    start = len(_SIGNATURE)
    while start + 8 <= len(data):
        if data[start + 4 : start + 8] in _EXIF_CHUNKS:
            return True
        start += 12 + int.from_bytes(data[start : start + 4], "big")
    return False


def upright_rgb(image: PILImage.Image) -> PILImage.Image:
    """As a person sees it: rotated upright, transparency on white, 16 bits per channel scaled to 8."""
    from PIL import Image, ImageOps

    if is_plain(image):
        image.load()
        return image
    image = ImageOps.exif_transpose(image)
    if image.mode in ("I;16", "I;16B", "I;16L", "I"):
        # Pillow would clip 16 bits to 8 instead of scaling them.
        return Image.fromarray(
            (np.asarray(image, np.float64) / 257).round().clip(0, 255).astype(np.uint8)
        ).convert("RGB")
    if image.mode == "F":
        return _from_shares(np.asarray(image))
    if image.mode in ("RGBA", "LA", "PA", "RGBa", "La") or "transparency" in image.info:
        layered = image.convert("RGBA")
        return Image.alpha_composite(Image.new("RGBA", layered.size, "white"), layered).convert("RGB")
    return image.convert("RGB")


def _from_shares(values: NDArray[np.float32]) -> PILImage.Image:
    """Floating-point grey from 0 to 1. Other ranges have no agreed meaning, and would be clipped to white."""
    from PIL import Image

    if not ((values >= 0) & (values <= 1)).all():
        raise BadPicture("its floating-point values are not from 0 to 1; export it with 8 or 16 bits")
    return Image.fromarray((values * 255).round().astype(np.uint8)).convert("RGB")


def resized_to(pixels: Pixels, width: int, height: int) -> Pixels:
    """Lanczos with antialiasing; the same pixels if the size is already right."""
    from PIL import Image

    if pixels.shape[:2] == (height, width):
        return pixels
    return np.asarray(Image.fromarray(pixels).resize((width, height), Image.Resampling.LANCZOS))
