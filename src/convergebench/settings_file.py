"""Settings from a YAML file: one reader for every dataclass of settings.

The fields of the dataclass are the keys of the file, and their types say what a value may be. Paths are
relative to the file, and a .env beside it is loaded first.
"""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from dataclasses import MISSING, Field, field, fields
from pathlib import Path
from types import NoneType
from typing import Any, Literal, TypeVar, get_args, get_origin, get_type_hints

from convergebench.env_file import load_env
from convergebench.errors import MissingExtra, WrongUse, unknown_name

T = TypeVar("T")

_DESCRIPTIONS: Mapping[type, str] = {
    bool: "true or false",
    int: "a whole number",
    float: "a number",
    str: "a text",
    tuple: "a list",
    Mapping: "keys and values",
}
_PATH = "path"


def path_field(default: str = "") -> Any:
    """A field whose value is a path: in a file, relative to the file's folder."""
    return field(default=default, metadata={_PATH: "always"})


def path_or_name_field(default: str = "") -> Any:
    """A field whose value is a path if that exists, and otherwise a name, such as a hub id."""
    return field(default=default, metadata={_PATH: "if it exists"})


def read_settings(kind: type[T], path: Path, what: str, instead: Mapping[str, Any] | None = None) -> T:
    """The settings in a file. `what` names them in errors, such as "task"; `instead` overrides the file."""
    load_env(path.parent / ".env")
    content = read_yaml(path)
    return settings_from(kind, {**_with_placed_paths(kind, content, path.parent), **(instead or {})}, what)


def settings_from(kind: type[T], content: Mapping[str, Any], what: str) -> T:
    """The settings in keys and values, as they come out of a file. None is the default."""
    known: dict[str, Field[Any]] = {one.name: one for one in fields(kind)}  # type: ignore[arg-type]
    hints = get_type_hints(kind)
    for key in content:
        if key not in known:
            raise unknown_name(f"{what} setting", str(key), known)
    given = {key: _checked(key, value, hints[key]) for key, value in content.items() if value is not None}
    required = [name for name, one in known.items() if one.default is one.default_factory is MISSING]
    if not set(required) <= set(given):
        raise WrongUse(f"a {what} needs {' and '.join(required)}; add what is missing")
    return kind(**given)


def read_yaml(path: Path) -> dict[str, Any]:
    try:
        yaml = importlib.import_module("yaml")
    except ImportError as error:
        raise MissingExtra("PyYAML", "task") from error
    try:
        content = yaml.safe_load(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise WrongUse(f"cannot read {path}: {error.strerror}; check the path") from error
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        raise WrongUse(f"{path} is not valid YAML: {' '.join(str(error).split())}; correct it") from error
    if not isinstance(content, dict):
        raise WrongUse(f"{path} must be a mapping, such as models: [classical]; correct it")
    return content


def _with_placed_paths(kind: type[Any], content: Mapping[str, Any], folder: Path) -> dict[str, Any]:
    """The content with paths from the file's folder, those that are defaults too."""
    placed = dict(content)
    for one in fields(kind):
        value = content.get(one.name, one.default)
        if _PATH in one.metadata and isinstance(value, str) and value:
            path = folder / Path(value).expanduser()
            placed[one.name] = str(path) if one.metadata[_PATH] == "always" or path.exists() else value
    return placed


def _checked(key: str, value: Any, hint: Any) -> Any:
    """The value as the type of its field says."""
    wanted = get_args(hint)[0] if NoneType in get_args(hint) else hint
    kind = get_origin(wanted) or wanted
    if kind is Literal:
        if value not in get_args(wanted):
            raise WrongUse(f"{key} must be one of {', '.join(get_args(wanted))}, not {value!r}")
        return value
    if kind is tuple and isinstance(value, str | list | tuple):
        return (value,) if isinstance(value, str) else tuple(str(one) for one in value)
    accepted = (int, float) if kind is float else kind
    if isinstance(value, accepted) and (kind is bool or not isinstance(value, bool)):
        return value
    raise WrongUse(f"{key} must be {_DESCRIPTIONS[kind]}, not {value!r}")
