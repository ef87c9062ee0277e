"""The durable `edit`: finished steps are replayed from the store; other steps are created and recorded."""

from __future__ import annotations

import asyncio
import contextlib
import zlib
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass

from convergebench.engine.budget import BudgetReached, Stopped
from convergebench.engine.editing.step_saver import StepSaver
from convergebench.engine.limits import Attempted, Limits
from convergebench.errors import BadPicture, LostPicture, WorkspaceError
from convergebench.picture import Picture
from convergebench.store import Workspace
from convergebench.store.pictures import REPAIR
from convergebench.types import (
    FINAL_FAILURES,
    Case,
    Digest,
    Edited,
    EditError,
    Editor,
    EditRequest,
    Failure,
    Image,
    PictureFacts,
    SeedPolicy,
    SourcePicture,
    Step,
    StepContext,
)


class StepFailed(Exception):
    """Ends a trajectory: this step has no picture."""

    def __init__(self, failure: Failure) -> None:
        super().__init__(failure.reason)
        self.failure = failure


@dataclass(frozen=True)
class Trajectory:
    """One protocol run for (editor, case, seed), and the place where its steps are recorded."""

    id: int
    run: int
    editor: Editor
    case: Case
    seed: int
    first_position: int = 0
    """If it continues another trajectory, its positions and the steps' seeds continue too."""
    seed_policy: SeedPolicy = "fresh"
    stored_first: bool = False
    """Whether a picture is stored before it is passed on, because the receiver reads it from the store."""

    @property
    def claim(self) -> int:
        return self.id


