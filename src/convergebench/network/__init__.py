"""What every request to a provider obeys: where a key may go, how large an answer may be, and which addresses
pictures are fetched from."""

from convergebench.network.addresses import AddressPolicy
from convergebench.network.answers import BoundedBody, guarded_hooks, unanswered
from convergebench.network.origins import KeyOrigin
from convergebench.network.settings import NetworkSettings, network_settings

__all__ = [
    "AddressPolicy",
    "BoundedBody",
    "KeyOrigin",
    "NetworkSettings",
    "guarded_hooks",
    "network_settings",
    "unanswered",
]
