"""Small real things for every test: pictures made in code, a workspace, a suite, editors that do as told."""

from __future__ import annotations

import logging
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import certifi
import pytest
from hypothesis import HealthCheck, settings

from convergebench.picture import Picture
from convergebench.store import Workspace
from convergebench.types import Case, SourcePicture
from made_pictures import textured

os.environ["HF_HUB_OFFLINE"] = "1"
os.environ.setdefault("OMP_NUM_THREADS", "1")  # torch's threads would wait for those of the other processes
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)  # many programs are started: they compile our modules once
too_slow = [HealthCheck.too_slow]  # by the clock, which says more about the machine
settings.register_profile("quick", deadline=None, max_examples=25, suppress_health_check=too_slow)
settings.load_profile("quick")


LONGEST = (
    "editors/test_diffusers_2026.py", "report/page/test_page.py", "engine/ray/test_run.py",
    "report/page/test_accessible.py", "report/page/test_judging.py", "report/page/test_hostile.py",
    "engine/ray/test_nodes.py", "benchmarks/sets/test_every_set.py", "leaderboard/test_browser.py",
    "metrics/test_triton_kernels.py", "editors/test_fal.py",
)  # fmt: skip
WITH_TORCH = (
    "tests/editors/test_diffusers", "tests/editors/test_vae", "tests/metrics/gpu", "tests/metrics/test_clip",
    "tests/metrics/test_dino", "tests/metrics/test_dists", "tests/metrics/test_lpips",
    "tests/benchmarks/sets/test_own_figures", "tests/engine/measuring/test_clip_direction",
    "tests/judges/test_qwen_local", "tests/cli/test_refine.py",
)  # fmt: skip
"""One process runs all of these, and no other has to import torch."""


TIMING = (
    "tests/cli/test_judging_progress", "tests/cli/test_refine_progress", "tests/cli/test_run.py",
    "tests/cli/test_terminal", "tests/cli/test_turns", "tests/editors/test_bfl", "tests/editors/test_charges",
    "tests/editors/test_comfyui", "tests/editors/test_command", "tests/editors/test_dashscope",
    "tests/editors/test_fal", "tests/editors/test_gemini", "tests/editors/test_openai",
    "tests/editors/test_replicate", "tests/editors/test_worker", "tests/editors/test_xai",
    "tests/engine/editing/test_batching", "tests/engine/editing/test_durable_edit",
    "tests/engine/editing/test_session", "tests/engine/judging/test_judge_tasks",
    "tests/engine/judging/test_stage", "tests/engine/measuring/test_gpu_sharing",
    "tests/engine/measuring/test_measured_apart",
    "tests/engine/measuring/test_measurement_queue", "tests/engine/ray",
    "tests/engine/refining/test_killed", "tests/engine/test_claim_notice", "tests/engine/test_durability",
    "tests/engine/test_limits", "tests/engine/test_money", "tests/engine/test_shared_limits", "tests/faults",
    "tests/judges/test_vllm", "tests/network/test_answers", "tests/refinement/test_run",
    "tests/report/page/test_page", "tests/report/page/test_server", "tests/store/test_journal",
    "tests/store/test_remote", "tests/test_imports", "tests/votes/test_browser",
)  # fmt: skip
"""Tests of deadlines, signals, kills, threads and races, for `make test-timing`."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """The files that take longest come first, so that the end does not wait for one of them."""
    here = Path(__file__).parent
    rank = {here / name: place for place, name in enumerate(LONGEST)}
    items.sort(key=lambda item: rank.get(item.path, len(LONGEST)))
    for item in items:
        if item.nodeid.startswith(TIMING):
            item.add_marker("timing")


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """A file is run by one process, and so are those that need torch together."""
    from xdist.scheduler import LoadFileScheduling

    class FilesWithTorchTogether(LoadFileScheduling):
        def _split_scope(self, nodeid: str) -> str:
            return "torch" if nodeid.startswith(WITH_TORCH) else super()._split_scope(nodeid)

    return FilesWithTorchTogether(config, log) if config.getvalue("dist") == "loadfile" else None


@pytest.fixture(scope="session", autouse=True)
def one_certificate(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Clients of providers trust one authority in place of 140, which takes each of them a while to load."""
    end = "-----END CERTIFICATE-----\n"
    file = tmp_path_factory.mktemp("authority") / "one.pem"
    file.write_text(certifi.contents().partition(end)[0] + end)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SSL_CERT_FILE", str(file))
        yield


@pytest.fixture(autouse=True)
def unchanged_log() -> None:
    """The command line sends this package's messages to standard error for good, and a test may run it."""
    logger = logging.getLogger("convergebench")
    logger.handlers, logger.propagate = [], True
    logger.setLevel(logging.NOTSET)


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
