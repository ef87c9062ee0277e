"""Partially reversible edits can be looked at like all others, and are ranked apart."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from convergebench import judges
from convergebench.judges.base import Verdict
from convergebench.report.page.judged_tables import summaries
from convergebench.report.page.merge_partial import merge_partial
from convergebench.report.page.page_data import PageData
from convergebench.results import load_results
from convergebench.store import Workspace
from convergebench.store.judgements import enlist_judge
from convergebench.types import Measurement
from report.page.conftest import Visit, write
from report.page.filled import ROUNDS, SSIM, SUITE, add_film, cases, plain, source_of, worn
from report.page.judged import judge, keep
from report.page.test_static_site import section

PARTIAL = cases()[1].id


@pytest.fixture(scope="module")
def mixed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("mixed") / "results"
    with Workspace.create(folder) as workspace:
        run = workspace.start_run({"suite": SUITE}, "0.1.0")
        for name in ("steady", "fading"):
            for case in cases():
                hints = {"reversibility": "information-destroying"} if case.id == PARTIAL else {}
                add_film(workspace, run, name, replace(case, hints=hints))
        forward = workspace.query("SELECT inputs ->> 0, picture FROM steps WHERE role = 'forward'")
        changed = Measurement("psnr", "1", 20.0)
        workspace.record_measurements([(given, made, changed) for given, made in forward]).result()
    return folder


def test_together_has_every_return_and_use_of_both_kinds(mixed: Path) -> None:
    with Workspace.existing(mixed) as workspace:
        results = load_results(workspace)
    assert results.partial is not None and len(results.partial.returns) == 2 * ROUNDS
    whole = merge_partial(results)
    assert len(whole.returns) == 2 * len(cases()) * ROUNDS
    assert [(use.trajectories, use.edits, use.mean_seconds) for use in whole.uses] == [
        (4, 8 * ROUNDS, 0.5)
    ] * 2
    assert whole.uses[0].cost_usd == pytest.approx(8 * ROUNDS * 0.01)


def test_verdicts_on_both_kinds_are_never_averaged_together(mixed: Path) -> None:
    with Workspace.create(mixed) as workspace:
        run = workspace.start_run({"command": "judge"}, "0.1.0")
        enlist_judge(workspace, judge(), [judges.rubric("roundtrip_reversal")])
        for case in cases():
            source = source_of(case)
            shown = (("source", source.digest), ("result", worn(source, "steady", 1, forward=False).digest))
            grade = 2.0 if case.id == PARTIAL else 8.0
            verdict = Verdict("ok", grade, {"reversal": grade}, "")
            keep(
                workspace,
                run,
                "roundtrip_reversal",
                shown,
                {"instruction": case.forward},
                verdict,
                ["{}"],
                plain,
            )
        workspace.finish_run(run, "finished")
    with Workspace.existing(mixed) as workspace:
        page = PageData(workspace, load_results(workspace))
        found = {line["under"]: (line["mean"], line["n"]) for line in summaries(page.judgements)}
    partial = [value for under, value in found.items() if "partially reversible edits" in under]
    assert partial == [(2.0, 1)]
    assert [value for under, value in found.items() if "partially" not in under] == [(8.0, 3)]


def test_partially_reversible_edits_have_a_table_of_their_own_and_are_in_no_other_mean(
    visit: Visit, mixed: Path, tmp_path: Path
) -> None:
    report = write(mixed, tmp_path)
    ranked = section(report, "metric/ssim")
    assert {row["n"] for row in ranked["ranking"]["rows"]} == {3}
    assert {row["n"] for row in ranked["partial"]["rows"]} == {1}
    page = visit.open((report / "index.html").as_uri())
    page.click("summary:has-text('Partially reversible edits')")
    apart = page.inner_text("section[aria-label^='Partially reversible edits']")
    assert f"{SSIM['fading']:.3f}" in apart
    assert f"{ROUNDS} of {ROUNDS}" in apart and f"{3 * ROUNDS} of {3 * ROUNDS}" not in apart
    page = visit.open((report / "index.html").as_uri(), "#/gallery?edits=partially+reversible")
    assert page.locator(".gallery-row h3 a").all_inner_texts() == ["Add a scarf."]
    page = visit.open((report / "index.html").as_uri(), "#/compare?a=fading&b=steady")
    assert page.locator(".bars li").count() == 3 and "3 shared chains" in page.inner_text(".view")
