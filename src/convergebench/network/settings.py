"""The limits of this package on the network, from `convergebench.toml`:

[network]
answer_mb = 256
answer_seconds = 600
private_addresses = false
"""

from __future__ import annotations

import math
from dataclasses import dataclass, fields

from convergebench.errors import WrongUse
from convergebench.provider_limits import config_path, config_table


@dataclass(frozen=True)
class NetworkSettings:
    answer_mb: float = 256.0
    """The largest answer that is read, decompressed. A 4K picture as base64 PNG is about 40 MB."""
    answer_seconds: float = 600.0
    """The longest time that an answer may take from its first line to its end. Some servers begin to answer
    before their model does."""
    private_addresses: bool = False
    """Whether pictures may be fetched from loopback, link-local and private addresses of any host."""

    @property
    def answer_bytes(self) -> int:
        return int(self.answer_mb * 1_000_000)


def network_settings() -> NetworkSettings:
    """What the file says; the defaults where there is none."""
    given = config_table("network")
    for name, value in given.items():
        _check(name, value)
    return NetworkSettings(**given)


def _check(name: str, value: object) -> None:
    where = f"{config_path()}: network.{name}"
    known = [one.name for one in fields(NetworkSettings)]
    if name not in known:
        raise WrongUse(f"{where} is unknown; there are {', '.join(known)}")
    if name == "private_addresses" and not isinstance(value, bool):
        raise WrongUse(f"{where} must be true or false, not {value!r}")
    if name in ("answer_mb", "answer_seconds") and (
        isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value < math.inf
    ):
        raise WrongUse(f"{where} must be a number above 0, not {value!r}")
