"""axe-core finds nothing wrong in any view, in light and in dark."""

from __future__ import annotations

import shutil
import subprocess
import tarfile
from typing import Any

import pytest

from convergebench.packaged_files import cache_folder
from report.page.conftest import Visit
from report.page.test_page import VIEWS

AXE = "axe-core-4.14.0"


@pytest.fixture(scope="session")
def axe() -> str:
    """The checker's source, fetched once into the cache."""
    script = cache_folder() / f"{AXE}.min.js"
    if not script.is_file():
        npm = shutil.which("npm")
        if npm is None:
            pytest.skip(f"npm is not here, which fetches {AXE}")
        script.parent.mkdir(parents=True, exist_ok=True)
        name, _, version = AXE.rpartition("-")
        done = subprocess.run(
            [npm, "pack", "--silent", f"{name}@{version}"], cwd=script.parent, capture_output=True, timeout=60
        )
        if done.returncode != 0:
            pytest.skip(f"npm could not fetch {AXE}")
        with tarfile.open(script.parent / f"{AXE}.tgz") as package:
            content = package.extractfile("package/axe.min.js")
            assert content is not None
            script.write_bytes(content.read())
    return script.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    "view", [*VIEWS, "film?mode=rounds", "judging?part=verdicts", "edits?case=one0%2Fadd"]
)
def test_axe_finds_nothing_wrong(visit: Visit, served: str, axe: str, view: str) -> None:
    """In the dark only colours are others."""
    visit.page.emulate_media(color_scheme="light")
    page: Any = visit.open(served, f"#/{view}")
    page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
    page.evaluate(axe + ";0")
    assert violations(page, "{resultTypes: ['violations']}") == []
    page.emulate_media(color_scheme="dark")
    assert violations(page, "{runOnly: ['color-contrast']}") == []


def violations(page: Any, options: str) -> list[tuple[str, list[str]]]:
    found = page.evaluate(f"axe.run({options})")["violations"]
    return [(one["id"], [node["html"][:160] for node in one["nodes"][:3]]) for one in found]
