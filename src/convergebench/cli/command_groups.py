"""The list of commands in groups, with examples."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from typer.core import TyperGroup

GROUPS: Mapping[str, tuple[str, ...]] = {
    "Start": ("init", "run", "task", "refine", "models", "suites", "metrics", "doctor", "weights"),
    "Results": ("summary", "compare", "turns", "worst", "view", "report", "paper", "plot", "grid", "export"),
    "Judge": ("judge", "score", "vote", "agreement", "audit", "check"),
    "Import": ("import", "measure", "pairs"),
    "Publish": ("submit", "leaderboard"),
    "Manage": ("workspace",),
}
EXAMPLES = (
    "convergebench run --suite converge-small -m classical,jpeg --limit 12",
    "convergebench summary",
    "convergebench view",
    "convergebench run -m mine=python:my:edit --images photos --edits edits.csv",
    "convergebench check --baseline previous --fresh",
)


class CommandGroups(TyperGroup):
    """Lists the commands by what they are for; those of no group come last."""

    def format_commands(self, context: Any, formatter: Any) -> None:
        every = self.list_commands(context)
        grouped = {name for names in GROUPS.values() for name in names}
        others = tuple(name for name in every if name not in grouped)
        longest = max(map(len, every))
        for title, names in {**GROUPS, "Other": others}.items():
            rows = [
                (name.ljust(longest), command.get_short_help_str(formatter.width - longest - 6))
                for name in names
                if (command := self.get_command(context, name)) is not None
            ]
            if rows:
                with formatter.section(title):
                    formatter.write_dl(rows)
        with formatter.section("Examples"):
            for line in EXAMPLES:
                formatter.write(f"  {line}\n")
