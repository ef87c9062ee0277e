"""A section that another package registers is in the page, from disk and from the server."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from report.page.conftest import Visit
from report.plugin import install, run_with

SECTION = """
from pathlib import Path
from convergebench.report.page.sections import PageSection

SECTION = PageSection(
    "counts",
    "Counts",
    Path(__file__).with_name("counts.js"),
    lambda page: {"counts": lambda: {"returns": len(page.results.returns), "note": "<b>not bold</b>"}},
    order=15,
)
"""

SCRIPT = """
"use strict";
convergebench.views.counts = (() => {
  const { h, load, counted } = convergebench;
  async function open(root) {
    const data = await load("counts");
    root.replaceChildren(h("h1", {}, counted(data.returns, "return")), h("p", { class: "lead" }, data.note));
  }
  return { open };
})();
"""

WRITE = """
import json, sys
from pathlib import Path
from convergebench.report.page import write_site
from convergebench.report.page.live_data import LiveData
from convergebench.report.page.page_files import page_files
from convergebench.results import load_results
from convergebench.store import Workspace
with Workspace.existing(Path(sys.argv[1])) as workspace:
    results = load_results(workspace)
    write_site(workspace, results, Path(sys.argv[2]))
data = LiveData(Path(sys.argv[1]))
print(json.dumps([len(results.returns), data.script("counts"), "counts.js" in page_files()]))
data.close()
"""


@pytest.fixture(scope="module")
def extended(filled: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[object]]:
    """The report's folder; the number of returns, what a live page gets, whether it has the script."""
    folder = tmp_path_factory.mktemp("plugin")
    install(folder, "convergebench.page_sections", "SECTION", SECTION)
    (folder / "counts.js").write_text(SCRIPT)
    done = run_with(folder, WRITE, filled, folder / "report")
    assert done.returncode == 0, done.stderr
    return folder / "report", json.loads(done.stdout)


def test_it_stands_in_the_navigation_and_opens(visit: Visit, extended: tuple[Path, list[object]]) -> None:
    folder, (returns, *_) = extended
    page = visit.open((folder / "index.html").as_uri())
    assert page.locator("#views a").all_inner_texts()[:3] == ["Overview", "Counts", "Filmstrip"]
    page.click("#views a:has-text('Counts')")
    page.wait_for_selector(f"h1:has-text('{returns} returns')")
    assert page.inner_text(".lead") == "<b>not bold</b>"
    assert page.title().startswith("Counts · ")


def test_a_live_page_has_its_data_and_script(extended: tuple[Path, list[object]]) -> None:
    _, (_, script, has_script) = extended
    assert str(script).startswith('convergebench.receive("counts"') and has_script


def test_the_page_sorts_by_a_column_and_leaves_floors_below(visit: Visit, written: Path) -> None:
    page = visit.open((written / "index.html").as_uri())
    ranking = page.locator(".overview section").first
    ranking.locator("summary:has-text('as a table')").click()
    names = "[...document.querySelectorAll('.overview section tbody th a')].map((one) => one.innerText)"
    before = page.evaluate(names)
    ranking.locator("thead button", has_text="missing").click()
    assert page.evaluate(names)[0] == "refuser" and page.evaluate(names)[-1] == "identity"
    assert ranking.locator("th[aria-sort=descending]").inner_text().startswith("missing")
    ranking.locator("thead button", has_text="SSIM @ R3").click()
    assert page.evaluate(names) == before
