"""What an account at a provider allows, from `convergebench.toml` in the working directory:

    [limits.fal]
    at_once = 20
    per_minute = 300

Another file is named by the environment variable CONVERGEBENCH_CONFIG.
"""

from __future__ import annotations

import os
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from convergebench.errors import WrongUse

FILE = "convergebench.toml"
VARIABLE = "CONVERGEBENCH_CONFIG"
TABLES = ("limits", "network", "providers")
"""Those of this package; the others have options of commands, which the command line reads."""
COMMANDS = ("run", "judge", "score", "refine", "check")
"""Commands that take their options from the file, too."""


@dataclass(frozen=True)
class ProviderLimits:
    """None is what is safe for a new account, and no limit a minute."""

    at_once: int | None = None
    per_minute: float | None = None


def limits_at(provider: str) -> ProviderLimits:
    """What the file says of this provider; nothing where there is no file."""
    path = config_path()
    given = config_table("limits").get(provider, {})
    if not isinstance(given, dict):
        raise WrongUse(f"{path}: limits.{provider} must be a table with at_once and per_minute")
    for name, value in given.items():
        _check(path, f"limits.{provider}.{name}", name, value)
    return ProviderLimits(**given)


def config_path() -> Path:
    return Path(os.environ.get(VARIABLE) or FILE)


def config_table(name: str) -> dict[str, Any]:
    """A table of the file; empty where there is no file, or no such table in it."""
    path = config_path()
    if not path.is_file() and not os.environ.get(VARIABLE):
        return {}
    table = _content(path).get(name, {})
    if not isinstance(table, dict):
        raise WrongUse(f"{path}: {name} must be a table; correct it")
    return table


def _content(path: Path) -> dict[str, Any]:
    try:
        content = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise WrongUse(f"cannot read {path}: {error.strerror}; correct {VARIABLE}") from error
    except (ValueError, RecursionError) as error:
        raise WrongUse(f"{path} is not valid TOML: {error}; correct it") from error
    unknown = {name for name, value in content.items() if isinstance(value, dict)} - {*TABLES, *COMMANDS}
    if unknown:
        known = "[limits.PROVIDER], [network], [providers.NAME] and options of commands"
        raise WrongUse(f"{path} has {', '.join(sorted(unknown))}; only {known} are known")
    return content


def _check(path: Path, where: str, name: str, value: object) -> None:
    if name not in ("at_once", "per_minute"):
        raise WrongUse(f"{path}: {where} is unknown; there are at_once and per_minute")
    is_number = isinstance(value, int | float) and not isinstance(value, bool) and value > 0
    if not is_number or (name == "at_once" and not isinstance(value, int)):
        raise WrongUse(f"{path}: {where} must be a number above 0, not {value!r}")
