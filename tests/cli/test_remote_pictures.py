"""Commands on a workspace whose pictures are elsewhere."""

from __future__ import annotations

from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

import convergebench
from convergebench.report.page.live_data import LiveData
from convergebench.report.page.server import HOST, make_app
from convergebench.types import Case

pytestmark = pytest.mark.skipif(find_spec("fsspec") is None, reason="needs the extra remote")


@pytest.fixture
def elsewhere(tmp_path: Path, make_case: Callable[..., Case], request: Any) -> Path:
    make_case("scene")
    folder = tmp_path / "results"
    run(folder, 1, pictures_at=f"memory://{request.node.name}")
    assert not (folder / "pictures").exists()
    return folder


def run(folder: Path, rounds: int, **more: Any) -> None:
    sources = f"folder:{folder.parent / 'sources'}"
    convergebench.run("noise", sources, rounds, workspace=folder, metrics=("psnr",), limit=2, **more).close()


def test_a_report_brings_the_pictures_that_it_shows_and_a_further_run_leaves_them(
    elsewhere: Path, cli: Any
) -> None:
    assert cli("report", "--workspace", str(elsewhere)).code == 0
    shown = sorted((elsewhere / "pictures").glob("??/*.png"))
    assert len(shown) >= 3
    run(elsewhere, 2)
    assert sorted((elsewhere / "pictures").glob("??/*.png")) == shown


def test_the_page_serves_pictures_from_there(elsewhere: Path) -> None:
    testing = pytest.importorskip("fastapi.testclient")
    data = LiveData(elsewhere)
    client = testing.TestClient(make_app(data), base_url=f"http://{HOST}")
    ((digest,), *_) = data.workspace.query("SELECT picture FROM steps WHERE picture IS NOT NULL")
    answer = client.get(f"/pictures/{digest[:2]}/{digest}.png")
    assert (answer.status_code, answer.headers["content-type"]) == (200, "image/png")
    assert client.get(f"/pictures/{digest[:2]}/{'0' * 64}.png").status_code == 404
    data.close()


def test_a_local_run_refuses_what_is_meant_for_ray(cli: Any, tmp_path: Path) -> None:
    ran = cli("run", "-m", "noise", "--replicas", "1..4", "--workspace", str(tmp_path / "results"))
    assert ran.code == 2
    assert "--engine ray" in ran.err
