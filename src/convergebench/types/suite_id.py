"""A suite's id as stored and typed: `name@version`, with optional suffixes."""

from __future__ import annotations

from functools import lru_cache
from pathlib import PurePath
from typing import NamedTuple

_PARTIAL = "/partial"


class SuiteId(str):
    """A version of a suite, the part added by a protocol, and the kind of edits.

    It is a string, so it is stored, compared and printed as it was typed. A user may type the name alone,
    which selects every suite of that name.

    >>> id = SuiteId("converge@2/cross_edit/partial")
    >>> id.name, id.version, id.part, id.partial
    ('converge', '2', 'cross_edit', True)
    >>> id == SuiteId.of("converge", "2", "cross_edit", partial=True)
    True
    """

    __slots__ = ()

    @classmethod
    def of(cls, name: str, version: str = "", part: str = "", *, partial: bool = False) -> SuiteId:
        at, slash = "@" if version else "", "/" if part else ""
        return cls(f"{name}{at}{version}{slash}{part}{_PARTIAL if partial else ''}")

    @property
    def name(self) -> str:
        return _parts(self).name

    @property
    def version(self) -> str:
        """Empty for names without a version, such as those of imported results."""
        return _parts(self).version

    @property
    def part(self) -> str:
        """The part of a protocol with its own cases, such as cross_edit."""
        return _parts(self).part

    @property
    def partial(self) -> bool:
        """Whether only the partially reversible edits are selected."""
        return self.endswith(_PARTIAL)

    @property
    def base(self) -> SuiteId:
        """The name and version alone."""
        return SuiteId.of(self.name, self.version)

    @property
    def whole(self) -> SuiteId:
        """The suite with both kinds of edits."""
        return SuiteId(self.removesuffix(_PARTIAL))

    def of_edits(self, *, partial: bool) -> SuiteId:
        """The suite with the partially reversible edits only, or with the others."""
        return SuiteId(f"{self.whole}{_PARTIAL}") if partial else self.whole

    def is_named(self, wanted: str | None) -> bool:
        """Whether user input selects this suite: its whole id, or its name alone; None selects any.

        Suites of a user's files are named by the last part of their path, and may be typed with all of it.

        >>> SuiteId("folder:photos@5f").is_named("folder:/home/anna/photos")
        True
        """
        return wanted is None or _last_part(wanted) in (_last_part(self), _last_part(self.name))


class _Parts(NamedTuple):
    name: str
    version: str
    part: str


@lru_cache(1024)
def _parts(text: str) -> _Parts:
    whole = text.removesuffix(_PARTIAL)
    name, _, rest = whole.rpartition("@")  # a folder's name may contain one
    version, slash, part = rest.partition("/")
    if not name or not version or bool(slash) != bool(part):
        return _Parts(whole, "", "")  # a name chosen for imported results
    return _Parts(name, version, part)


def _last_part(typed: str) -> str:
    """The path after `folder:` or `edits:` without the folders that lead to it."""
    prefix, colon, place = typed.partition(":")
    if prefix not in ("folder", "edits"):
        return typed
    path, at, rest = place.rpartition("@") if "@" in place else (place, "", "")
    return f"{prefix}{colon}{PurePath(path).name or path}{at}{rest}"