class DurableEdit:
    """An `Edit` for one trajectory. Steps are identified by position: the protocol makes its requests in the
    same order each time, so the n-th request of a resumed trajectory is the n-th of the first.

    A picture is passed on while it is being written to disk, so that the next edit need not wait. Steps are
    recorded one after the other. The owner must await `settled` at the end.
    """

    def __init__(
        self,
        trajectory: Trajectory,
        recorded: Sequence[Step],
        workspace: Workspace,
        limits: Limits,
        saver: StepSaver,
        open_source: Callable[[SourcePicture], Awaitable[Picture]],
        on_step: Callable[[Step, Picture | None, bool], Awaitable[None]],
        may_begin: Callable[[], bool],
    ) -> None:
        self._trajectory = trajectory
        self._workspace = workspace
        self._limits = limits
        self._saver = saver
        self._open_source = open_source
        self._on_step = on_step
        self._may_begin = may_begin
        self._recorded = {step.position: step for step in recorded}
        self._position = trajectory.first_position
        self._saving: asyncio.Future[None] | None = None
        self._held: frozenset[Digest] | None = None

    async def __call__(
        self, image: Image | Sequence[Image], instruction: str, *, role: str, round: int
    ) -> Picture:
        images = image if isinstance(image, Sequence) else (image,)
        pictures = tuple([await self._open(one) for one in images])
        position, self._position = self._position, self._position + 1
        inputs = tuple(picture.digest for picture in pictures)
        recorded = self._recorded.get(position)
        if recorded is not None and _is_final(recorded):
            self._check_same_request(recorded, role, round, instruction, inputs)
            return await self._replay(recorded)
        if not self._may_begin():
            raise Stopped
        if not self._trajectory.stored_first:  # otherwise the receiver reads them, not this process
            await _check_readable(pictures)
        self._workspace.pictures.ensure_room()
        case, run_seed = self._trajectory.case.id, self._trajectory.seed
        seed = step_seed(run_seed, case, position if self._trajectory.seed_policy == "fresh" else 0)
        context = StepContext(case, position, role, round, run_seed)
        request = EditRequest(pictures, instruction, seed, context)
        try:
            attempted = await self._attempt(request)
        except BudgetReached as reached:
            if reached.attempted is not None:  # it has been paid for, so it is recorded
                with contextlib.suppress(StepFailed):
                    await self._record(context, request, reached.attempted)
            raise
        return await self._record(context, request, attempted)

    async def _record(
        self, context: StepContext, request: EditRequest, attempted: Attempted[Edited]
    ) -> Picture:
        inputs = tuple(picture.digest for picture in request.images)
        outcome, picture = _outcome(attempted)
        step = Step(
            context.position, context.role, context.round, request.instruction, request.seed, inputs, outcome,
            _seconds(attempted), attempted.cost_usd, attempted.attempts,
        )  # fmt: skip
        await self.settled()
        self._saving = self._saver.save(self._trajectory.id, self._trajectory.run, step, picture)
        if picture is None or self._trajectory.stored_first:
            await self.settled()
        return await self._report(step, picture, replayed=False)

    async def settled(self) -> None:
        """Wait until all steps are recorded. An error says why a step is not."""
        if self._saving is not None:
            saving, self._saving = self._saving, None
            await saving

    async def _attempt(self, request: EditRequest) -> Attempted[Edited]:
        editor = self._trajectory.editor
        facts = editor.facts
        return await self._limits.attempt(lambda: editor.edit(request), facts.price_usd, facts.fingerprint)

    async def _replay(self, step: Step) -> Picture:
        picture = None
        if isinstance(step.outcome, PictureFacts):
            if self._held is None:
                self._held = await asyncio.to_thread(self._stored_pictures)
            if step.outcome.digest not in self._held:
                place = self._workspace.pictures.place
                raise BadPicture(f"picture {step.outcome.digest} is gone from {place}; {REPAIR}")
            picture = self._workspace.pictures.open(step.outcome)
        return await self._report(step, picture, replayed=True)

    def _stored_pictures(self) -> frozenset[Digest]:
        """The pictures of all recorded steps that the store has: a thread for each would take longer."""
        outcomes = [step.outcome for step in self._recorded.values()]
        made = [one for one in outcomes if isinstance(one, PictureFacts)]
        return frozenset(one.digest for one in made if self._workspace.pictures.holds(one))

    async def _report(self, step: Step, picture: Picture | None, *, replayed: bool) -> Picture:
        await self._on_step(step, picture, replayed)
        if picture is None:
            assert isinstance(step.outcome, Failure)
            raise StepFailed(step.outcome)
        return picture

    async def _open(self, image: Image) -> Picture:
        return await self._open_source(image) if isinstance(image, SourcePicture) else image

    def _check_same_request(
        self, step: Step, role: str, round: int, instruction: str, inputs: tuple[str, ...]
    ) -> None:
        if (step.role, step.round, step.instruction, step.inputs) != (role, round, instruction, inputs):
            raise WorkspaceError(
                f"step {step.position} of {self._trajectory.case.id} was recorded for another request; "
                "the protocol has changed. Run it again with --fresh"
            )


async def _check_readable(pictures: Sequence[Picture]) -> None:
    """BadPicture if one of them is lost: what the model would do with it says nothing about the model."""
    if all(picture.is_read or picture.is_decoded for picture in pictures):
        return
    try:
        await asyncio.to_thread(lambda: [picture.encoded for picture in pictures])
    except LostPicture as error:
        raise BadPicture(str(error)) from error


def _outcome(attempted: Attempted[Edited]) -> tuple[PictureFacts | Failure, Picture | None]:
    if isinstance(attempted.outcome, EditError):
        return Failure(attempted.outcome.kind, str(attempted.outcome)), None
    picture = attempted.outcome.picture
    return picture.facts, picture


def _seconds(attempted: Attempted[Edited]) -> float:
    known = attempted.outcome.seconds if isinstance(attempted.outcome, Edited) else None
    return attempted.seconds if known is None else known


def _is_final(step: Step) -> bool:
    """The next run retries any other failure."""
    return isinstance(step.outcome, PictureFacts) or step.outcome.kind in FINAL_FAILURES


def step_seed(seed: int, case: str, position: int) -> int:
    """A different seed for every position, the same in each run."""
    return zlib.crc32(f"{seed}/{case}/{position}".encode()) & 0x7FFFFFFF
