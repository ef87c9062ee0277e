"""Only the commands that a command line needs: typer takes milliseconds to build the options of each."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import typer

_OF_ALL = ("init",)
"""Commands that look at the options of the others."""


def needed_commands(app: typer.Typer, words: list[str]) -> typer.Typer:
    """The named command alone; for the list of commands, all of them without their options."""
    if words == ["--help"]:
        return _without_options(app)
    if words[0] in _OF_ALL:
        return app
    commands = [one for one in app.registered_commands if one.name == words[0]]
    groups = [one for one in app.registered_groups if _name(one) == words[0]]
    return _with(app, commands, groups) if commands or groups else app


def _with(app: typer.Typer, commands: list[Any], groups: list[Any]) -> typer.Typer:
    part = copy.copy(app)
    part.registered_commands, part.registered_groups = commands, groups
    return part


def _name(group: Any) -> Any:
    return group.typer_instance.info.name if group.typer_instance else None


def _without_options(app: typer.Typer) -> typer.Typer:
    commands = [copy.copy(one) for one in app.registered_commands]
    for one in commands:
        one.callback = one.callback and _same_help(one.callback)
    return _with(app, commands, app.registered_groups)


def _same_help(callback: Callable[..., Any]) -> Callable[[], None]:
    def described() -> None: ...

    described.__doc__ = callback.__doc__
    return described
