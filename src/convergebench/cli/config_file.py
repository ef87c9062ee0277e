"""The configuration file: options of run, judge, score, refine and check, in TOML or YAML.

A section has the name of a command, and its keys are that command's options without dashes. Keys outside of a
section apply to every command that has such an option. Options on the command line take precedence. What
providers allow and the limits of the network stand in the same file (`provider_limits`).
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from convergebench.errors import WrongUse, unknown_name
from convergebench.provider_limits import COMMANDS, FILE, TABLES, VARIABLE, config_path

_NOT_SETTINGS = ("help", "config", "dry_run", "as_json")


def split_config(words: Sequence[str]) -> tuple[list[str], Path | None]:
    """The words without --config FILE, and the file: that one, or convergebench.toml in the working folder.

    `refine --config` also takes a file that describes a whole refinement; that one stays among the words.
    """
    usual = Path(FILE)
    otherwise = usual if usual.is_file() else None
    if not words or words[0] not in COMMANDS:
        return list(words), otherwise
    for place, word in enumerate(words):
        option, equals, value = word.partition("=")
        after = place + 1 if equals else place + 2
        if option == "--config" and after <= len(words):
            named = Path(value if equals else words[after - 1])
            if words[0] == "refine" and not _has_sections(named):
                break
            return [*words[:place], *words[after:]], named
    return list(words), otherwise


def _has_sections(path: Path) -> bool:
    """Whether a file has options of commands, and does not describe a refinement."""
    if path.suffix.lower() not in (".yaml", ".yml"):
        return True
    content = _content(path)
    return any(isinstance(content.get(name), dict) for name in COMMANDS)


def read_config(path: Path, commands: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """The defaults of each command's parameters; WrongUse names a key that no option has."""
    content = _content(path)
    shared = {key: value for key, value in content.items() if not isinstance(value, dict)}
    sections = {key: value for key, value in content.items() if isinstance(value, dict)}
    for name in sections:
        if name not in (*COMMANDS, *TABLES):
            raise unknown_name(f"section in {path}:", name, (*COMMANDS, *TABLES))
        if name in TABLES and path.resolve() != config_path().resolve():
            raise WrongUse(
                f"[{name}] in {path} has no effect: it is read from {FILE} in the working directory, or from "
                f"the file that {VARIABLE} names; move it there"
            )
    known = {name: _options(commands[name]) for name in COMMANDS}
    for key in shared:
        if not any(_plain(key) in options for options in known.values()):
            raise unknown_name(
                f"option in {path}:", key, {one for options in known.values() for one in options}
            )
    found: dict[str, dict[str, Any]] = {}
    for name, options in known.items():
        own = sections.get(name, {})
        for key in own:
            if _plain(key) not in options:
                raise unknown_name(f"option of {name} in {path}:", key, options)
        given = {key: value for key, value in (shared | own).items() if _plain(key) in options}
        found[name] = dict(_default(options[_plain(key)], value) for key, value in given.items())
    return found


def config_template(commands: Mapping[str, Any]) -> str:
    """A file with every option of every command as a comment, with its default."""
    lines = [
        "# Options of convergebench. Remove the # to set one; the command line takes precedence.",
        f"# Keys above the first section apply to those of {', '.join(COMMANDS)} that have such an option;",
        "# other commands, such as summary, take the workspace with -w.",
        '# workspace = "results"',
    ]
    for name in COMMANDS:
        lines += ["", f"[{name}]"]
        for option in _every_option(commands[name]):
            key = _plain(max(option.opts, key=len))
            if key not in _NOT_SETTINGS:
                text = " ".join((option.help or "").split())
                lines += [f"# {text}", f"# {key} = {_example(option)}"]
    return "\n".join(lines) + "\n"


def _content(path: Path) -> dict[str, Any]:
    if path.suffix.lower() in (".yaml", ".yml"):
        from convergebench.settings_file import read_yaml

        return read_yaml(path)
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise WrongUse(f"cannot read {path}: {error.strerror}; check the path") from error
    except (UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise WrongUse(f"{path} is not valid TOML ({error}); correct it") from error


def _every_option(command: Any) -> Iterator[Any]:
    return (one for one in command.params if one.param_type_name == "option")


def _options(command: Any) -> dict[str, tuple[Any, bool]]:
    """Each option by its name without dashes, and whether it negates its parameter, as --fresh does."""
    found: dict[str, tuple[Any, bool]] = {}
    for option in _every_option(command):
        found |= {_plain(name): (option, False) for name in option.opts if name.startswith("--")}
        found |= {_plain(name): (option, True) for name in option.secondary_opts}
    return {name: one for name, one in found.items() if name not in _NOT_SETTINGS}


def _default(named: tuple[Any, bool], value: Any) -> tuple[str, Any]:
    option, is_negated = named
    if option.is_flag and not isinstance(value, bool):
        raise WrongUse(f"{option.opts[0].lstrip('-')} must be true or false, not {value!r}")
    if is_negated:
        value = not value
    return option.name, [value] if option.multiple and not isinstance(value, list) else value


def _plain(name: str) -> str:
    return name.lstrip("-").replace("-", "_")


def _example(option: Any) -> str:
    """The default, or what stands for a value; a number has no quotes, so that its place says so."""
    if option.is_flag:
        return json.dumps(bool(option.default))
    if option.default not in (None, "") and not option.multiple:
        value = option.default
        return json.dumps(value if isinstance(value, int | float) else str(value))
    is_number = option.type.name.startswith(("integer", "float"))
    place = option.metavar if is_number else json.dumps(option.metavar)
    return f"[{place}]" if option.multiple else str(place)
