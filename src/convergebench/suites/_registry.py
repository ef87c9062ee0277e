"""The available suites: those of this package, of the judged benchmarks, and of other installed packages.

Another package adds a suite by naming its SuiteInfo under the entry point group `convergebench.suites`, or a
judged benchmark with suites under `convergebench.benchmarks`.
"""

from __future__ import annotations

import pkgutil
from collections.abc import Iterable, Iterator
from importlib import import_module
from typing import Any

from convergebench import plugins
from convergebench.errors import WrongUse, unknown_name
from convergebench.suites._info import OnPackage, SuiteInfo
from convergebench.suites.folder import FOLDER_PREFIX, load_folder
from convergebench.suites.hub_pictures import HUB_PREFIX, load_hub_pictures
from convergebench.suites.own_edits import EDITS_PREFIX, load_own_edits
from convergebench.suites.sampling import SETTINGS, Sampling
from convergebench.types import Suite


def listing() -> tuple[SuiteInfo, ...]:
    """All suites by name, the current version first; nothing is downloaded."""
    return tuple(sorted(_all(), key=lambda suite: (suite.name, not suite.is_current, suite.version)))


def names() -> tuple[str, ...]:
    return tuple(dict.fromkeys(suite.name for suite in listing()))


def load(name: str, on_package: OnPackage = lambda _: None) -> Suite:
    """The suite with this name, its pictures ready to read; `on_package` is called before each download.

    `converge` is the current version, `converge@0` requests a version, `folder:/path/to/pictures` applies the
    built-in edits to your own pictures, `hub:owner/name` to the pictures of a dataset. `edits:FILE` has your
    own edits of the pictures that they name.
    """
    if name.startswith(FOLDER_PREFIX):
        return load_folder(name.removeprefix(FOLDER_PREFIX))
    if name.startswith(EDITS_PREFIX):
        return load_own_edits(name.removeprefix(EDITS_PREFIX))
    if name.startswith(HUB_PREFIX):
        return load_hub_pictures(name.removeprefix(HUB_PREFIX))
    suite = _named(name)
    return suite.load(on_package, **_settings(suite, name.partition("?")[2]))


def packages_lacking(name: str) -> frozenset[str]:
    """The packages that loading this suite may have to download."""
    if name.startswith((FOLDER_PREFIX, HUB_PREFIX, EDITS_PREFIX)):
        return frozenset()
    return frozenset(file.requirement for file in _named(name).files if not file.is_cached())


def _named(name: str) -> SuiteInfo:
    base = name.partition("?")[0]
    plain_name, _, version = base.partition("@")
    versions = [suite for suite in listing() if suite.name == plain_name]
    if not versions:
        raise unknown_name("suite", plain_name, [*names(), f"{FOLDER_PREFIX}PATH", f"{HUB_PREFIX}ID"])
    suite = next((one for one in versions if one.version == version), None) if version else versions[0]
    if suite is None:
        known = " or ".join(f"{one.name}@{one.version}" for one in versions)
        raise WrongUse(f"unknown suite version {base}; choose {known}.")
    return suite


def _settings(suite: SuiteInfo, query: str) -> dict[str, Any]:
    """The settings after the question mark: setting=value&…"""
    given: dict[str, Any] = dict(part.partition("=")[::2] for part in query.split("&") if part)
    known = [
        name
        for parameter in suite.parameters
        for name in (SETTINGS if parameter == "sampling" else (parameter,))
    ]
    for name in given:
        if name not in known:
            takes = f"it takes {', '.join(known)}" if known else "it takes none"
            raise WrongUse(f"{suite.name} has no setting {name!r}; {takes}.")
    if "sampling" in suite.parameters:
        given["sampling"] = Sampling.of_text(**{name: given.pop(name) for name in SETTINGS if name in given})
    return given


def _all() -> Iterable[SuiteInfo]:
    """Built-in suites take precedence over others with the same name and version."""
    found = {(suite.name, suite.version): suite for suite in (*_installed(), *_built_in())}
    return found.values()


def _built_in() -> Iterator[SuiteInfo]:
    for name in _modules():
        module = import_module(name)
        for suite in (getattr(module, "SUITE", None), *getattr(module, "SUITES", ())):
            if isinstance(suite, SuiteInfo):
                yield suite


def _modules() -> Iterator[str]:
    """The modules that may contain a suite. Modules of the judged benchmarks are imported by name, because
    they depend on this package, and without the rest of the benchmark, which is too slow for a listing."""
    for module in pkgutil.iter_modules(import_module("convergebench.suites").__path__):
        if not module.ispkg and not module.name.startswith("_"):
            yield f"convergebench.suites.{module.name}"
    for module in pkgutil.iter_modules(import_module("convergebench.benchmarks").__path__):
        if module.ispkg:
            yield from (f"convergebench.benchmarks.{module.name}.{part}" for part in ("suite", "mini"))
        elif module.name.startswith("set_") and module.name != "set_judging":
            yield f"convergebench.benchmarks.{module.name}"


def _installed() -> Iterator[SuiteInfo]:
    yield from plugins.installed_of(plugins.SUITES, SuiteInfo)
    for _, benchmark in plugins.installed(plugins.BENCHMARKS):
        yield from getattr(benchmark, "suites", ())
