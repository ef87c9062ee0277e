"""The Ray cluster that a run uses: an existing one, or a local one that is started for the run.

The local cluster listens on loopback only, collects no usage statistics, and always ends with this process.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from types import ModuleType

from convergebench.errors import ConvergeBenchError, MissingExtra

QUIET = {"RAY_USAGE_STATS_ENABLED": "0", "RAY_enable_metrics_collection": "0"}
LOOPBACK_ONLY = {"RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER": "0"}
"""Without this setting, Ray replaces 127.0.0.1 by the machine's address."""
OBJECT_STORE_BYTES = 128 * 1024 * 1024
"""Small, because pictures go through the picture store."""


class NoCluster(ConvergeBenchError):
    """No Ray cluster is available."""


def ray_module() -> ModuleType:
    """The ray module, imported late because Ray reads its environment on import."""
    for name, value in QUIET.items():
        os.environ.setdefault(name, value)
    try:
        import ray
    except ImportError as error:
        raise MissingExtra("ray", "ray") from error
    module: ModuleType = ray
    return module


@contextmanager
def connected(address: str | None = None) -> Iterator[None]:
    """Keep Ray connected inside the `with` block: to the address, or to a local cluster.

    An existing connection of this process is used, and left open.
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
    """The cluster's total of a resource, such as CPU or GPU."""
    return float(ray_module().cluster_resources().get(resource, 0.0))
