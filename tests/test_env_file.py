from __future__ import annotations

import os
from pathlib import Path

import pytest

from convergebench.env_file import load_env
from convergebench.errors import WrongUse


@pytest.fixture(autouse=True)
def environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever a test sets is gone after it."""
    for name in ("ONE", "TWO", "THREE"):
        monkeypatch.setenv(name, "")
        monkeypatch.delenv(name)


def test_names_and_values_are_set_with_quotes_and_export_taken_off(tmp_path: Path) -> None:
    (tmp_path / ".env").write_text("# keys\n\nONE=1\nexport TWO='a=b c'\nTHREE = \"x\"\n")
    load_env(tmp_path / ".env")
    assert [os.environ[name] for name in ("ONE", "TWO", "THREE")] == ["1", "a=b c", "x"]


def test_what_is_set_already_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ONE", "mine")
    (tmp_path / ".env").write_text("ONE=theirs\n")
    load_env(tmp_path / ".env")
    assert os.environ["ONE"] == "mine"


def test_a_line_that_cannot_be_read_is_named_and_not_shown(tmp_path: Path) -> None:
    (tmp_path / ".env").write_text("ONE=1\nsk-secret\n")
    with pytest.raises(WrongUse, match=r"line 2 is not NAME=value") as caught:
        load_env(tmp_path / ".env")
    assert "secret" not in str(caught.value)
