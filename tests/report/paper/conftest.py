"""One small paper, set for real and read by all tests of this folder."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from convergebench.report.paper import Heading, Paper, write_paper
from convergebench.results import load_results
from convergebench.store import Workspace
from report.page.filled import fill

Write = Callable[..., Paper]


def text_of(pdf: Path) -> str:
    """What a reader reads, on one line, without marks of where words may break."""
    from pypdf import PdfReader

    pages = [page.extract_text() for page in PdfReader(pdf).pages]
    return " ".join(" ".join(pages).replace("\u200b", "").split())


def write(workspace: Path, folder: Path, **heading: object) -> Paper:
    with Workspace.existing(workspace) as opened:
        return write_paper(opened, load_results(opened), folder, Heading(**heading))


@pytest.fixture(scope="session")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("filled") / "results"
    fill(folder)
    return folder


@pytest.fixture(scope="session")
def paper(filled: Path, tmp_path_factory: pytest.TempPathFactory) -> Paper:
    folder = tmp_path_factory.mktemp("paper")
    return write(filled, folder, title="A small paper", authors=("Ada One", "Ben Two"))


@pytest.fixture(scope="session")
def said(paper: Paper) -> str:
    return text_of(paper.pdf)
