"""The settings of a refinement: in a call, on the command line, or in a YAML file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from convergebench.engine import RunLimits
from convergebench.errors import WrongUse, unknown_name
from convergebench.judges.registry import name_with_settings
from convergebench.results.model_labels import without_address
from convergebench.settings_file import path_field, path_or_name_field, read_settings, settings_from
from convergebench.types import Parameter

GRADES = ("category", "sc", "if", "pq")


@dataclass(frozen=True)
class RefinementSettings:
    """Its fields are the keys of a refinement file."""

    models: tuple[str, ...] = ()
    """The models whose edits are refined."""
    reasoner: str = ""
    """The reasoner, named like a judge; not needed if `rounds` is 0."""
    executor: str = ""
    """The editor for further edits; by default the model itself."""
    rounds: int = 1
    """Number of refinement rounds. With 0, the single edits are evaluated unchanged."""
    chained: bool = False
    """One edit for each instruction of a round, instead of one for all."""
    image: str = path_field()
    """One picture instead of a suite, with its instruction."""
    instruction: str = ""
    description: str = ""
    """What the picture shows; judges see it, the reasoner does not."""
    suite: str = "reedit"
    data: str = path_or_name_field()
    categories: tuple[str, ...] = ()
    per_category: int | None = None
    limit: int | None = None
    sampling_seed: int = 0
    seed: int = 0
    """Of the edits."""
    reasoner_settings: Mapping[str, Parameter] = field(default_factory=dict)
    """Such as max_tokens; they are part of the reasoner's name."""
    judge: str = ""
    """By default there is no judge."""
    judge_settings: Mapping[str, Parameter] = field(default_factory=dict)
    prompts: str = path_field()
    """A copy of RE-Edit's repository or its configuration, in whose words reasoner and judge are asked, or
    rubrics of your own."""
    as_published: bool = False
    """Edit again although the reasoner finds nothing wrong, and put figures by RE-Edit's treatment of missing
    verdicts beside ours."""
    grades: tuple[str, ...] = GRADES
    """What is judged: the category's verdict, semantic consistency, instruction following, quality."""
    judge_primary: bool = True
    retry_missing: bool = False
    """Request missing advice and verdicts again."""
    workers: int | None = None
    """Parallel cases of each model."""
    reasoner_workers: int | None = None
    judge_workers: int | None = None
    per_minute: float | None = None
    max_cost_usd: float | None = None
    """Of editing, reasoning and judging together."""
    max_total_usd: float | None = None
    """Of the workspace, over all runs and processes."""
    workspace: str = path_field("results")
    output_dir: str = path_field()
    """An additional folder for pictures and texts; by default they are only in the workspace."""
    output_prefix: str = ""
    """Name of one picture's files; by default the picture's own name."""

    def __post_init__(self) -> None:
        if not self.models:
            raise WrongUse("name the model whose edits are refined with --model; see: convergebench models")
        if self.rounds < 0:
            raise WrongUse("--rounds must be at least 0")
        if self.rounds and not self.reasoner:
            raise WrongUse(
                "choose the reasoner with --reasoner PROVIDER:MODEL, or refine nothing with --rounds 0"
            )
        if bool(self.image) != bool(self.instruction):
            raise WrongUse("one picture needs both --image and --instruction")
        for name in self.grades:
            if name not in GRADES:
                raise unknown_name("grade", name, GRADES)
        _ = self.limits

    @property
    def limits(self) -> RunLimits:
        return RunLimits(
            self.workers,
            self.judge_workers,
            self.reasoner_workers,
            self.per_minute,
            self.max_cost_usd,
            self.max_total_usd,
        )

    @property
    def reasoner_name(self) -> str:
        return name_with_settings(self.reasoner, self.reasoner_settings)

    @property
    def judge_name(self) -> str:
        return name_with_settings(self.judge, self.judge_settings)

    @property
    def judge_label(self) -> str:
        """For tables and files: without the address of its server."""
        return without_address(self.judge_name)


def read_refinement_settings(path: Path, instead: Mapping[str, Any] | None = None) -> RefinementSettings:
    """Read a YAML file. Paths in it are relative to the file; a .env file beside it is loaded first.
    `instead` overrides settings in the file."""
    return read_settings(RefinementSettings, path, "refinement", instead)


def refinement_settings(content: Mapping[str, Any]) -> RefinementSettings:
    """Build from keys and values, as read from a file."""
    return settings_from(RefinementSettings, content, "refinement")
