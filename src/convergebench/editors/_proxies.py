"""Proxies that speak a known provider's protocol, from the configuration file:

[providers.litellm]
like = "openai"
base_url = "http://127.0.0.1:4000/v1"
key = "LITELLM_API_KEY"
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from convergebench.errors import WrongUse
from convergebench.provider_limits import config_path, config_table
from convergebench.providers import check_no_secret
from convergebench.settings_file import settings_from

Protocol = Literal["openai", "server", "fal"]


@dataclass(frozen=True)
class ProviderProxy:
    like: Protocol
    """The provider whose protocol it speaks; `server` is OpenAI's with a seed."""
    base_url: str
    key: str = ""
    """The environment variable that holds its key."""


def configured_proxies() -> Mapping[str, ProviderProxy]:
    """The proxies by the names that stand before a model's: `litellm:gpt-image-2`."""
    found = {}
    for name, table in config_table("providers").items():
        where = f"{config_path()}: providers.{name}"
        if not isinstance(table, dict):
            raise WrongUse(f"{where} must be a table with like, base_url and key")
        try:
            proxy = settings_from(ProviderProxy, table, "proxy")
            check_no_secret("base_url", proxy.base_url)
        except WrongUse as error:
            raise WrongUse(f"{where}: {error}") from error
        found[name] = proxy
    return found
