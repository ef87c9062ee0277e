from __future__ import annotations

from pathlib import Path

from convergebench.engine.judging.pairwise_candidates import pairwise_candidates
from convergebench.judges import rubric
from convergebench.store import Enrolment, Workspace
from report.page.filled import SSIM, cases, editor, fill


def test_a_case_that_two_suites_share_is_compared_once(tmp_path: Path) -> None:
    fill(tmp_path / "results")
    rubrics = [rubric("better_edit"), rubric("better_return")]
    with Workspace.create(tmp_path / "results") as workspace:
        before = len(pairwise_candidates(workspace, rubrics))
        again = [
            Enrolment("round_trip", "other@1", editor(name), case, 0, 3) for name in SSIM for case in cases()
        ]
        workspace.enrol(again, fresh=False)
        assert len(pairwise_candidates(workspace, rubrics)) == before > 0
