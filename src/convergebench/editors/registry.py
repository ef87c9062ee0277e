"""Editors by name: `preset`, `provider:model`, either with `?parameter=value&…`, or `label=` before it.

An editor is one module of this package, or of another that names it under the entry points
`convergebench.editors`. Such a module must be cheap to import: what is heavy belongs into its factory.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Literal

from convergebench import plugins
from convergebench.editors._composite import PASTE, SIZE, Composition, composed
from convergebench.editors._proxies import ProviderProxy, configured_proxies
from convergebench.editors.needs import KEY_NAME, EditorKey, Need
from convergebench.errors import WrongUse, unknown_name
from convergebench.provider_limits import limits_at
from convergebench.providers import check_no_secret
from convergebench.types import (
    Edited,
    Editor,
    EditorFacts,
    EditRequest,
    Misconfigured,
    Parameter,
    parameter_in,
)

ENTRY_POINTS = "convergebench.editors"

NO_SEED = "takes no seed: an edit cannot be repeated, and further seeds are mere repetitions"

Build = Callable[[EditorFacts], Editor]
Role = Literal["model", "probe", "floor"]


@dataclass(frozen=True)
class ModelFacts:
    """What is publicly known of a model; None and empty texts are unknown."""

    takes_seed: bool | None = None
    image_field: str = ""
    """The field of the request that holds the picture."""
    size: str = ""
    """Size of the result, where it is not that of the input."""
    price_note: str = ""
    """How the price is composed, in USD."""
    source: str = ""
    checked: str = ""
    """The date of the source."""
    also: tuple[str, ...] = ()
    """Other ids of the same model."""


@dataclass(frozen=True)
class Listing:
    """The description of an editor before it is built."""

    name: str
    provider: str
    summary: str
    version: str
    role: Role
    price_usd: float | None
    """The price per edit, if it does not depend on the picture, or for one megapixel."""
    parameters: Mapping[str, Parameter]
    needs: Sequence[Need]
    build: Build
    open_parameters: bool = False
    """Whether it takes parameters that are not listed."""
    at_once: int | None = None
    facts: ModelFacts = ModelFacts()
    typical_seconds: float | None = None
    sizes_itself: bool = False
    """Whether `size` is a parameter of the model itself."""

    def missing(self, given: Mapping[str, Parameter] | None = None) -> str | None:
        """The reason why it cannot be used now, or None if it can; parameters may meet requirements."""
        open_needs = [need for need in self.needs if not (given or {}).get(need.parameter)]
        blocking = (need for need in open_needs if not need.comes_by_itself)
        return next((reason for need in blocking if (reason := need.missing())), None)

    def lacking(self) -> str | None:
        """The first unmet requirement, including those that are met automatically on first use."""
        return next((reason for need in self.needs if (reason := need.missing())), None)


@dataclass(frozen=True)
class Preset:
    """A provider's model under a short name, with its parameters."""

    model: str
    price_usd: float | None = None
    parameters: Mapping[str, Parameter] = field(default_factory=dict)
    summary: str = ""
    needs: Sequence[Need] = ()
    facts: ModelFacts = ModelFacts()
    typical_seconds: float | None = None


_listings: dict[str, Listing] = {}
_providers: dict[str, Listing] = {}


def editor(
    name: str,
    *,
    summary: str,
    version: str,
    role: Role = "model",
    price_usd: float | None = None,
    needs: Sequence[Need] = (),
    parameters: Mapping[str, Parameter] | None = None,
    typical_seconds: float | None = None,
) -> Callable[[Build], Build]:
    """Register an editor under a name; its parameters with their defaults are part of its fingerprint.
    `typical_seconds` is the measured time of an edit, for forecasts."""

    def register(build: Build) -> Build:
        known = dict(parameters or {})
        listing = Listing(name, name, summary, version, role, price_usd, known, needs, build)
        _add(_listings, replace(listing, typical_seconds=typical_seconds))
        return build

    return register


