from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from convergebench import packaged_files
from convergebench.metrics import packaged_weights

Cli = Callable[..., Any]


@pytest.mark.parametrize(
    ("words", "metrics"),
    [
        ([], ["lpips", "lpips_vgg", "dists"]),
        (["lpips"], ["lpips", "lpips_vgg"]),
        (["faces", "text"], ["face_distance", "text_error"]),
    ],
)
def test_weights_that_are_there_are_listed_and_not_fetched_again(
    words: list[str], metrics: list[str], cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CONVERGEBENCH_CACHE", str(tmp_path))
    files = packaged_weights(*metrics)
    for file in files:
        file.path.parent.mkdir(exist_ok=True)
        file.path.write_bytes(b"there")
    digests = {file.path: file.sha256 for file in files}
    monkeypatch.setattr(packaged_files, "_digest_of", lambda path, size, changed_ns: digests[path])
    pulled = cli("weights", "pull", *words)
    assert (pulled.code, pulled.err) == (0, "")
    assert sorted(pulled.out.splitlines()) == sorted(f"{file.path.name}: cached" for file in files)


def test_without_a_network_the_package_that_is_lacking_is_named(
    cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CONVERGEBENCH_CACHE", str(tmp_path))
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    pulled = cli("weights", "pull", "text")
    assert pulled.code != 0
    assert "could not download rapidocr==3.10.0" in pulled.err
