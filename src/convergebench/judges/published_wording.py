"""The published wording of a benchmark, read from the user's own copy of its repository.

Python files are read as syntax trees and never run. Nothing of that wording is part of this package: what
was read is told apart by its digest.
"""

from __future__ import annotations

import ast
import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from convergebench.errors import WrongUse
from convergebench.judges.message import Template
from convergebench.settings_file import read_yaml
from convergebench.types import fingerprint_of

PUBLISHED, CUSTOM = "published", "custom"


def wording_label(kind: str, texts: object) -> str:
    """Whose words these are, and a digest that tells them from others, such as published-1a2b3c4d."""
    return f"{kind}-{fingerprint_of(texts)[:8]}"


def find_in_copy(copy: Path, *names: str) -> Path:
    """The file in a clone or a folder of it, or the file itself. `names` are its path in the repository, and
    others that serve as well, the best first."""
    place = copy.expanduser()
    if place.is_file():
        if not any(Path(name).name == place.name for name in names):
            raise WrongUse(f"{place} is not {_any_of(names)}; give that file or the clone that holds it")
        return place
    if not place.is_dir():
        raise WrongUse(
            f"{place} does not exist; give a clone of the benchmark's repository, or {_any_of(names)}"
        )
    for name in names:
        parts = Path(name).parts
        for start in range(len(parts)):
            candidate = place.joinpath(*parts[start:])
            if candidate.is_file():
                return candidate
    raise WrongUse(f"{place} has no {_any_of(names)}; give a clone of the benchmark's repository")


def _any_of(names: Iterable[str]) -> str:
    return " or ".join(names)


def python_strings(file: Path) -> dict[str, str]:
    """The texts that a Python file assigns to names at its top level: literals, sums of them, and joins."""
    known: dict[str, str] = {}
    for statement in _tree(file).body:
        targets: list[ast.expr] = []
        if isinstance(statement, ast.Assign):
            targets = statement.targets
        elif isinstance(statement, ast.AnnAssign) and statement.value is not None:
            targets = [statement.target]
        for target in targets:
            text = _text(statement.value, known)  # type: ignore[attr-defined]
            if isinstance(target, ast.Name) and text is not None:
                known[target.id] = text
    return known


def python_function(file: Path, name: str) -> ast.FunctionDef:
    """The definition of a function in a Python file, as a syntax tree."""
    for node in ast.walk(_tree(file)):
        if isinstance(node, ast.FunctionDef) and node.name == name:
            return node
    raise WrongUse(f"{file} has no function {name}; give a copy of the version that was published")


def string_template(node: ast.expr, fields: Mapping[str, str]) -> Template | None:
    """The text of a string or f-string in a syntax tree; None where it is neither.

    `fields` maps the variables of the f-string to names of fields. WrongUse for other variables.
    """
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return Template((node.value,))
    if not isinstance(node, ast.JoinedStr):
        return None
    pieces = [""]
    for value in node.values:
        if isinstance(value, ast.Constant):
            pieces[-1] += str(value.value)
            continue
        name = (
            value.value.id
            if isinstance(value, ast.FormattedValue) and isinstance(value.value, ast.Name)
            else ""
        )
        if name not in fields:
            raise WrongUse(
                f"a text of the published wording uses {name or 'an expression'}, which is unknown here"
            )
        pieces += [fields[name], ""]
    return Template(tuple(pieces))


def yaml_section(file: Path, *keys: str) -> Mapping[str, Any]:
    """The mapping under these keys of a YAML file."""
    found: Any = read_yaml(file)
    for depth, key in enumerate(keys, start=1):
        found = found.get(key) if isinstance(found, Mapping) else None
        if not isinstance(found, Mapping):
            raise WrongUse(f"{file} has no {'.'.join(keys[:depth])}; give a copy of the published file")
    return found  # type: ignore[no-any-return]


def json_texts(file: Path) -> dict[str, str]:
    """The texts of a JSON file that holds one object."""
    try:
        content = json.loads(file.read_text(encoding="utf-8-sig"))
    except (OSError, ValueError) as error:
        raise WrongUse(f"{file} is not a JSON file that can be read ({error}); correct the path") from error
    if not isinstance(content, dict):
        raise WrongUse(f"{file} must hold one JSON object of texts; give the published file")
    return {str(key): value for key, value in content.items() if isinstance(value, str)}


def required_text(texts: Mapping[str, Any], name: str, file: Path) -> str:
    found = texts.get(name)
    if not isinstance(found, str) or not found.strip():
        raise WrongUse(f"{file} has no text {name}; give a copy of the version that was published")
    return found


def format_template(text: str, fields: Mapping[str, str], name: str, file: Path) -> Template:
    """The template in the syntax of `str.format`, or WrongUse that names its place."""
    try:
        return Template.of_format(text, fields)
    except ValueError as error:
        raise WrongUse(f"{name} in {file} cannot be filled: {error}") from error


def _tree(file: Path) -> ast.Module:
    try:
        return ast.parse(file.read_text(encoding="utf-8-sig"))
    except OSError as error:
        raise WrongUse(f"cannot read {file}: {error.strerror}; check the path") from error
    except (SyntaxError, ValueError) as error:
        raise WrongUse(f"{file} is not a Python file that can be read ({error}); check the copy") from error


def _text(node: ast.expr | None, known: Mapping[str, str]) -> str | None:
    """The value of an expression of texts; None where it is something else."""
    if isinstance(node, ast.Constant):
        return node.value if isinstance(node.value, str) else None
    if isinstance(node, ast.Name):
        return known.get(node.id)
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        left, right = _text(node.left, known), _text(node.right, known)
        return None if left is None or right is None else left + right
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and not node.keywords:
        return _method(node.func, node.args, known)
    return None


def _method(function: ast.Attribute, arguments: list[ast.expr], known: Mapping[str, str]) -> str | None:
    """`"\\n".join([…])` and `….strip()`, which prompts are often put together with."""
    text = _text(function.value, known)
    if text is None:
        return None
    if function.attr == "strip" and not arguments:
        return text.strip()
    if function.attr == "join" and len(arguments) == 1 and isinstance(arguments[0], ast.List | ast.Tuple):
        parts = [_text(one, known) for one in arguments[0].elts]
        return None if None in parts else text.join(part for part in parts if part is not None)
    return None
