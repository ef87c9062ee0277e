"""Pictures: bytes, pixels and facts."""

from convergebench.picture.picture import (
    MAX_MEGAPIXELS,
    MEDIA_TYPES,
    SUFFIXES,
    Picture,
    decode,
    digest_of,
    encode_png,
    is_plain,
    resized_to,
    upright_rgb,
)
from convergebench.picture.png import plain_size

__all__ = [
    "MAX_MEGAPIXELS",
    "MEDIA_TYPES",
    "SUFFIXES",
    "Picture",
    "decode",
    "digest_of",
    "encode_png",
    "is_plain",
    "plain_size",
    "resized_to",
    "upright_rgb",
]
