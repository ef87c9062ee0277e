"""An editor whose replicas are Ray actors. It sends digests, and receives the facts of stored pictures."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial

from convergebench.engine.ray.actors import EditorActor
from convergebench.engine.ray.messages import EditMessage, EditReply
from convergebench.engine.ray.replica import RayReplica
from convergebench.engine.ray.replica_pool import DEADLINE_SECONDS, ReplicaPool, ReplicasGone, Scale
from convergebench.engine.ray.resources import Cluster
from convergebench.picture import Picture
from convergebench.store import PictureStore
from convergebench.types import BatchEditor, Crashed, Edited, Editor, EditRequest, Replicable

AHEAD = 2
"""Requests for each place in a replica's batch: one being served, and one waiting."""


class RayEditor:
    """The same editor, on the nodes of the cluster. Pictures do not pass through this process."""

    def __init__(
        self,
        editor: Replicable,
        build: Callable[[], Editor],
        pictures: PictureStore,
        cluster: Cluster,
        scale: Scale | None,
        deadline_seconds: float = DEADLINE_SECONDS,
    ) -> None:
        share = cluster.for_editor(editor.share)
        chosen = scale or Scale(1, cluster.room_for(share))
        batch_size = editor.batch_size if isinstance(editor, BatchEditor) else 1
        self.at_once = AHEAD * chosen.most * batch_size
        # A separate lane: further requests would only wait inside, with the clock running.
        self.facts = replace(editor.facts, provider=f"ray {editor.facts.name}", at_once=self.at_once)
        self._pictures = pictures
        self._editor = editor
        ready = (editor.facts.fingerprint,)
        start = partial(RayReplica.start, EditorActor, share, build, pictures.place, ready=ready)
        self._replicas: ReplicaPool[EditMessage, EditReply] = ReplicaPool(
            editor.facts.name, start, chosen, batch_size, deadline_seconds=deadline_seconds
        )

    async def prepare(self) -> None:
        await self._replicas.ready()

    async def edit(self, request: EditRequest) -> Edited:
        images = tuple(image.facts for image in request.images)
        try:
            made = await self._replicas.ask(
                EditMessage(images, request.instruction, request.seed, request.context)
            )
        except ReplicasGone as error:
            raise Crashed(str(error)) from error
        return Edited(self._picture(made), made.cost_usd, made.seconds)

    async def close(self) -> None:
        await self._replicas.close()
        await self._editor.close()

    def _picture(self, made: EditReply) -> Picture:
        if made.encoded is not None:
            return Picture(made.picture, encoded=made.encoded)
        return self._pictures.open(made.picture)
