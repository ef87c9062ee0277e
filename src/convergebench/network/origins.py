"""Where a key may go: to the one host that it is for, whatever an answer or a redirect says."""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import urljoin, urlsplit

from convergebench.types import Misconfigured, UnusableAnswer

_PORTS = {"http": 80, "https": 443}


@dataclass(frozen=True)
class KeyOrigin:
    """Scheme, host and port of a provider's address. `sites` are domains of the same provider: one that
    answers from regional hosts names them here, and they are trusted over https only."""

    address: str
    sites: tuple[str, ...] = ()

    def allows(self, url: str) -> bool:
        """
        >>> bfl = KeyOrigin("https://api.bfl.ai", sites=("bfl.ai",))
        >>> bfl.allows("https://api.eu1.bfl.ai/v1/get_result"), bfl.allows("http://api.bfl.ai/v1")
        (True, False)
        >>> bfl.allows("https://bfl.ai.example.com"), KeyOrigin("http://a:1/v1").allows("http://a:2/v1")
        (False, False)
        """
        there = _origin(url)
        if there is not None and there == _origin(self.address):
            return True
        if there is None or (there[0], there[2]) != ("https", 443) or not self.address.startswith("https:"):
            return False
        return any(there[1] == site or there[1].endswith(f".{site}") for site in self.sites)

    def check_request(self, url: str) -> None:
        """Raise UnusableAnswer if a request with the key may not go to this address, as an answer wants."""
        if not self.allows(url):
            raise UnusableAnswer(
                f"{_host(self.address)} names an address at {_host(url)}; a key is sent to one host only"
            )

    def check_redirect(self, before: str, location: str) -> None:
        """Raise Misconfigured if a request with the key may not be redirected there."""
        try:
            target = urljoin(before, location)
        except ValueError:
            target = location
        if not self.allows(target):
            raise Misconfigured(
                f"{_host(before)} redirects to {_host(target)}; a key is sent to one host only, so the "
                "redirect was not followed. If that address is right, set base_url to it"
            )


def _origin(url: str) -> tuple[str, str, int] | None:
    try:
        parts = urlsplit(url)
        port = parts.port or _PORTS.get(parts.scheme)
    except ValueError:
        return None
    if parts.hostname is None or port is None:
        return None
    return parts.scheme, parts.hostname.rstrip("."), port


def _host(url: str) -> str:
    """Scheme, host and port, without a login."""
    origin = _origin(url)
    return f"{origin[0]}://{origin[1]}:{origin[2]}" if origin else repr(url[:80])
