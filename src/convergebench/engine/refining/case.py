"""One case on its way through refinement: the `edit` and the `reason` that the protocol is handed."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass

from convergebench.engine.editing.durable_edit import DurableEdit, Trajectory
from convergebench.engine.editing.source_cache import SourceCache
from convergebench.engine.limits import Limits, Stopped
from convergebench.engine.refining.advice import NoAdvice, Reasoner
from convergebench.judges.reasoning import Advice
from convergebench.picture import Picture
from convergebench.protocols import one_shot
from convergebench.protocols.refine import PRIMARY
from convergebench.store import Enrolment, Workspace
from convergebench.store.claims import POLL_SECONDS
from convergebench.store.reasoner_calls import finished_step, primary_of, record_reasoner_call
from convergebench.types import Case, Editor, Image, Step


@dataclass(frozen=True)
class Unit:
    """A case to refine, with the trajectories of its first edit and of what follows: the same one where
    nothing follows."""

    primary: int
    refinement: int
    enrolment: Enrolment

    @property
    def case(self) -> Case:
        return self.enrolment.case


@dataclass(frozen=True)
class Stage:
    """Who edits, and within which limits."""

    editor: Editor
    limits: Limits


class Refinement:
    """The first edit is the case's single edit by that editor, whoever had it made; what follows is a
    trajectory of its own, whose positions go on from there. A refinement belongs to the picture that it
    began with: where the first edit has been made anew, it starts anew too."""

    def __init__(
        self,
        unit: Unit,
        stages: tuple[Stage, Stage],
        workspace: Workspace,
        run: int,
        sources: SourceCache,
        reasoner: Reasoner | None,
        *,
        on_step: Callable[[Step, bool], Awaitable[None]],
        on_stand: Callable[[int], None],
        may_begin: Callable[[], bool],
    ) -> None:
        """`on_stand` is told the trajectory whenever the case stands at a picture, all of it on record."""
        self._unit = unit
        self._first, self._then = stages
        self._workspace = workspace
        self._run = run
        self._sources = sources
        self._reasoner = reasoner
        self._on_step = on_step
        self._on_stand = on_stand
        self._may_begin = may_begin
        self._trajectory = unit.refinement
        self._started_anew = False
        self._again: DurableEdit | None = None
        self._primary_step = 0

    async def edit(
        self, image: Image | Sequence[Image], instruction: str, *, role: str, round: int
    ) -> Picture:
        if role == PRIMARY:
            picture = await self._primary()
        else:
            assert self._again is not None, "the primary edit comes first"
            picture = await self._again(image, instruction, role=role, round=round)
            await self._again.settled()  # before a look at it is paid for
        self._on_stand(self._trajectory)
        return picture

    async def reason(self, case: Case, image: Picture, *, round: int) -> Advice:
        """The advice on the picture; NoAdvice says why there is none. Either is on record when this ends."""
        assert self._reasoner is not None, "somebody must look"
        sources = [(await self._sources.open(source)).digest for source in case.sources]
        looked = await self._reasoner.look(sources, image.digest, case.forward)
        recorded = record_reasoner_call(
            self._workspace, self._trajectory, round, self._primary_step, looked.judgement, self._run
        )
        await asyncio.wrap_future(recorded)
        if looked.advice is None:
            raise NoAdvice(looked.missing)
        if not looked.advice.instructions:
            self._on_stand(self._trajectory)
        return looked.advice

    def release(self) -> None:
        """Let go of what was claimed here; who handed us the unit has the claim on that."""
        if self._started_anew:
            self._workspace.release(self._trajectory)

    async def _primary(self) -> Picture:
        first = self._unit.primary
        if first == self._unit.refinement:
            return await self._first_edit()
        await self._claim(first)
        try:
            picture = await self._first_edit()
        finally:
            self._workspace.release(first)
        self._primary_step = finished_step(self._workspace, first)
        await self._begin_refining(picture)
        return picture

    async def _first_edit(self) -> Picture:
        made: list[Picture] = []
        edit = self._durable(self._unit.primary, self._first, 0, made)
        await one_shot().run(self._unit.case, edit)
        await edit.settled()
        return made[0]

    async def _begin_refining(self, primary: Picture) -> None:
        if primary_of(self._workspace, self._trajectory) not in (None, primary.digest):
            enrolled = await asyncio.to_thread(self._workspace.enrol, [self._unit.enrolment], fresh=True)
            self._trajectory = enrolled[0]
            await self._claim(self._trajectory)
            self._started_anew = True
        self._again = self._durable(self._trajectory, self._then, one_shot().edits, [])

    def _durable(self, identity: int, stage: Stage, first_position: int, made: list[Picture]) -> DurableEdit:
        case, seed = self._unit.case, self._unit.enrolment.seed
        trajectory = Trajectory(identity, self._run, stage.editor, case, seed, first_position)

        async def seen(step: Step, picture: Picture | None, replayed: bool) -> None:
            if picture is not None:
                made.append(picture)
            await self._on_step(step, replayed)

        return DurableEdit(
            trajectory,
            self._workspace.steps(identity),
            self._workspace,
            stage.limits,
            open_source=self._sources.open,
            on_step=seen,
            may_begin=self._may_begin,
        )

    async def _claim(self, trajectory: int) -> None:
        """Wait until nobody else works on it: what others finish is replayed here."""
        while not self._workspace.claim(trajectory):
            if not self._may_begin():
                raise Stopped
            await asyncio.sleep(POLL_SECONDS)
