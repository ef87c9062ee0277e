"""Editing pipelines of diffusers on this machine: `diffusers:folder-or-hub-id?steps=20&device=cuda:0&…`.

`steps`, `guidance` and any argument that the pipeline's call takes by that name are part of the editor's
identity; `device`, `devices` and `offload` say only where it runs. A picture's size is kept where its sides
are multiples that the pipeline can make (mostly 16); otherwise they are rounded down to such, once.

`batch` is how many edits share a call. In float32 each is what it would be alone, within 1/255; in half
precision a GPU rounds differently in a batch (by up to 14/255 in a pixel where we measured it), so a batch
is made only where it is asked for, and its size is part of the identity.
"""

from __future__ import annotations

import asyncio
import dataclasses
import itertools
from collections.abc import Sequence
from pathlib import Path

from convergebench.editors._local_weights import DTYPES, chosen, class_named_in
from convergebench.editors._pipelines import KINDS, Kind, pipeline_warnings
from convergebench.editors._replica import OFFLOADS, DeviceReplica, finished
from convergebench.editors._settings import without_settings
from convergebench.editors._short_names import pipelines_by_id, short_names
from convergebench.editors.needs import HubWeights, Package
from convergebench.editors.registry import provider
from convergebench.types import Edited, EditError, Editor, EditorFacts, EditRequest, Share

PLACEMENT = ("device", "devices", "offload")


@provider(
    "diffusers",
    summary="an editing pipeline of diffusers, on this machine",
    version="1",
    price_usd=0.0,
    needs=(Package("diffusers", "diffusers"), Package("torch", "torch")),
    presets={
        name: dataclasses.replace(preset, needs=(HubWeights(preset.model),))
        for name, preset in short_names("diffusers").items()
    },
    parameters={"dtype": "bfloat16", "device": "auto", "devices": "", "offload": "none", "batch": 1},
    takes_seed=True,
)
def diffusers(facts: EditorFacts) -> Editor:
    chosen(facts, "dtype", DTYPES)
    offload = chosen(facts, "offload", OFFLOADS)
    devices = str(facts.parameters["devices"] or facts.parameters["device"]).split(",")
    batch = max(1, int(facts.parameters["batch"]))
    return DiffusersEditor(without_settings(facts, *PLACEMENT), devices, offload, batch)


class DiffusersEditor:
    """A pipeline, once on each device: one call at a time on a thread of its own, loaded when first asked."""

    def __init__(self, facts: EditorFacts, devices: Sequence[str], offload: str, batch: int) -> None:
        kind = _declared_kind(str(facts.parameters["model"]))
        self.facts = dataclasses.replace(
            facts,
            max_inputs=kind.max_inputs if kind else 1,
            warnings=pipeline_warnings(kind, facts.parameters) if kind else (),
        )
        self.share = Share(gpus=sum(device != "cpu" for device in devices))
        self._replicas = [DeviceReplica(facts.parameters, device, offload, batch) for device in devices]
        # A batch is kept only when all of it is done, so pipelines that take no pairs get none.
        self.batch_size = len(devices) * (batch if kind is None or kind.takes_pairs else 1)

    async def edit(self, request: EditRequest) -> Edited:
        (outcome,) = await self.edit_batch([request])
        if isinstance(outcome, EditError):
            raise outcome
        return outcome

    async def edit_batch(self, requests: Sequence[EditRequest]) -> Sequence[Edited | EditError]:
        for replica in self._replicas:  # all before the first edit: loading disturbs torch's other threads
            await replica.ready()
        shares = _shares(requests, len(self._replicas))
        done = await asyncio.gather(
            *(
                replica.on_its_thread(replica.edit_all, [requests[index] for index in share])
                for share, replica in zip(shares, itertools.cycle(self._replicas), strict=False)
            )
        )
        outcomes = {
            index: outcome
            for share, of_share in zip(shares, done, strict=True)
            for index, outcome in zip(share, of_share, strict=True)
        }
        return await asyncio.to_thread(finished, [outcomes[index] for index in range(len(requests))])

    async def close(self) -> None:
        await asyncio.gather(*(replica.close() for replica in self._replicas))


def _declared_kind(model: str) -> Kind | None:
    """What can be known without loading it."""
    named = class_named_in(Path(model).expanduser(), "model_index.json") or pipelines_by_id().get(model)
    return KINDS.get(named) if named else None


def _shares(requests: Sequence[EditRequest], replicas: int) -> list[list[int]]:
    """Indexes of requests that can go into one call, because their pictures have the same sizes, in as many
    parts as there are replicas to do them."""
    groups: dict[tuple[tuple[int, int], ...], list[int]] = {}
    for index, request in enumerate(requests):
        groups.setdefault(tuple(picture.size for picture in request.images), []).append(index)
    parts = [group[start::replicas] for group in groups.values() for start in range(replicas)]
    return [part for part in parts if part]
