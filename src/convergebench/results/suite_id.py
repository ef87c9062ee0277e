"""A suite's id as stored and typed: `name@version`, with optional suffixes."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache

_PARTIAL = "/partial"


@dataclass(frozen=True)
class SuiteId:
    """A version of a suite, the part added by a protocol, and the kind of edits."""

    name: str
    version: str = ""
    """Empty for names without a version, such as those of imported results."""
    part: str = ""
    """The part of a protocol with its own cases, such as cross_edit."""
    partial: bool = False
    """Whether only the partially reversible edits are selected."""

    @classmethod
    @lru_cache(1024)
    def parse(cls, text: str) -> SuiteId:
        """The inverse of `str`.

        >>> SuiteId.parse("converge@2/cross_edit/partial")
        SuiteId(name='converge', version='2', part='cross_edit', partial=True)
        >>> str(SuiteId.parse("converge@2/cross_edit/partial"))
        'converge@2/cross_edit/partial'
        """
        whole = text.removesuffix(_PARTIAL)
        name, _, rest = whole.partition("@")
        version, slash, part = rest.partition("/")
        if not version or bool(slash) != bool(part):
            name, version, part = whole, "", ""  # a name chosen for imported results
        return cls(name, version, part, partial=whole != text)

    def __str__(self) -> str:
        version = f"@{self.version}" if self.version else ""
        part = f"/{self.part}" if self.part else ""
        return f"{self.name}{version}{part}{_PARTIAL if self.partial else ''}"

    @property
    def whole(self) -> SuiteId:
        """The suite with both kinds of edits."""
        return replace(self, partial=False)

    def is_named(self, wanted: str | None) -> bool:
        """Whether user input selects this suite: its whole id, or its name alone; None selects any."""
        return wanted in (None, str(self), self.name)