def provider(
    name: str,
    *,
    summary: str,
    version: str,
    role: Role = "model",
    price_usd: float | None = None,
    needs: Sequence[Need] = (),
    presets: Mapping[str, Preset] | None = None,
    parameters: Mapping[str, Parameter] | None = None,
    at_once: int | None = None,
    takes_seed: bool | None = None,
    sizes_itself: bool = False,
) -> Callable[[Build], Build]:
    """Register a provider: `name:model` builds any of its models, by `facts.parameters["model"]`; presets are
    short names for some of them. `at_once` is the number of parallel requests that is safe for a new account;
    None for editors on this machine. `takes_seed` applies to models whose facts do not state it;
    `sizes_itself` says that `size` is a parameter of its models."""

    def register(build: Build) -> Build:
        shared = dict(parameters or {})
        every = Listing(
            name, name, summary, version, role, price_usd, shared, needs, build, True, at_once,
            ModelFacts(takes_seed), sizes_itself=sizes_itself,
        )  # fmt: skip
        _add(_providers, every)
        for short, preset in (presets or {}).items():
            known = {"model": preset.model, **shared, **preset.parameters}
            said = preset.summary or f"{preset.model} at {name}"
            wanted = (*needs, *preset.needs)
            price = price_usd if preset.price_usd is None else preset.price_usd
            facts = preset.facts
            if facts.takes_seed is None:
                facts = replace(facts, takes_seed=takes_seed)
            _add(
                _listings,
                replace(every, name=short, summary=said, price_usd=price, parameters=known,
                        needs=wanted, facts=facts),
            )  # fmt: skip
        return build

    return register


def listings() -> list[Listing]:
    """All named editors: built-in ones and those of other packages."""
    _discover()
    return list(_listings.values())


def providers() -> list[Listing]:
    """All that `provider:model` can begin with: built in, from other packages, and proxies of the
    configuration file."""
    _discover()
    return [*_providers.values(), *_proxies().values()]


def is_model_name(spec: str) -> bool:
    """Whether this begins as a model's name does, with a short name or a provider."""
    _discover()
    named, _, rest = spec.partition("=")
    if rest and "?" not in named and ":" not in named:  # NAME=MODEL
        spec = rest
    base = spec.partition("?")[0]
    start, colon, _ = base.partition(":")
    return base in _listings or bool(colon and (start in _providers or start in configured_proxies()))


def open_editor(spec: str) -> Editor:
    """Build the editor that `spec` names; raises WrongUse if it is unknown, or if a requirement is not
    met."""
    listing, parameters = parse(spec)
    if missing := listing.missing(parameters):
        raise _not_yet(listing, missing)
    composition = Composition.taken_from(parameters, with_size=not listing.sizes_itself)
    try:
        return composed(listing.build(facts_of(listing, parameters, split_label(spec)[0])), composition)
    except Misconfigured as error:
        raise _not_yet(listing, str(error)) from error


def known_editor(spec: str) -> Editor:
    """The same, but also for editors with unmet requirements, so that their cost can be estimated."""
    listing, parameters = parse(spec)
    missing = listing.missing(parameters)
    facts = facts_of(listing, parameters, split_label(spec)[0])
    return Unready(facts, missing) if missing else open_editor(spec)


class Unready:
    """An editor with unmet requirements: it has an identity and a price, and reports what is missing."""

    def __init__(self, facts: EditorFacts, missing: str) -> None:
        self.facts = facts
        self._missing = missing

    async def edit(self, request: EditRequest) -> Edited:
        raise Misconfigured(self._missing)

    async def close(self) -> None:
        pass


