"""Editors by name: `name` or `name?parameter=value&…`, checked against what the editor takes."""

from __future__ import annotations

import difflib
import importlib
import pkgutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.metadata import entry_points
from typing import Literal

from convergebench.errors import WrongUse
from convergebench.types import Editor, EditorFacts, Parameter

ENTRY_POINTS = "convergebench.editors"

Build = Callable[[EditorFacts], Editor]


@dataclass(frozen=True)
class Listing:
    """What is known of an editor before it is built."""

    name: str
    summary: str
    version: str
    role: Literal["model", "probe", "floor"]
    price_usd: float | None
    defaults: Mapping[str, Parameter]
    build: Build


_listings: dict[str, Listing] = {}


def editor(
    name: str,
    *,
    summary: str,
    version: str,
    role: Literal["model", "probe", "floor"] = "model",
    price_usd: float | None = None,
    **defaults: Parameter,
) -> Callable[[Build], Build]:
    """Make an editor known under a name; `defaults` are its parameters, all part of its fingerprint.

    The module that uses this must be cheap to import: what is heavy belongs into the factory.
    """

    def register(build: Build) -> Build:
        if name in _listings:
            raise ValueError(f"two editors are called {name}")
        _listings[name] = Listing(name, summary, version, role, price_usd, defaults, build)
        return build

    return register


def listings() -> list[Listing]:
    """All editors there are: built in and from other packages."""
    _discover()
    return list(_listings.values())


def open_editor(spec: str) -> Editor:
    """Build the editor that `spec` names."""
    listing, parameters = parse(spec)
    given = {key: value for key, value in parameters.items() if value != listing.defaults[key]}
    query = "&".join(f"{key}={value}" for key, value in sorted(given.items()))
    facts = EditorFacts(
        name=f"{listing.name}?{query}" if query else listing.name,
        version=listing.version,
        parameters=parameters,
        role=listing.role,
        price_usd=listing.price_usd,
    )
    return listing.build(facts)


def parse(spec: str) -> tuple[Listing, dict[str, Parameter]]:
    """The listing and the full set of parameters, or one sentence on what is wrong with the name."""
    _discover()
    name, _, query = spec.partition("?")
    if name not in _listings:
        near = difflib.get_close_matches(name, _listings, n=1)
        hint = f"did you mean {near[0]}?" if near else "see: convergebench models"
        raise WrongUse(f"there is no model called {name}; {hint}")
    listing = _listings[name]
    parameters = dict(listing.defaults)
    for part in filter(None, query.split("&")):
        key, _, text = part.partition("=")
        if key not in parameters:
            takes = ", ".join(parameters) or "no parameters"
            raise WrongUse(f"{name} has no parameter {key}; it takes {takes}")
        parameters[key] = _converted(name, key, text, parameters[key])
    return listing, parameters


def _converted(name: str, key: str, text: str, default: Parameter) -> Parameter:
    if isinstance(default, bool):
        if text.lower() not in ("true", "false"):
            raise WrongUse(f"{name}?{key} must be true or false, not {text}")
        return text.lower() == "true"
    try:
        return type(default)(text)
    except ValueError:
        wanted = "a whole number" if isinstance(default, int) else "a number"
        raise WrongUse(f"{name}?{key} must be {wanted}, not {text}") from None


@cache
def _discover() -> None:
    import convergebench.editors as package

    for module in pkgutil.iter_modules(package.__path__):
        if module.name.startswith("_"):
            continue
        importlib.import_module(f"{package.__name__}.{module.name}")
    for point in entry_points(group=ENTRY_POINTS):
        point.load()
