"""Only the drawn pictures of `converge`: nothing is downloaded."""

from __future__ import annotations

from convergebench.suites._drawings import DRAWINGS
from convergebench.suites._info import OnPackage, SuiteInfo
from convergebench.suites._pairs import cases_of, pairs_for
from convergebench.types import Suite


def _load(_: OnPackage) -> Suite:
    from convergebench.suites._prepared import prepare_drawings

    pictures = prepare_drawings(DRAWINGS)
    return Suite(SUITE.name, SUITE.version, tuple(case for picture in pictures for case in cases_of(picture)))


SUITE = SuiteInfo(
    name="converge-drawn",
    version="0",
    summary="the drawn scenes of converge alone; works without a network",
    pictures=len(DRAWINGS),
    cases=sum(len(pairs_for(drawing.kind)) for drawing in DRAWINGS),
    load=_load,
)