def facts_of(listing: Listing, parameters: Mapping[str, Parameter], label: str = "") -> EditorFacts:
    """The editor's identity; its name includes all parameters that differ from their defaults."""
    given = {key: value for key, value in parameters.items() if value != listing.parameters.get(key)}
    base = listing.name
    if "model" in given and "model" not in listing.parameters:
        base = f"{listing.name}:{given.pop('model')}"
    query = "&".join(f"{key}={value}" for key, value in sorted(given.items()))
    account = limits_at(listing.provider)
    return EditorFacts(
        name=f"{base}?{query}" if query else base,
        version=listing.version,
        parameters=dict(parameters),
        role=listing.role,
        price_usd=listing.price_usd,
        provider=listing.provider,
        at_once=account.at_once or listing.at_once,
        per_minute=account.per_minute,
        typical_seconds=listing.typical_seconds,
        label=label,
        warnings=_warnings(listing.facts),
    )


def _warnings(facts: ModelFacts) -> tuple[str, ...]:
    """What the model silently ignores or changes."""
    size = f"does not keep the size of the picture: it returns {facts.size}"
    return (*((NO_SEED,) if facts.takes_seed is False else ()), *((size,) if facts.size else ()))


def split_label(spec: str) -> tuple[str, str]:
    """The name that a user gives a model, if any, and the rest of the specification.

    >>> split_label("mine=python:my:edit"), split_label("jpeg?quality=20")
    (('mine', 'python:my:edit'), ('', 'jpeg?quality=20'))
    """
    label, equals, rest = spec.partition("=")
    if not equals or "?" in label or ":" in label:
        return "", spec
    if not label.strip() or not rest:
        raise WrongUse(f"{spec} has no name or no model; write NAME=MODEL, such as mine=python:my:edit")
    return label.strip(), rest


def parse(spec: str) -> tuple[Listing, dict[str, Parameter]]:
    """The listing and the full set of parameters; raises WrongUse for an invalid name."""
    _discover()
    name, _, query = split_label(spec)[1].partition("?")
    start, colon, model = name.partition(":")
    if colon:
        listing = _found(start, {**_proxies(), **_providers}, "provider")
        parameters: dict[str, Parameter] = {"model": model, **listing.parameters}
    else:
        listing = _found(name, _listings, "model")
        parameters = dict(listing.parameters)
    for part in filter(None, query.split("&")):
        key, _, text = part.partition("=")
        check_no_secret(key, text)
        if key == PASTE or (key == SIZE and not listing.sizes_itself):
            parameters[key] = text
        elif key in parameters:
            parameters[key] = _converted(name, key, text, parameters[key])
        elif listing.open_parameters:
            parameters[key] = parameter_in(text)
        else:
            takes = ", ".join(parameters) or "no parameters"
            raise WrongUse(f"{name} has no parameter {key}; it takes {takes}")
    return listing, parameters


def _proxies() -> dict[str, Listing]:
    return {name: _proxy(name, one) for name, one in configured_proxies().items()}


def _proxy(name: str, proxy: ProviderProxy) -> Listing:
    """The provider that it is like, at another address and with another key."""
    like = _providers[proxy.like]
    packages = tuple(need for need in like.needs if not isinstance(need, EditorKey))
    return replace(
        like,
        name=name,
        provider=name,
        summary=f"proxy at {proxy.base_url} that speaks the protocol of {proxy.like}",
        parameters={**like.parameters, "base_url": proxy.base_url, KEY_NAME: proxy.key},
        needs=(EditorKey(proxy.key), *packages) if proxy.key else packages,
    )


def _not_yet(listing: Listing, missing: str) -> WrongUse:
    return WrongUse(
        f"{listing.name} cannot be used yet: {missing} (or try --model classical, which needs nothing)"
    )


def _found(name: str, known: Mapping[str, Listing], what: str) -> Listing:
    if name in known:
        return known[name]
    raise unknown_name(what, name, known, otherwise="see: convergebench models")


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


def _add(listings: dict[str, Listing], listing: Listing) -> None:
    if listing.name in listings:
        raise ValueError(f"two editors are called {listing.name}")
    listings[listing.name] = listing


@cache
def _discover() -> None:
    for _ in (*plugins.import_modules(__package__), *plugins.installed(ENTRY_POINTS)):
        pass  # importing a module registers its editors
