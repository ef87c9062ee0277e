"""Names in the package: a class name means one thing, and things are named by what they are."""

from __future__ import annotations

import ast
from collections import defaultdict
from functools import cache
from pathlib import Path

import convergebench

PACKAGE = Path(convergebench.__file__).parent
SOURCES = sorted(PACKAGE.rglob("*.py"))
PARTICIPLES = {"told", "shown", "gathered", "asked", "placing", "ran"}
Definition = ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef


@cache
def public_definitions(source: Path) -> list[Definition]:
    """Every public class and function of a file, methods included."""
    nodes = ast.walk(ast.parse(source.read_text(encoding="utf-8")))
    return [node for node in nodes if isinstance(node, Definition) and not node.name.startswith("_")]


def test_no_public_class_name_occurs_twice_in_the_package() -> None:
    places: defaultdict[str, list[str]] = defaultdict(list)
    for source in SOURCES:
        for node in public_definitions(source):
            if isinstance(node, ast.ClassDef):
                places[node.name].append(f"{source.relative_to(PACKAGE)}:{node.lineno}")
    assert len(places) > 100
    assert {name: found for name, found in places.items() if len(found) > 1} == {}


def test_no_module_class_or_public_function_is_named_by_a_participle() -> None:
    modules = [str(source.relative_to(PACKAGE)) for source in SOURCES if source.stem in PARTICIPLES]
    definitions = [
        f"{source.relative_to(PACKAGE)}:{node.lineno}: {node.name}"
        for source in SOURCES
        for node in public_definitions(source)
        if node.name.lower() in PARTICIPLES or PARTICIPLES & set(node.name.split("_")[-1:])
    ]
    # `is_shown` is a question with a verb, not a thing named by a participle.
    assert [*modules, *(one for one in definitions if ": is_" not in one)] == []
