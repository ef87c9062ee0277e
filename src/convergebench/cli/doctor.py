"""convergebench doctor"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from convergebench.cli.listing import print_entry
from convergebench.cli.options import (
    DEFAULT_WORKSPACE,
    AsJson,
    WorkspaceFolder,
    console,
    print_json,
    terminal_width,
)

NAME = "doctor"
_NARROWEST_TABLE = 60


@dataclass(frozen=True)
class Diagnosis:
    what: str
    works: bool
    detail: str
    """Its version or path if it works, else how to get it."""


def command(workspace: WorkspaceFolder = DEFAULT_WORKSPACE, as_json: AsJson = False) -> None:
    """Check what works, what is missing, and how to get it."""
    findings = [*_machine(), *_extras(), *_keys(), *_pictures(), *_metrics(), _workspace(workspace)]
    if as_json:
        print_json([vars(finding) for finding in findings])
        return
    if terminal_width() < _NARROWEST_TABLE:
        for finding in findings:
            print_entry(f"{'ok' if finding.works else '--'} {finding.what}", finding.detail, indent=3)
        return
    from rich.table import Column, Table
    from rich.text import Text

    table = Table("", "", Column(overflow="fold"), box=None, show_header=False)
    for finding in findings:
        mark = Text("ok", style="green") if finding.works else Text("--", style="yellow")
        table.add_row(mark, finding.what, finding.detail)
    console().print(table)


def _machine() -> Iterator[Diagnosis]:
    import os
    import platform

    from convergebench import packaged_files as packages
    from convergebench._version import __version__

    yield Diagnosis("ConvergeBench", True, __version__)
    yield Diagnosis(
        "Python", True, f"{platform.python_version()} on {platform.system()}, {os.cpu_count()} cores"
    )
    yield Diagnosis("cache", True, str(packages.cache_folder()))


def _extras() -> Iterator[Diagnosis]:
    from importlib.metadata import PackageNotFoundError, version

    for package, extra in (("pandas", "frames"), ("torch", "torch"), ("transformers", "torch")):
        try:
            yield Diagnosis(package, True, version(package))
        except PackageNotFoundError:
            yield Diagnosis(package, False, f"pip install 'convergebench[{extra}]'")


def _keys() -> Iterator[Diagnosis]:
    """The key of each provider of editors; a key itself is never shown."""
    from convergebench.editors import EditorKey, providers

    for one in sorted(providers(), key=lambda provider: provider.name):
        for key in (need for need in one.needs if isinstance(need, EditorKey)):
            reason = key.missing()
            how = f"{reason}, as in: export {key.names[0]}=…" if reason else f"set for {one.name}: models"
            yield Diagnosis(f"key {one.name}", reason is None, how)


def _pictures() -> Iterator[Diagnosis]:
    from convergebench import suites

    for suite in suites.listing():
        name = f"suite {suite.name}@{suite.version}"
        if suite.takes_data:
            number = f"{suite.cases} cases; " if suite.cases is not None else ""
            yield Diagnosis(name, False, f"{number}pass its data as {suite.name}?data=PATH")
            continue
        here = all(file.is_cached() for file in suite.files)
        detail = f"{suite.cases} cases on {suite.pictures} pictures"
        yield Diagnosis(name, here, detail if here else f"{detail}, fetched on first use")


def _metrics() -> Iterator[Diagnosis]:
    from convergebench import metrics

    yield Diagnosis(
        "metric drift", True, f"{len(metrics.expand(['drift']))} measures of the direction of decay"
    )
    for name in metrics.names():
        if metrics.facts(name).dimension == "drift":
            continue
        reason = metrics.missing_reason(name)
        yield Diagnosis(f"metric {name}", reason is None, reason or metrics.facts(name).summary)


def _workspace(folder: Path) -> Diagnosis:
    from convergebench.errors import ConvergeBenchError
    from convergebench.store import DATABASE, Workspace

    if not (folder / DATABASE).exists():
        return Diagnosis(f"workspace {folder}", True, "does not exist yet; convergebench run creates it")
    try:
        with Workspace.existing(folder) as store:
            steps, finding = store.check()
    except ConvergeBenchError as error:
        return Diagnosis(f"workspace {folder}", False, str(error))
    return Diagnosis(f"workspace {folder}", finding == "ok", f"{steps} steps, database {finding}")
