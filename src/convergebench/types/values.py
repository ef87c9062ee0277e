"""Plain values: pixels, parameters, digests and fingerprints."""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Pixels: TypeAlias = "NDArray[np.uint8]"
"""Height × width × 3, sRGB, 0–255."""
Parameter: TypeAlias = str | int | float | bool
Digest: TypeAlias = str
"""SHA-256 of a picture's bytes, in hexadecimal."""


def parameter_in(text: str) -> Parameter:
    """A parameter from text, converted to the type that it looks like.

    >>> parameter_in("20"), parameter_in("2.5"), parameter_in("true"), parameter_in("auto")
    (20, 2.5, True, 'auto')
    """
    if text.lower() in ("true", "false"):
        return text.lower() == "true"
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text


def fingerprint_of(*parts: Any) -> str:
    """Sixteen hexadecimal digits that identify any JSON value.

    >>> fingerprint_of("jpeg", {"quality": 75}) == fingerprint_of("jpeg", {"quality": 75})
    True
    """
    canonical = json.dumps(parts, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    return hashlib.sha256(canonical.encode()).hexdigest()[:16]
