"""What a refinement is told: in a call, on the command line, or in a YAML file."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from convergebench.engine.run_limits import check_allowance
from convergebench.env_file import load_env
from convergebench.errors import MissingExtra, WrongUse
from convergebench.types import Parameter

GRADES = ("category", "sc", "if", "pq")
_LISTS = ("models", "categories", "grades")
_PATHS = ("image", "data", "workspace", "output_dir")
_TEXT_PER_TYPE = {"int": "a whole number", "bool": "true or false", "float": "a number", "str": "a text"}


@dataclass(frozen=True)
class RefinementSettings:
    """Its fields are the keys of a refinement file."""

    models: tuple[str, ...]
    """Whose edits are refined."""
    reasoner: str = ""
    """Who looks at them, as a judge is named; nobody is needed where `rounds` is 0."""
    executor: str = ""
    """Who edits again: the model itself unless named."""
    rounds: int = 1
    """Of looking and editing again. With 0 the single edits are evaluated as they are."""
    chained: bool = False
    """One edit for each instruction of a round, instead of one for all."""
    image: str = ""
    """One picture instead of a suite, with its instruction."""
    instruction: str = ""
    description: str = ""
    """What the picture shows; judges see it, the reasoner does not."""
    suite: str = "reedit"
    data: str = ""
    categories: tuple[str, ...] = ()
    per_category: int | None = None
    limit: int | None = None
    sampling_seed: int = 0
    seed: int = 0
    """Of the edits."""
    reasoner_settings: Mapping[str, Parameter] = field(default_factory=dict)
    """Such as max_tokens; they are part of the reasoner's name."""
    judge: str = ""
    """Nobody judges unless named."""
    judge_settings: Mapping[str, Parameter] = field(default_factory=dict)
    grades: tuple[str, ...] = GRADES
    """What is judged: the category's verdict, semantic consistency, instruction following, quality."""
    judge_primary: bool = True
    retry_missing: bool = False
    """Ask again for advice and verdicts that are missing."""
    workers: int | None = None
    """Cases of a model at a time."""
    reasoner_workers: int | None = None
    judge_workers: int | None = None
    per_minute: float | None = None
    max_cost_usd: float | None = None
    """Of editing, reasoning and judging together."""
    workspace: str = "results"
    output_dir: str = ""
    """Where pictures and texts are written to, beside the workspace; nowhere unless named."""
    output_prefix: str = ""
    """Of one picture's files; the picture's own name unless given."""

    def __post_init__(self) -> None:
        if not self.models:
            raise WrongUse("name the model whose edits are refined with --model; see: convergebench models")
        if self.rounds < 0:
            raise WrongUse("--rounds must be at least 0")
        if self.rounds and not self.reasoner:
            raise WrongUse(
                "say who looks at the edits with --reasoner PROVIDER:MODEL, or refine nothing with --rounds 0"
            )
        if bool(self.image) != bool(self.instruction):
            raise WrongUse("one picture needs both --image and --instruction")
        check_allowance(self.max_cost_usd, self.per_minute)
        for name in self.grades:
            if name not in GRADES:
                raise WrongUse(f"there is no grade {name!r}; choose from {', '.join(GRADES)}")

    @property
    def reasoner_name(self) -> str:
        return _with_settings(self.reasoner, self.reasoner_settings)

    @property
    def judge_name(self) -> str:
        return _with_settings(self.judge, self.judge_settings)


def read_refinement_settings(path: Path, **instead: Any) -> RefinementSettings:
    """From a YAML file. Paths in it are relative to the file; a .env beside it is read first. `instead` takes
    the place of what the file says."""
    load_env(path.parent / ".env")
    return refinement_settings({**_placed(read_yaml(path), path.parent), **instead})


def refinement_settings(content: Mapping[str, Any]) -> RefinementSettings:
    """From keys and values, as they come out of a file."""
    known = {one.name: str(one.type) for one in fields(RefinementSettings)}
    given: dict[str, Any] = {key: value for key, value in content.items() if value is not None}
    for key, value in given.items():
        if key not in known:
            near = get_close_matches(str(key), known, n=1)
            advice = f"did you mean {near[0]}?" if near else f"it takes {', '.join(known)}"
            raise WrongUse(f"a refinement has no {key!r}; {advice}")
        given[key] = _typed(key, value, known[key])
    return RefinementSettings(**{"models": (), **given})


def read_yaml(path: Path) -> dict[str, Any]:
    try:
        yaml = importlib.import_module("yaml")
    except ImportError as error:
        raise MissingExtra("PyYAML", "task") from error
    try:
        content = yaml.safe_load(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise WrongUse(f"cannot read {path}: {error.strerror}; check the path") from error
    except yaml.YAMLError as error:
        raise WrongUse(f"{path} is not valid YAML: {' '.join(str(error).split())}; correct it") from error
    if not isinstance(content, dict):
        raise WrongUse(f"{path} must hold keys such as suite, models and reasoner; see docs/refining.md")
    return content


def _typed(key: str, value: Any, wanted: str) -> Any:
    if key in _LISTS and isinstance(value, str | list | tuple):
        return (value,) if isinstance(value, str) else tuple(str(one) for one in value)
    if key.endswith("_settings") and isinstance(value, dict):
        return value
    kinds = {"str": (str,), "bool": (bool,), "int": (int,), "float": (int, float)}
    kind = wanted.partition(" ")[0]
    if kind in kinds and isinstance(value, kinds[kind]) and (kind == "bool" or not isinstance(value, bool)):
        return value
    raise WrongUse(f"{key} must be {_TEXT_PER_TYPE.get(kind, 'a list or keys and values')}, not {value!r}")


def _placed(content: Mapping[str, Any], folder: Path) -> dict[str, Any]:
    """With paths from the file's folder; what is no path, such as a hub id in `data`, stays as it is."""
    placed = {"workspace": "results", **content}
    for key in _PATHS:
        if isinstance(placed.get(key), str) and placed[key]:
            path = folder / Path(placed[key]).expanduser()
            placed[key] = str(path) if key != "data" or path.exists() else placed[key]
    return placed


def _with_settings(name: str, settings: Mapping[str, Parameter]) -> str:
    more = "&".join(f"{key}={value}" for key, value in settings.items())
    return f"{name}{'&' if '?' in name else '?'}{more}" if more else name
