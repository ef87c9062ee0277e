"""The examples run as their reader would run them, and say what they promise."""

from __future__ import annotations

import ast
import json
from pathlib import Path
from typing import Any

import pytest

from forked_python import run as run_python

EXAMPLES = Path(__file__).parents[2] / "examples"


def run_script(name: str, folder: Path) -> str:
    done = run_python([EXAMPLES / name], cwd=folder)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_example_of_an_own_model_ranks_it(tmp_path: Path) -> None:
    written = run_script("own_model.py", tmp_path)
    assert "mine" in written
    assert (tmp_path / "own_model_results" / "index.html").is_file()


def test_the_example_of_own_pictures_undoes_its_own_edits_exactly(tmp_path: Path) -> None:
    written = run_script("own_pictures.py", tmp_path)
    assert "12 of 12 trajectories complete" in written  # 2 pictures, 2 edits, 3 models
    assert "classical           100.0 [100.0, 100.0]" in written
    assert (tmp_path / "own_pictures_results" / "index.html").is_file()


def cells(notebook: Path) -> list[str]:
    content = json.loads(notebook.read_text(encoding="utf-8"))
    return ["".join(cell["source"]) for cell in content["cells"] if cell["cell_type"] == "code"]


def run_cell(code: str, names: dict[str, Any]) -> Any:
    """Execute a cell; the value of its last expression, as a notebook would show it."""
    tree = ast.parse(code)
    last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
    exec(compile(tree, "<cell>", "exec"), names)
    if last is None:
        return None
    assert isinstance(last, ast.Expr)
    return eval(compile(ast.Expression(last.value), "<cell>", "eval"), names)


def test_the_notebook_runs_from_top_to_bottom(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    names: dict[str, Any] = {"__name__": "__main__"}
    values = [run_cell(code, names) for code in cells(EXAMPLES / "first_hour.ipynb")]
    assert "<table" in values[0]._repr_html_()
    assert dict(names["frame"].groupby("model").size()).keys() == {
        "classical",
        "mine",
        "classical-patch",
        "jpeg",
    }
    assert values[-1].is_file()
