"""The results of a workspace: rankings, comparisons, data frames and files, in the Python API."""

from __future__ import annotations

import base64
import html
import io
import logging
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any

from convergebench.analysis import (
    Part,
    Results,
    WorstCase,
    headline_rankings,
    model_differences,
    model_profiles,
    worst_by,
)
from convergebench.errors import BadPicture, ConvergeBenchError, LostPicture, WrongUse
from convergebench.results import Records, load_results, suites_with_returns
from convergebench.results.worst_regions import WorstRegions, worst_regions
from convergebench.store import Selection, Workspace
from convergebench.types import Pixels, SuiteId

if TYPE_CHECKING:
    import pandas

    from convergebench import report as views
    from convergebench.engine import RunOutcome
    from convergebench.report.paper import PaperFormat, PaperTemplate
    from convergebench.report.tables.result_table import ModelComparison, RankingTable, WorstCaseTable

_PLACE = ("model", "role", "case", "picture", "pair", "kind", "category", "seed", "round")

log = logging.getLogger("convergebench")


@dataclass(frozen=True)
class Benchmark:
    """A workspace opened for reading: results, tables, data frames and files.

    Everything covers one suite, by default that of the last run, and its reversible edits; the suite's name
    followed by /partial gives the others. `models` selects models; by default all.
    """

    workspace: Workspace
    outcome: RunOutcome | None = None
    """Outcome of the run, if it was returned by `run`."""

    @classmethod
    def existing(cls, folder: Path, models: Sequence[str] = ()) -> Benchmark:
        """Open a workspace for reading: all models that are not hidden, or those named."""
        return cls(Workspace.existing(folder, Selection(models=tuple(models))))

    def results(
        self, suite: str | None = None, models: Sequence[str] = (), *, visible: float | None = None
    ) -> Results:
        """`visible`: the least difference of ꟻLIP that counts in `kept`, `collateral` and `rewritten`."""
        return load_results(self.workspace, _suite_id(suite), models, visible=visible)

    def ranking(
        self,
        metric: str | None = None,
        round: int | None = None,
        suite: str | None = None,
        models: Sequence[str] = (),
    ) -> RankingTable:
        """Models, best first, by what a person sees, or by the given metric and round."""
        from convergebench.report.tables.result_table import RankingTable

        ((_, ranked), *_) = headline_rankings(self.results(suite, models), metric, round)
        return RankingTable.of(ranked)

    def compare(
        self,
        first: str,
        second: str,
        metric: str | None = None,
        round: int | None = None,
        *,
        by: Part | None = None,
        suite: str | None = None,
    ) -> ModelComparison:
        """Two models on their shared cases, by what a person sees and by every metric, or by the given metric
        and round; `by` adds each category, kind or pair separately."""
        from convergebench.report.tables.result_table import ModelComparison

        results = self.results(suite)
        return ModelComparison.of(
            model_differences(results, first, second, metric, round, by),
            model_profiles(results, (first, second), metric or results.chief),
        )

    def worst(
        self,
        metric: str | None = None,
        round: int | None = None,
        *,
        limit: int = 10,
        suite: str | None = None,
        models: Sequence[str] = (),
    ) -> WorstCaseTable:
        """The cases that lost most, by what a person sees or by the given metric."""
        from convergebench.report.tables.result_table import WorstCaseTable

        results = self.results(suite)
        cases, facts = worst_by(results, metric, round, models, limit=limit)
        regions = self.worst_regions(results)
        return WorstCaseTable.of(cases, results, regions, facts, round, models)

    def frame(self, suite: str | None = None, models: Sequence[str] = ()) -> pandas.DataFrame:
        """Every return against its source, one row per metric; `missing` has the reason for a missing
        value."""
        from convergebench.report.tables.result_table import data_frame

        return data_frame(
            {**_place(item), "metric": m.metric, "value": m.value, "missing": m.missing, "version": m.version}
            for item in self.results(suite, models).returns
            for m in item.values.values()
        )

    def returns(self, suite: str | None = None, models: Sequence[str] = ()) -> pandas.DataFrame:
        """The same returns, one per row, with one column per metric."""
        from convergebench.report.tables.result_table import data_frame

        return data_frame(
            {**_place(item), "digest": item.digest, **{m.metric: m.value for m in item.values.values()}}
            for item in self.results(suite, models).returns
        )

    def plot(
        self,
        path: str | Path,
        metrics: Sequence[str] | None = None,
        *,
        suite: str | None = None,
        models: Sequence[str] = (),
    ) -> Path:
        """Draw the curve of each metric over the rounds, as .png, .svg or .pdf."""
        from convergebench import report as views

        views.plot_curves(self.results(suite, models), Path(path), metrics)
        return Path(path)

    def plot_figure(
        self,
        name: str,
        paths: Sequence[str | Path],
        metrics: Sequence[str] | None = None,
        *,
        suite: str | None = None,
        models: Sequence[str] = (),
    ) -> list[Path]:
        """Draw one figure for a talk into each of these files: strip, curves, survival, drift or headline."""
        from convergebench.report.figures.talk import ShownPictures, plot_figure

        results = self.results(suite, models)
        pictures = ShownPictures(partial(self._source, results.suite), self._picture_if_there)
        files = [Path(path) for path in paths]
        plot_figure(name, results, pictures, files, metrics)
        return files

    def grid(
        self, path: str | Path, columns: int = 6, *, suite: str | None = None, models: Sequence[str] = ()
    ) -> Path:
        """Draw the last pictures below their sources, a row per model."""
        from convergebench import report as views

        views.picture_grid(self.grid_rows(self.results(suite, models), columns), Path(path))
        return Path(path)

    def report(
        self, folder: str | Path | None = None, *, suite: str | None = None, models: Sequence[str] = ()
    ) -> list[Path]:
        """Write report.md with its tables and pictures, and the page; by default into the workspace.

        Returns both files, the page last. Single edits have no rounds: they get a page only.
        """
        from convergebench import report as views
        from convergebench.report.page import (
            holds_only_single_edits,
            other_results,
            page_results,
            write_site,
        )

        target = self.workspace.folder if folder is None else Path(folder)
        with self._only(models) as chosen:
            if holds_only_single_edits(chosen.workspace):
                return [
                    write_site(chosen.workspace, page_results(chosen.workspace, _suite_id(suite)), target)
                ]
            results = chosen.results(suite)
            written = views.report(results, target, chosen.grid_rows(results))
            if suite is not None:
                return [written, write_site(chosen.workspace, results, target)]
            with other_results(chosen.workspace, results) as others:
                return [written, write_site(chosen.workspace, results, target, others)]

    def paper(
        self,
        folder: str | Path = "paper",
        *,
        title: str | None = None,
        authors: Sequence[str] = (),
        template: PaperTemplate = "article",
        latex: bool = False,
        suite: str | None = None,
        models: Sequence[str] = (),
    ) -> Path:
        """Write a paper about the results: the PDF that is returned, and its source beside it. With `latex`,
        the same in LaTeX in a folder of its own."""
        from convergebench.report.paper import Heading, write_paper

        with self._only(models) as chosen:
            heading = Heading(title or "", tuple(authors))
            results = chosen.results(suite) if suites_with_returns(chosen.workspace) else None
            formats: Sequence[PaperFormat] = ("pdf", "latex") if latex else ("pdf",)
            paper = write_paper(chosen.workspace, results, Path(folder), heading, template, formats)
        assert paper.pdf is not None
        return paper.pdf

    def export(self, folder: str | Path) -> list[Path]:
        """The CSV files of all suites: those of the original benchmark, measurements, missing values."""
        from convergebench import report as views

        return views.export_as("csv", self.workspace, Path(folder))

    def grid_rows(self, results: Results, columns: int = 6) -> Sequence[views.GridRow]:
        from convergebench import report as views

        return views.grid_rows(
            results, partial(self._source, results.suite), self._picture_if_there, results.chief, columns
        )

    def worst_regions(self, results: Results) -> WorstRegions:
        """Where each return differs most from its source, by case and return."""
        return worst_regions(Records.of(self.workspace), results)

    def worst_crops(self, cases: Sequence[WorstCase], regions: WorstRegions, path: str | Path) -> Path:
        """Draw the worst regions of these returns beside those of their sources, magnified."""
        from convergebench import report as views

        rows = views.worst_crop_rows(cases, regions, self._picture)
        if not rows:
            raise WrongUse(
                "no worst region is known of these returns; measure them with convergebench measure"
            )
        views.picture_grid(rows, Path(path))
        return Path(path)

    def close(self) -> None:
        self.workspace.close()

    def __enter__(self) -> Benchmark:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        try:
            return f"{self._title()}\n{self.ranking()!r}"
        except ConvergeBenchError as error:  # a repr explains, and never fails
            return f"{self._title()}\n{error}"

    def _repr_html_(self) -> str:
        title = f"<p>{html.escape(self._title())}</p>"
        try:
            return f"{title}{self.ranking()._repr_html_()}{self._curves_html()}"
        except ConvergeBenchError as error:
            return f"{title}<p>{html.escape(str(error))}</p>"

    def _title(self) -> str:
        outcome = self.outcome
        if outcome is None:
            return f"Benchmark in {self.workspace.folder}"
        return (
            f"Benchmark in {self.workspace.folder}: {outcome.complete} of {outcome.trajectories} "
            f"trajectories complete, {outcome.edits} new edits, {outcome.replayed} reused, "
            f"${outcome.spent_usd:.2f}"
        )

    def _curves_html(self) -> str:
        from convergebench.report.figures.curves import curves_figure

        file = io.BytesIO()
        curves_figure(self.results()).savefig(file, format="png", dpi=80)
        data = base64.b64encode(file.getvalue()).decode()
        return f'<img alt="Each metric over the rounds" src="data:image/png;base64,{data}">'

    @contextmanager
    def _only(self, models: Sequence[str]) -> Iterator[Benchmark]:
        """The same workspace, of which only these models are read."""
        if not models:
            yield self
            return
        selection = replace(self.workspace.selection, models=tuple(models))
        with Benchmark(Workspace.existing(self.workspace.folder, selection)) as chosen:
            yield chosen

    def _picture(self, digest: str) -> Pixels:
        return self.workspace.pictures.load(digest).pixels

    def _picture_if_there(self, digest: str) -> Pixels | None:
        """None for a picture that is lost, which is named."""
        try:
            return self._picture(digest)
        except (LostPicture, BadPicture) as error:
            log.warning("left out: %s", error)
            return None

    def _source(self, suite: SuiteId, picture: str) -> Pixels | None:
        """None too for sources of imported tables, which have no pictures."""
        beginnings = Records.of(self.workspace).beginnings(suite)
        digests = {one.case.picture: digest for one, digest in beginnings}
        return self._picture_if_there(digests[picture]) if picture in digests else None


def _place(item: Any) -> dict[str, Any]:
    return {name: getattr(item, name) for name in _PLACE}


def _suite_id(text: str | None) -> SuiteId | None:
    return None if text is None else SuiteId(text)
