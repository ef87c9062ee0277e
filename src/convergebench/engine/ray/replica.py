"""One Ray actor as a replica."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Sequence
from typing import Any, Generic, TypeVar

from convergebench.engine.ray.cluster import ray_module
from convergebench.engine.ray.replica_worker import ReplicaLost
from convergebench.types import Share

log = logging.getLogger("convergebench")

CLOSE_SECONDS = 5.0
PLACEMENT_NOTICE_SECONDS = 30.0

Request = TypeVar("Request")
Reply = TypeVar("Reply")


class RayReplica(Generic[Request, Reply]):
    def __init__(self, actor: Any) -> None:
        self._actor = actor

    @classmethod
    async def start(
        cls, kind: type, share: Share, *arguments: Any, ready: Sequence[Any] = ()
    ) -> RayReplica[Any, Any]:
        """Place the actor on a node with room for it and prepare it. An error that the preparation returns is
        raised."""
        ray = ray_module()
        placed = ray.remote(kind).options(
            num_cpus=share.cpus, num_gpus=share.gpus, scheduling_strategy="SPREAD", max_restarts=0
        )
        actor = placed.remote(*arguments)
        try:
            error = await _answer(_placed(actor.ready.remote(*ready), share))
            if error is not None:
                raise error
        except BaseException:
            ray.kill(actor)
            raise
        return cls(actor)

    async def serve(self, requests: Sequence[Request]) -> Sequence[Reply | Exception]:
        return await _answer(self._actor.serve.remote(list(requests)))  # type: ignore[no-any-return]

    async def close(self) -> None:
        with contextlib.suppress(Exception):
            async with asyncio.timeout(CLOSE_SECONDS):
                await self._actor.close.remote()
        ray_module().kill(self._actor)


async def _answer(reply: Any) -> Any:
    """The actor's result or exception; raises ReplicaLost if the actor no longer exists."""
    exceptions = ray_module().exceptions
    try:
        return await reply
    except exceptions.RayTaskError as error:
        raise error.cause from None
    except exceptions.RayError as error:
        raise ReplicaLost(_reason(error)) from error


def _reason(error: Exception) -> str:
    """One line: the exception from the actor's creation, the reason for its death, or the first line of Ray's
    message."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    if "creation task" in lines[0]:
        return lines[-1]
    return next((line for line in lines if line.startswith("The actor is dead because")), lines[0])


async def _placed(reply: Any, share: Share) -> Any:
    """The reply. Logs a message if the cluster has no room for the actor yet."""
    waited = asyncio.wrap_future(reply.future())
    try:
        done, _ = await asyncio.wait({waited}, timeout=PLACEMENT_NOTICE_SECONDS)
        if not done:
            room = [f"{share.cpus:g} CPUs"] * (share.cpus > 0) + [f"{share.gpus:g} GPUs"] * (share.gpus > 0)
            log.warning("still waiting for a node that has %s free for a replica", " and ".join(room))
        return await waited
    finally:
        waited.cancel()
