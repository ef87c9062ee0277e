"""Small real things for every test: pictures made in code, a workspace, a suite, editors that do as told."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import certifi
import pytest
from hypothesis import settings

from convergebench.picture import Picture
from convergebench.store import Workspace
from convergebench.types import Case, SourcePicture
from made_pictures import textured

os.environ["HF_HUB_OFFLINE"] = "1"
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)  # many programs are started: they compile our modules once
settings.register_profile("quick", deadline=None, max_examples=25)
settings.load_profile("quick")


LONGEST = (
    "report/page/test_page.py", "engine/ray/test_run.py", "report/page/test_accessible.py",
    "report/page/test_judging.py", "report/page/test_hostile.py", "editors/test_diffusers_2026.py",
    "editors/test_diffusers_local.py", "engine/ray/test_nodes.py", "benchmarks/sets/test_every_set.py",
    "leaderboard/test_browser.py", "engine/test_durability.py", "editors/test_fal.py",
)  # fmt: skip


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """The files that take longest come first, so that the end does not wait for one of them."""
    here = Path(__file__).parent
    rank = {here / name: place for place, name in enumerate(LONGEST)}
    items.sort(key=lambda item: rank.get(item.path, len(LONGEST)))


@pytest.fixture(scope="session", autouse=True)
def one_certificate(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Clients of providers trust one authority in place of 140, which takes each of them a while to load."""
    end = "-----END CERTIFICATE-----\n"
    file = tmp_path_factory.mktemp("authority") / "one.pem"
    file.write_text(certifi.contents().partition(end)[0] + end)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SSL_CERT_FILE", str(file))
        yield


@pytest.fixture
def make_source(tmp_path: Path) -> Callable[..., SourcePicture]:
    def make(name: str = "one", **shape: int) -> SourcePicture:
        picture = Picture.from_pixels(textured(**shape))
        path = tmp_path / "sources" / f"{name}.png"
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(picture.encoded)
        return SourcePicture(name, path, picture.digest, "scene")

    return make


@pytest.fixture
def make_case(make_source: Callable[..., SourcePicture]) -> Callable[..., Case]:
    def make(name: str = "one", **shape: int) -> Case:
        source = make_source(name, **shape)
        return Case(
            f"{name}/ball",
            (source,),
            "Add a red ball.",
            "Remove the red ball.",
            "ball",
            "scene_objects",
            "scene",
        )

    return make


@pytest.fixture
def workspace(tmp_path: Path) -> Iterator[Workspace]:
    with Workspace.create(tmp_path / "results") as opened:
        yield opened
