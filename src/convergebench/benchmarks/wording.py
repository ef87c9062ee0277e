"""The rubrics of a benchmark in the words that the user chose: ours, the published ones, or custom ones."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from convergebench.errors import WrongUse
from convergebench.judges import Rubric, rubric
from convergebench.judges.message import Message
from convergebench.judges.published_wording import CUSTOM, PUBLISHED, wording_label
from convergebench.judges.rubric import PictureLimits

AS_THEY_ARE = 1 << 16
"""A longest side that no picture has: for pictures that are sent in their own size."""
OWN_WORDING = "ConvergeBench's own wording"


@dataclass(frozen=True)
class PublishedRubrics:
    """How a benchmark's published wording is read."""

    ids: tuple[str, ...]
    """The rubrics that it has words for."""
    read: Callable[[Path], Mapping[str, Rubric]]
    """From a clone of the benchmark's repository, a folder of it, or the file."""
    repository: str


def wording_name(wording: str) -> str:
    """For people: whose words a figure was made with.

    >>> wording_name(""), wording_name("published-1a2b3c4d")
    ("ConvergeBench's own wording", 'published wording 1a2b3c4d')
    """
    kind, _, digest = wording.partition("-")
    return f"{kind} wording {digest}" if digest else OWN_WORDING


def in_published_words(
    messages: Mapping[str, Message], pictures: PictureLimits | None = None
) -> dict[str, Rubric]:
    """Our rubrics of these ids with messages in published words. What they show and ask stays; all of them
    have one digest, that of all words together."""
    label = wording_label(PUBLISHED, {name: repr(message) for name, message in messages.items()})
    found = {}
    for name, message in messages.items():
        own = rubric(name)
        found[name] = replace(
            own, message=message, wording=label, system=message.system, prompt="", prompt_for_several="",
            pictures=pictures or own.pictures,
        )  # fmt: skip
    return found


def chosen_rubrics(
    names: Iterable[str], prompts: str, published: Iterable[PublishedRubrics]
) -> dict[str, Rubric]:
    """The rubrics of these ids. `prompts` is empty for our own wording, or a clone with the published one, or
    a .toml file or a folder of such files, whose rubrics take the places of those with the same id."""
    wanted = tuple(dict.fromkeys(names))
    if not prompts:
        return {name: rubric(name) for name in wanted}
    path = Path(prompts).expanduser()
    if is_custom(path):
        return _custom(wanted, path)
    readers = [one for one in published if set(one.ids) & set(wanted)]
    if not readers:
        raise WrongUse(f"{', '.join(wanted)} has no published wording; leave --prompts out")
    found = {name: one for reader in readers for name, one in reader.read(path).items()}
    lacking = [name for name in wanted if name not in found]
    if lacking:
        raise WrongUse(
            f"{path} has no published wording for {', '.join(lacking)}; leave --prompts or these out"
        )
    return {name: found[name] for name in wanted}


def is_custom(path: Path) -> bool:
    """Whether the path is a rubric of one's own, or a folder of them, rather than a benchmark's clone."""
    if path.suffix == ".toml":
        return True
    return path.is_dir() and any(path.glob("*.toml")) and not (path / ".git").exists()


def _custom(wanted: tuple[str, ...], path: Path) -> dict[str, Rubric]:
    files = [path] if path.suffix == ".toml" else sorted(path.glob("*.toml"))
    own = {one.id: one for one in (rubric(str(file)) for file in files)}
    strange = [name for name in own if name not in wanted]
    if strange:
        raise WrongUse(
            f"{path} has rubrics that are not used here: {', '.join(strange)}; give them one of the ids "
            f"{', '.join(wanted)}"
        )
    label = wording_label(CUSTOM, sorted(one.fingerprint for one in own.values()))
    return {name: replace(own[name], wording=label) if name in own else rubric(name) for name in wanted}
