"""Which addresses a picture may be fetched from: http and https, and never this machine or its network,
unless the provider itself is there or the user allows it."""

from __future__ import annotations

import asyncio
import ipaddress
import socket
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from convergebench.types import UnusableAnswer

IPAddress = ipaddress.IPv4Address | ipaddress.IPv6Address


@dataclass(frozen=True)
class AddressPolicy:
    """`provider` is the address of the server whose answers name the pictures."""

    provider: str = ""
    allow_private: bool = False

    def check_url(self, url: str) -> None:
        """Raise UnusableAnswer if this is not an http address, or names a forbidden address in digits."""
        try:
            parts = urlsplit(url)
            host = parts.hostname
        except ValueError:
            host = None
        if host is None or parts.scheme not in ("http", "https"):
            raise UnusableAnswer(f"the answer names {url[:80]!r} as the picture, which is no http address")
        address = _in_digits(host)
        if address is not None:
            self.check_address(address, host)

    def check_address(self, address: IPAddress, host: str) -> None:
        """Raise UnusableAnswer if this resolved address must not be contacted."""
        if _is_public(address) or self.allow_private or self._is_provider(address):
            return
        raise UnusableAnswer(
            f"the answer names a picture at {host}, a private address; to allow it, set "
            "private_addresses = true under [network] in convergebench.toml"
        )

    def _is_provider(self, address: IPAddress) -> bool:
        host = urlsplit(self.provider).hostname
        if not host:
            return False
        try:
            found = {_plain(ipaddress.ip_address(one[4][0])) for one in socket.getaddrinfo(host, None)}
        except (OSError, ValueError):
            return False
        address = _plain(address)
        return address in found or (address.is_loopback and any(one.is_loopback for one in found))


def checked_resolver(policy: AddressPolicy, proxy_hosts: frozenset[str]) -> Any:
    """An aiohttp resolver. The connection goes to the very address that was checked, so that a name cannot
    mean another one a moment later."""
    from aiohttp.resolver import ThreadedResolver

    class CheckedResolver(ThreadedResolver):
        async def resolve(self, host: str, *args: Any, **options: Any) -> Any:
            found = await super().resolve(host, *args, **options)
            for one in () if host in proxy_hosts else found:
                await asyncio.to_thread(policy.check_address, ipaddress.ip_address(one["host"]), host)
            return found

    return CheckedResolver()


def _is_public(address: IPAddress) -> bool:
    plain = _plain(address)
    return plain.is_global and not plain.is_multicast


def _plain(address: IPAddress) -> IPAddress:
    """An IPv4 address inside an IPv6 one is that IPv4 address."""
    inner = address.ipv4_mapped if isinstance(address, ipaddress.IPv6Address) else None
    return inner or address


def _in_digits(host: str) -> IPAddress | None:
    """The address, if the host is written as one in any way that a system accepts, such as 127.1."""
    try:
        return ipaddress.ip_address(host.partition("%")[0])
    except ValueError:
        pass
    try:
        return ipaddress.IPv4Address(socket.inet_aton(host))
    except OSError:
        return None
