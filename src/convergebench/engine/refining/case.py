"""Refinement of one case: the `edit` and `reason` functions that are passed to the protocol."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from types import TracebackType

from convergebench.engine.editing.durable_edit import DurableEdit, Trajectory
from convergebench.engine.editing.source_cache import SourceCache
from convergebench.engine.editing.step_saver import StepSaver
from convergebench.engine.limits import Limits
from convergebench.engine.refining.advice import NoAdvice, Reasoner
from convergebench.engine.session import claimed
from convergebench.judges.reasoning import Advice
from convergebench.picture import Picture
from convergebench.protocols import one_shot
from convergebench.protocols.refine import PRIMARY
from convergebench.store import Enrolment, Workspace
from convergebench.store.reasoner_calls import finished_step, primary_of, record_reasoner_call
from convergebench.types import Case, Editor, Image, Step


@dataclass(frozen=True)
class RefinementUnit:
    """A case to refine, with the trajectories of its primary edit and of its further edits. Both are the same
    if nothing is refined."""

    primary: int
    refinement: int
    enrolment: Enrolment

    @property
    def case(self) -> Case:
        return self.enrolment.case

    @property
    def claim(self) -> int:
        return self.refinement


@dataclass(frozen=True)
class EditStage:
    """An editor, and its limits."""

    editor: Editor
    limits: Limits


class Refinement:
    """The primary edit is the case's single edit by that editor, whichever command created it. The further
    edits are a separate trajectory, whose positions continue from there. A refinement belongs to the primary
    picture: if the primary edit is repeated, the refinement restarts.

    Use it as a context manager: on exit it releases all its claims.
    """

    def __init__(
        self,
        unit: RefinementUnit,
        stages: tuple[EditStage, EditStage],
        workspace: Workspace,
        run: int,
        sources: SourceCache,
        saver: StepSaver,
        reasoner: Reasoner | None,
        *,
        on_step: Callable[[Step, bool], Awaitable[None]],
        on_picture: Callable[[int], None],
        may_begin: Callable[[], bool],
    ) -> None:
        """`on_picture` is called with the trajectory each time the case has a new picture, after it is fully
        recorded."""
        self._unit = unit
        self._primary_stage, self._further_stage = stages
        self._workspace = workspace
        self._run = run
        self._sources = sources
        self._saver = saver
        self._reasoner = reasoner
        self._on_step = on_step
        self._on_picture = on_picture
        self._may_begin = may_begin
        self._trajectory = unit.refinement
        self._claims = contextlib.AsyncExitStack()
        self._edit_again: DurableEdit | None = None
        self._primary_step = 0

    async def edit(
        self, image: Image | Sequence[Image], instruction: str, *, role: str, round: int
    ) -> Picture:
        if role == PRIMARY:
            picture = await self._primary()
        else:
            assert self._edit_again is not None, "the primary edit comes first"
            picture = await self._edit_again(image, instruction, role=role, round=round)
            await self._edit_again.settled()  # before paying the reasoner to look at it
        self._on_picture(self._trajectory)
        return picture

    async def reason(self, case: Case, image: Picture, *, round: int) -> Advice:
        """The advice on the picture. NoAdvice gives the reason if there is none. Either is recorded on
        return."""
        assert self._reasoner is not None, "rounds need a reasoner"
        sources = [(await self._sources.open(source)).digest for source in case.sources]
        reply = await self._reasoner.look(sources, image.digest, case.forward, case.category)
        recorded = record_reasoner_call(
            self._workspace, self._trajectory, round, self._primary_step, reply.judgement, self._run
        )
        await asyncio.wrap_future(recorded)
        if reply.advice is None:
            raise NoAdvice(reply.missing)
        if not reply.advice.instructions:
            self._on_picture(self._trajectory)
        return reply.advice

    async def __aenter__(self) -> Refinement:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._claims.aclose()

    async def _primary(self) -> Picture:
        trajectory = self._unit.primary
        if trajectory == self._unit.refinement:
            return await self._primary_edit()
        async with claimed(self._workspace, trajectory, self._may_begin):
            picture = await self._primary_edit()
        self._primary_step = finished_step(self._workspace, trajectory)
        await self._begin_refining(picture)
        return picture

    async def _primary_edit(self) -> Picture:
        results: list[Picture] = []
        edit = self._durable(self._unit.primary, self._primary_stage, 0, results)
        await one_shot().run(self._unit.case, edit)
        await edit.settled()
        return results[0]

    async def _begin_refining(self, primary: Picture) -> None:
        if primary_of(self._workspace, self._trajectory) not in (None, primary.digest):
            enrolled = await asyncio.to_thread(self._workspace.enrol, [self._unit.enrolment], fresh=True)
            self._trajectory = enrolled[0]
            await self._claims.enter_async_context(
                claimed(self._workspace, self._trajectory, self._may_begin)
            )
        self._edit_again = self._durable(self._trajectory, self._further_stage, one_shot().edits, [])

    def _durable(
        self, identity: int, stage: EditStage, first_position: int, results: list[Picture]
    ) -> DurableEdit:
        case, seed = self._unit.case, self._unit.enrolment.seed
        trajectory = Trajectory(identity, self._run, stage.editor, case, seed, first_position)

        async def on_step(step: Step, picture: Picture | None, replayed: bool) -> None:
            if picture is not None:
                results.append(picture)
            await self._on_step(step, replayed)

        return DurableEdit(
            trajectory,
            self._workspace.steps(identity),
            self._workspace,
            stage.limits,
            self._saver,
            open_source=self._sources.open,
            on_step=on_step,
            may_begin=self._may_begin,
        )
