"""Names, instructions and reasons that mean harm to a terminal, a spreadsheet or a page of Markdown: in every
command that shows results, and in every file that is made of them."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Iterator
from pathlib import Path
from xml.etree import ElementTree

import pytest

import convergebench
from convergebench.cli.main import main
from convergebench.picture import Picture
from convergebench.shown_text import printable
from made_pictures import textured

HARM = "\x1b[2J\x1b]0;owned\x07 \u202egnp [red]r[/red] [/] :boom: [go](http://example.org)|x\ny"
MODEL = "+1\x1b[31m [b]m[/] \u202e|x"
OBEYED = set("\x1b\x07\x00\u202e")


def code(*words: object) -> int:
    with pytest.raises(SystemExit) as ended:
        main([str(word) for word in words])
    assert isinstance(ended.value.code, int)
    return ended.value.code


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    folder = tmp_path_factory.mktemp("hostile")
    names = ("anna", "lake")
    for seed, name in enumerate(names):
        (folder / f"{name}.png").write_bytes(Picture.from_pixels(textured(seed=seed)).encoded)
    edits = [
        {"picture": f"{name}.png", "forward": f"Add {HARM}", "backward": f"Remove {HARM}", "category": HARM,
         "name": f"{name} {HARM}"}
        for name in names
    ]  # fmt: skip
    (folder / "edits.jsonl").write_text("\n".join(map(json.dumps, edits)))
    (folder / "reason.txt").write_text(HARM.replace("\n", " "))
    (folder / "refuse.sh").write_text(f'#!/bin/sh\ncat "{folder}/reason.txt" >&2\nexit 3\n')
    (folder / "refuse.sh").chmod(0o755)
    models = ("-m", f"{MODEL}=jpeg?quality=20", "-m", "jpeg", "-m", f"refuses=command:{folder}/refuse.sh")
    run = ("run", *models, "--edits", folder / "edits.jsonl", "--rounds", 2, "--metric", "psnr,ssim")
    with pytest.MonkeyPatch.context() as patched:
        patched.chdir(folder)
        assert code(*run) == 3
        yield folder


@pytest.mark.parametrize(
    "words",
    [
        ("summary", "--columns", "all"), ("summary", "--csv"), ("summary", "-m", MODEL), ("worst",),
        ("worst", "--csv"), ("compare", MODEL, "jpeg", "--by", "category"),
        ("compare", MODEL, "jpeg", "--csv"), ("audit",), ("workspace", "list"), ("grid",),
        ("check", "-m", MODEL, "--baseline", "results?model=jpeg"), ("run", "-m", HARM),
        ("summary", "-m", HARM), ("summary", "--suite", HARM), ("plot", "--metric", HARM),
    ],
    ids=lambda words: " ".join(map(printable, words))[:60],
)  # fmt: skip
def test_no_command_shows_it_as_it_is(
    words: tuple[str, ...], folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(folder)
    assert code(*words) in (0, 2, 4)
    shown = capsys.readouterr()
    assert not OBEYED & set(shown.out + shown.err)
    assert "unexpected" not in shown.err
    if "csv" in words[-1]:
        cells = [cell for row in csv.reader(io.StringIO(shown.out)) for cell in row]
        assert not any(cell.startswith(("=", "@", "+\x1b", "+1")) for cell in cells)


def test_a_name_is_shown_letter_by_letter_and_not_as_markup(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(folder)
    monkeypatch.setenv("COLUMNS", "200")
    assert code("summary") == 0
    shown = capsys.readouterr().out
    assert "+1\\x1b[31m [b]m[/] \\u202e|x" in shown
    assert "[red]r[/red] [/] :boom:" in shown, "the reason of the refusal"


def test_no_file_of_a_report_holds_it_as_it_is(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)
    assert code("report", "-o", "report") == 0
    assert code("export", "-o", "report", "--format", "csv,markdown,latex") == 0
    files = [path for path in Path("report").iterdir() if path.suffix in (".md", ".tex", ".html", ".csv")]
    assert len(files) == 10
    for path in files:
        text = path.read_text(encoding="utf-8")
        assert not OBEYED & set(text), path.name
        if path.suffix == ".md":
            assert "](http://example.org)" not in text
            assert "m[/] \\\\u202e\\|x" in text
    for path in Path("report").glob("*.csv"):
        with path.open(newline="") as file:
            cells = {cell for row in csv.reader(file) for cell in row}
        assert not any(cell.startswith(("=", "@", "+1")) for cell in cells), path.name


def test_the_files_of_a_check_are_markdown_and_xml(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)
    words = ("-m", MODEL, "--baseline", "results?model=jpeg", "--markdown", "c.md", "--junit", "c.xml")
    assert code("check", *words) in (0, 4)
    assert not OBEYED & set(Path("c.md").read_text())
    cases = ElementTree.fromstring(Path("c.xml").read_text()).findall("testcase")
    assert {one.get("classname") for one in cases} == {printable(MODEL)}


def test_no_console_takes_names_for_markup() -> None:
    """They are made by `shown_text.drawing_console`."""
    package = Path(convergebench.__file__).parent
    plain = [path for path in package.rglob("*.py") if re.search(r"\bConsole\(", path.read_text("utf-8"))]
    assert plain == []
