"""The Ray cluster that a run uses: one that is there, or one of this machine alone, started for the run.

The one we start listens on loopback only, tells nobody of itself, and ends with us, however we end.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from types import ModuleType

from convergebench.errors import ConvergeBenchError, MissingExtra

QUIET = {"RAY_USAGE_STATS_ENABLED": "0", "RAY_enable_metrics_collection": "0"}
LOOPBACK_ONLY = {"RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER": "0"}
"""Without it Ray takes the machine's address where 127.0.0.1 is asked for."""
OBJECT_STORE_BYTES = 128 * 1024 * 1024
"""Small, since pictures go through the picture store."""


class NoCluster(ConvergeBenchError):
    """There is no Ray cluster to run on."""


def ray_module() -> ModuleType:
    """Ray, which reads its environment when it is imported."""
    for name, value in QUIET.items():
        os.environ.setdefault(name, value)
    try:
        import ray
    except ImportError as error:
        raise MissingExtra("ray", "ray") from error
    return ray


@contextmanager
def connected(address: str | None = None) -> Iterator[None]:
    """Have Ray connected while this lasts: to the address, or to a cluster of our own.

    Where this process is connected already, that is used and left as it is.
    """
    if address is None:
        for name, value in LOOPBACK_ONLY.items():
            os.environ.setdefault(name, value)
    ray = ray_module()
    if ray.is_initialized():
        yield
        return
    common = {"logging_level": "error", "log_to_driver": False}
    try:
        if address is None:
            ray.init(
                address="local",
                include_dashboard=False,
                _node_ip_address="127.0.0.1",
                object_store_memory=OBJECT_STORE_BYTES,
                **common,
            )
        else:
            ray.init(address=address, **common)
    except (ConnectionError, RuntimeError, ValueError) as error:
        where = f"at {address}" if address else "on this machine"
        reason = str(error).strip().splitlines()[0]
        raise NoCluster(f"no Ray cluster {where} ({reason}); check --ray-address") from error
    try:
        yield
    finally:
        ray.shutdown()


def total(resource: str) -> float:
    """How much of it the cluster has, such as CPU or GPU."""
    return float(ray_module().cluster_resources().get(resource, 0.0))
