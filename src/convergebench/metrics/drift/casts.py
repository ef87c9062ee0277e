"""Names of colour casts."""

from __future__ import annotations

import math

_UP_TO = ((20, "magenta"), (55, "red"), (80, "orange"), (118, "yellow"), (170, "green"), (235, "cyan"),
          (315, "blue"), (360, "magenta"))  # fmt: skip
"""Hue angles in Lab that separate one name from the next."""


def cast_word(a: float, b: float) -> str:
    """The name of the colour in this direction of Lab.

    >>> cast_word(-10, 7), cast_word(0, -5)
    ('green', 'blue')
    """
    hue = math.degrees(math.atan2(b, a)) % 360
    return next(word for end, word in _UP_TO if hue <= end)
